package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"iterion/daemon/control"
)

// stopWait bounds the wait for a daemon that was asked to stop. Without runs to
// cancel it needs a fraction of that.
const stopWait = 60 * time.Second

func newDaemonStop(f *Factory) *cobra.Command {
	var cancel, keep bool
	c := &cobra.Command{
		Use: "stop", Short: "End the daemon; running bots carry on unless --cancel-runs", Args: exactly(),
		Long: "End the daemon and wait until it is gone. Bots that run carry on under their supervisors\n" +
			"and are taken over by the next daemon; --cancel-runs ends them first.",
		RunE: func(c *cobra.Command, _ []string) error {
			if cancel && keep {
				return Usagef("--cancel-runs and --keep-runs exclude each other")
			}
			return runDaemonStop(c.Context(), f, cancel)
		},
	}
	c.Flags().BoolVar(&cancel, "cancel-runs", false, "cancel running bots")
	c.Flags().BoolVar(&keep, "keep-runs", false, "let running bots carry on (default)")
	return c
}

func runDaemonStop(ctx context.Context, f *Factory, cancel bool) error {
	c, err := f.Daemon()
	if err != nil {
		return err
	}
	s, err := c.Status(ctx)
	if err != nil {
		return err
	}
	report, err := c.Stop(ctx, control.Stop{CancelRuns: cancel, By: f.Actor()})
	if err != nil {
		return err
	}
	if err := f.awaitGone(ctx); err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(report)
	}
	f.Say("stopped the daemon with pid %d", s.PID)
	for _, r := range report.Running {
		f.Say("%s %s of %q", map[bool]string{true: "cancelled", false: "carries on:"}[cancel], r.RunID, r.Title)
	}
	return nil
}

// awaitGone waits until nobody answers on the control socket.
func (f *Factory) awaitGone(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, stopWait)
	defer done()
	for {
		c, err := f.Control()
		if isNoDaemon(err) {
			return nil
		}
		if err != nil {
			return err
		}
		c.Close()
		select {
		case <-ctx.Done():
			return fmt.Errorf("the daemon was asked to stop and still answers: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
