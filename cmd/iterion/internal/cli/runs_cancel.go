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
		Long: "End a run for good: its bot is asked to stop, then killed, and the command waits until no process\n" +
			"of it is left. A run that is paused, or failed and could be continued, has no process: it is\n" +
			"marked alone. A cancelled run is not tried again; its card is held until a person says otherwise.",
		ValidArgsFunction: f.completeRuns,
		RunE:              func(c *cobra.Command, args []string) error { return runRunsCancel(c.Context(), f, args[0]) },
	}
}

func runRunsCancel(ctx context.Context, f *Factory, ref string) error {
	runs, rec, err := f.findSettled(ctx, ref)
	if err != nil {
		return err
	}
	switch {
	case rec.Status == run.Cancelled:
		return f.printRun(runs, rec, "already cancelled: run")
	case rec.Status.Final() && rec.Status != run.FailedResumable:
		return Conflictf("run %s has ended already: %s", run.Short(rec.ID), statusWords(rec))
	}
	if rec, err = f.endRun(ctx, runs, rec, ""); err != nil {
		return err
	}
	return f.printCancelled(runs, rec)
}

// endRun ends a run that has not ended for good; note says why.
func (f *Factory) endRun(ctx context.Context, runs *run.Dir, rec run.Record, note string) (run.Record, error) {
	in := run.Intent{Verb: run.VerbCancel, By: f.Actor(), At: f.Now().UTC(), Note: note}
	return f.askAndAwait(ctx, runs, rec, in)
}

// askAndAwait asks for a run's end or pause and waits for it. A run without a
// supervisor is settled at once.
func (f *Factory) askAndAwait(ctx context.Context, runs *run.Dir, rec run.Record, in run.Intent) (run.Record, error) {
	id := rec.ID
	if err := supervise.RequestStop(runs, id, in); err != nil {
		return rec, err
	}
	if atWork(rec) {
		f.Talk("asked run %s to stop", run.Short(id))
	}
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

func (f *Factory) printCancelled(runs *run.Dir, rec run.Record) error {
	if rec.Status != run.Cancelled {
		return Conflictf("run %s ended before it could be cancelled: %s", run.Short(rec.ID), statusWords(rec))
	}
	return f.printRun(runs, rec, "cancelled run")
}
