package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"iterion/bots/supervise"
	"iterion/native/run"
)

func newRunsPause(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "pause RUN", Short: "Stop a run's bot and keep the run, to go on later", Args: exactly("RUN"),
		Long: "Stop a run's bot and keep the run: `iterion runs resume` lets it go on. Only for bots that can\n" +
			"be continued (resume: true in their manifest). The command waits until no process of the run\n" +
			"is left. A run that is paused already is left alone.",
		ValidArgsFunction: f.completeLive,
		RunE:              func(c *cobra.Command, args []string) error { return runRunsPause(c.Context(), f, args[0]) },
	}
}

func runRunsPause(ctx context.Context, f *Factory, ref string) error {
	runs, rec, err := f.findSettled(ctx, ref)
	if err != nil {
		return err
	}
	switch {
	case rec.Status == run.PausedOperator:
		return f.printRun(runs, rec, "already paused: run")
	case rec.Status == run.PausedHuman:
		return Conflictf("run %s waits for an answer and is not at work: it goes on only when it is answered and resumed", run.Short(rec.ID))
	case rec.Status.Final():
		return Conflictf("run %s has ended already: %s", run.Short(rec.ID), statusWords(rec))
	}
	in := run.Intent{Verb: run.VerbPause, By: f.Actor(), At: f.Now().UTC(), Note: run.PauseOperator}
	if rec, err = f.askAndAwait(ctx, runs, rec, in); err != nil {
		return pauseTrouble(rec, err)
	}
	if rec.Status != run.PausedOperator {
		return Conflictf("run %s ended before it could be paused: %s", run.Short(rec.ID), statusWords(rec))
	}
	f.Talk("`iterion runs resume %s` lets it go on", run.Short(rec.ID))
	return f.printRun(runs, rec, "paused run")
}

func pauseTrouble(rec run.Record, err error) error {
	if !errors.Is(err, supervise.ErrNotResumable) {
		return err
	}
	return &ExitError{Code: ExitConflict, Hint: "`iterion runs cancel` ends a run for good",
		Err: fmt.Errorf("pause run: %w", err)}
}

// completeLive offers the runs that are at work.
func (f *Factory) completeLive(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	return f.completeRunsOf(run.Queued, run.Running)
}

// completeWaiting offers the runs that can go on.
func (f *Factory) completeWaiting(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	return f.completeRunsOf(run.PausedHuman, run.PausedOperator, run.FailedResumable)
}
