package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"iterion/bots/supervise"
	"iterion/native/board"
	"iterion/native/run"
)

// checkRunEnded refuses while a run may still be at work or waits for a person:
// without the card's pointer to it a second run could start beside it. A run
// whose record is gone has ended. Where the record cannot be read, the lock tells,
// and what a dead supervisor left is ended first.
func (f *Factory) checkRunEnded(ctx context.Context, id string) error {
	runs, err := f.Runs()
	if err != nil {
		return err
	}
	rec, err := runs.Get(id)
	var unreadable *run.UnreadableError
	if errors.As(err, &unreadable) {
		_, err = supervise.Recover(ctx, runs, id)
	}
	if errors.Is(err, run.ErrNotFound) {
		return nil
	}
	if err != nil && !errors.As(err, &unreadable) {
		return fmt.Errorf("look at run %s: %w", id, err)
	}
	broken := err != nil
	locked, err := runs.Locked(id)
	if err != nil {
		return fmt.Errorf("look at run %s: %w", id, err)
	}
	if !locked && (broken || rec.Status.Final()) {
		return nil
	}
	status := string(rec.Status)
	if broken {
		status = "alive, though its record cannot be read"
	}
	return &ExitError{
		Code: ExitConflict,
		Err:  fmt.Errorf("run %s is %s: its card keeps the pointer to it", id, status),
		Hint: "`iterion runs cancel " + run.Short(id) + "` ends it",
	}
}

// cancelRuns ends the runs of a card that have not ended, and waits for their
// end: the last one that the card names, and any other that says it is the
// card's.
func (f *Factory) cancelRuns(ctx context.Context, is board.Issue) error {
	runs, err := f.Runs()
	if err != nil {
		return err
	}
	found, err := runs.List(run.Query{IssueID: is.ID})
	if err != nil {
		return err
	}
	ids := map[string]bool{is.LastRunID: is.LastRunID != ""}
	for _, rec := range found.Records {
		ids[rec.ID] = !rec.Status.Final()
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if !ids[id] {
			continue
		}
		if err := f.cancelRun(ctx, runs, id, "its card is being deleted"); err != nil {
			return err
		}
	}
	return nil
}

// cancelRun ends a run, if it has not ended, and waits for its end.
func (f *Factory) cancelRun(ctx context.Context, runs *run.Dir, id, note string) error {
	// A run that lost its supervisor has nobody who would listen.
	rec, err := supervise.Recover(ctx, runs, id)
	if errors.Is(err, run.ErrNotFound) {
		return nil
	}
	if err != nil || rec.Status.Final() {
		return err
	}
	_, err = f.endRun(ctx, runs, rec, note)
	return err
}
