package cli

import (
	"context"

	"github.com/spf13/cobra"

	"iterion/native"
)

func newTrust(f *Factory) *cobra.Command {
	var revoke, yes bool
	c := &cobra.Command{
		Use: "trust", Short: "Let this store run its bots on this host", Args: exactly(),
		Long: "Let this store run its bots on this host. A clone can bring cards and bots of somebody\n" +
			"else; until you trust it, a daemon starts paused and nothing of the store runs. Asks first\n" +
			"on a terminal. The list of trusted stores is ~/.iterion/trusted.json.",
		RunE: func(c *cobra.Command, _ []string) error {
			if revoke {
				return runRevoke(f)
			}
			return runTrust(c.Context(), f, yes)
		},
	}
	c.Flags().BoolVar(&revoke, "revoke", false, "take it back")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func runTrust(ctx context.Context, f *Factory, yes bool) error {
	l, home, err := f.trustee()
	if err != nil {
		return err
	}
	already, err := native.Trusted(home, l)
	if err != nil {
		return err
	}
	if already {
		f.Talk("%s is trusted already", l.Root)
		return f.reportTrust(l, true)
	}
	f.Talk("Store %s\nOnce trusted, its cards may start, as you and with your files:\n%s", l.Root, f.mayRun())
	if f.IO.InTTY && !yes {
		if err := f.confirm(ctx, "Trust it?"); err != nil {
			return err
		}
	}
	if err := native.Trust(home, l); err != nil {
		return err
	}
	f.Talk("trusted; a daemon that waits for it goes on by itself or after `iterion daemon unpause`")
	return f.reportTrust(l, true)
}

// reportTrust is the result for programs; people were told.
func (f *Factory) reportTrust(l native.Layout, trusted bool) error {
	if !f.Global.JSON {
		return nil
	}
	return f.PrintJSON(map[string]any{"store_dir": l.Root, "trusted": trusted})
}

func runRevoke(f *Factory) error {
	l, home, err := f.trustee()
	if err != nil {
		return err
	}
	if err := native.Revoke(home, l); err != nil {
		return err
	}
	f.Talk("%s may no longer start anything; runs that are at work go on", l.Root)
	return f.reportTrust(l, false)
}

func (f *Factory) trustee() (native.Layout, string, error) {
	l, err := f.Layout()
	if err != nil {
		return l, "", err
	}
	home, err := f.Home()
	return l, home, err
}

// mayRun lists what trust opens the door to.
func (f *Factory) mayRun() string {
	s := "  - any command, through the bot `shell` and the cards' bot_args.command"
	reg, err := f.Bots()
	if err != nil {
		return s
	}
	for _, e := range reg.List() {
		if e.Bot.Dir != "" || e.Bot.Archive != "" {
			s += "\n  - the bot in " + e.Path
		}
	}
	return s
}
