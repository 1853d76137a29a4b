package localrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/bots/supervise"
	"iterion/native/run"
)

// EndWait is how long a run has to end, in which a bot that ignores TERM is killed.
const EndWait = 30 * time.Second

// endedBy is who ends runs in place of a schedule.
const endedBy = "scheduler"

// End ends a run and returns once its tree is proven gone. The run becomes
// failed_resumable when it is stale, else cancelled; one that ended by itself
// meanwhile has ended. An error says that it has not.
func (h *Host) End(ctx context.Context, runID string, stale bool, reason string) error {
	in := run.Intent{Verb: run.VerbCancel, By: endedBy, Note: reason}
	if stale {
		in.Verb, in.Resumable = run.VerbStop, true
	}
	err := supervise.RequestStop(h.Runs, runID, in)
	if errors.Is(err, run.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	patience := cmp.Or(h.patience, EndWait)
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rec, err := supervise.Await(wait, h.Runs, runID)
	switch {
	case errors.Is(err, run.ErrNotFound): // removed, and nothing of it is left
		return nil
	case err != nil && ctx.Err() == nil && wait.Err() != nil:
		return fmt.Errorf("it did not end within %s%s", patience, doubt(rec))
	case err != nil:
		return err
	case !rec.Status.Final():
		return fmt.Errorf("it is %s by now", rec.Status)
	}
	return nil
}

// doubt says what is known of a run that withstands.
func doubt(rec run.Record) string {
	if rec.Doubtful() {
		return ": " + rec.Error
	}
	return "; see `iterion runs show " + rec.ID + "`"
}
