package cli

import (
	"context"
	"errors"
	"fmt"

	"iterion/bots/supervise"
	"iterion/native/run"
)

// checkRunEnded refuses while a run may still be at work or waits for a person:
// without the card's pointer to it a second run could start beside it. A run
// whose record is gone has ended; one that cannot be read may not have.
func (f *Factory) checkRunEnded(id string) error {
	runs, err := f.Runs()
	if err != nil {
		return err
	}
	rec, err := runs.Get(id)
	if errors.Is(err, run.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at run %s: %w", id, err)
	}
	locked, err := runs.Locked(id)
	if err != nil {
		return fmt.Errorf("look at run %s: %w", id, err)
	}
	if rec.Status.Final() && !locked {
		return nil
	}
	return &ExitError{
		Code: ExitConflict,
		Err:  fmt.Errorf("run %s is %s: its card keeps the pointer to it", id, rec.Status),
		Hint: "`iterion runs cancel " + run.Short(id) + "` ends it",
	}
}

// cancelRun ends a run, if it has not ended, and waits for its end.
func (f *Factory) cancelRun(ctx context.Context, id, note string) error {
	runs, err := f.Runs()
	if err != nil {
		return err
	}
	// A run that lost its supervisor has nobody who would listen.
	rec, err := supervise.Recover(ctx, runs, id)
	if errors.Is(err, run.ErrNotFound) {
		return nil
	}
	if err != nil || rec.Status.Final() {
		return err
	}
	if err := f.askToCancel(runs, id, note); err != nil {
		return err
	}
	_, err = supervise.Await(ctx, runs, id)
	return err
}
