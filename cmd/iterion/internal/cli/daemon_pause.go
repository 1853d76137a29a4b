package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"iterion/daemon/control"
)

func newDaemonPause(f *Factory) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: "pause", Short: "Start no more cards; running ones go on", Args: exactly(),
		Long: "Start no more cards until `iterion daemon unpause`; running ones go on. The pause outlives\n" +
			"the daemon.",
		RunE: func(c *cobra.Command, _ []string) error {
			return askDaemon(c.Context(), f, func(ctx context.Context, d *control.Client) (control.Status, error) {
				return d.Pause(ctx, control.Pause{Reason: reason, By: f.Actor()})
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, for whoever looks at it later")
	return c
}

func newDaemonUnpause(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "unpause", Short: "Start cards again", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			return askDaemon(c.Context(), f, func(ctx context.Context, d *control.Client) (control.Status, error) {
				return d.Unpause(ctx, control.Pause{By: f.Actor()})
			})
		},
	}
}

func newDaemonRefresh(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "refresh", Short: "Look at the whole board now", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			return askDaemon(c.Context(), f, func(ctx context.Context, d *control.Client) (control.Status, error) {
				return d.Refresh(ctx, control.By{By: f.Actor()})
			})
		},
	}
}

func newDaemonReload(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "reload", Short: "Read the config file again", Args: exactly(),
		Long: "Read the config file again, as the daemon does by itself when the file changes. A file with a\n" +
			"mistake in it is refused, and the daemon goes on with what it has.",
		RunE: func(c *cobra.Command, _ []string) error {
			return askDaemon(c.Context(), f, func(ctx context.Context, d *control.Client) (control.Status, error) {
				return d.Reload(ctx, control.By{By: f.Actor()})
			})
		},
	}
}

// askDaemon asks the daemon something that it answers with its status.
func askDaemon(ctx context.Context, f *Factory, ask func(context.Context, *control.Client) (control.Status, error)) error {
	c, err := f.Daemon()
	if err != nil {
		return err
	}
	s, err := ask(ctx, c)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(s)
	}
	f.Say("dispatch is %s", dispatchText(s))
	if len(s.RestartNeeded) > 0 {
		f.Warn("the config file changed what holds only after a restart: %s", strings.Join(s.RestartNeeded, ", "))
	}
	return nil
}
