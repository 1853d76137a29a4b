package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"iterion/bots/supervise"
	"iterion/native/run"
)

// cancelWait is longer than a supervisor waits before it kills.
const cancelWait = 30 * time.Second

func newRunsCancel(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "cancel RUN", Short: "End a run and wait until it has ended", Args: exactly("RUN"),
		Long: "End a run: its bot is asked to stop, then killed, and the command waits until no process of\n" +
			"it is left. A cancelled run is not tried again; its card is held until a person says otherwise.",
		ValidArgsFunction: f.completeRuns,
		RunE:              func(c *cobra.Command, args []string) error { return runRunsCancel(c.Context(), f, args[0]) },
	}
}

func runRunsCancel(ctx context.Context, f *Factory, ref string) error {
	runs, id, err := f.findRun(ref)
	if err != nil {
		return err
	}
	// A run that lost its supervisor has nobody who would listen.
	rec, err := supervise.Recover(ctx, runs, id)
	if err != nil {
		return err
	}
	if rec.Status.Final() {
		return Conflictf("run %s has ended already: %s", run.Short(id), statusWords(rec))
	}
	if rec, err = f.endRun(ctx, runs, rec, ""); err != nil {
		return err
	}
	return f.printCancelled(runs, rec)
}

// endRun ends a run that has not ended; note says why.
func (f *Factory) endRun(ctx context.Context, runs *run.Dir, rec run.Record, note string) (run.Record, error) {
	if rec.Status.Paused() {
		return f.cancelPaused(runs, rec.ID, note)
	}
	rec, err := f.cancelLive(ctx, runs, rec.ID, note)
	if err == nil && rec.Status.Paused() { // it paused before it could be stopped
		return f.cancelPaused(runs, rec.ID, note)
	}
	return rec, err
}

func (f *Factory) cancelLive(ctx context.Context, runs *run.Dir, id, note string) (run.Record, error) {
	if err := f.askToCancel(runs, id, note); err != nil {
		return run.Record{}, err
	}
	f.Talk("asked run %s to stop", run.Short(id))
	bounded, done := context.WithTimeout(ctx, cancelWait)
	defer done()
	rec, err := supervise.Await(bounded, runs, id)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return rec, &ExitError{
			Code: ExitFailed,
			Err:  fmt.Errorf("run %s was asked to stop %s ago and has not ended yet", run.Short(id), cancelWait),
			Hint: "its supervisor keeps trying; `iterion runs show " + run.Short(id) + "` tells what is left",
		}
	}
	return rec, err
}

// cancelPaused ends a run that waits for a person: no process of it is left, so
// its record is all there is to change.
func (f *Factory) cancelPaused(runs *run.Dir, id, note string) (run.Record, error) {
	lock, err := runs.TryLock(id)
	if err != nil {
		return run.Record{}, fmt.Errorf("cancel run %s: %w", run.Short(id), err)
	}
	defer lock.Release()
	rec, err := runs.Get(id)
	if err != nil {
		return rec, err
	}
	in := run.Intent{Verb: run.VerbCancel, By: f.Actor(), Note: note}
	if err := rec.Become(run.Outcome{Status: run.Cancelled, Error: in.Sentence("cancelled")}, f.Now()); err != nil {
		return rec, &ExitError{Code: ExitConflict, Err: fmt.Errorf("cancel run %s: %w", run.Short(id), err)}
	}
	rec.Awaiting = nil
	if err := runs.Save(rec); err != nil {
		return rec, err
	}
	return rec, runs.EnsureOutcome(rec)
}

func (f *Factory) printCancelled(runs *run.Dir, rec run.Record) error {
	if rec.Status != run.Cancelled {
		return Conflictf("run %s ended before it could be cancelled: %s", run.Short(rec.ID), statusWords(rec))
	}
	switch {
	case f.Global.JSON:
		return f.printRecord(runs, rec)
	case f.Global.Quiet:
		f.Say("%s", rec.ID)
	default:
		f.Say("cancelled run %s", rec.ID)
	}
	return nil
}
