package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"iterion/native"
	"iterion/tui"
)

type tuiOptions struct {
	config           string
	attach, readOnly bool
}

func newTUI(f *Factory) *cobra.Command {
	var o tuiOptions
	c := &cobra.Command{
		Use: "tui [CONFIG]", Short: "Open the screen", Args: atMostOne,
		Long: "Open the screen on the store's daemon. When none runs one is started, with CONFIG if given,\n" +
			"and ended on quit; --attach and --read-only never start one. In a folder without a store the\n" +
			"screen offers to make one. Keys are listed at the bottom; ? lists all of them.",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.config = args[0]; !isFile(o.config) {
					return notAConfig(c, o.config)
				}
			}
			return runTUI(c.Context(), f, o)
		},
	}
	c.Flags().BoolVar(&o.attach, "attach", false, "only join a daemon that runs already")
	c.Flags().BoolVar(&o.readOnly, "read-only", false, "look at a daemon that runs already, and change nothing")
	return c
}

func runTUI(ctx context.Context, f *Factory, o tuiOptions) error {
	if !f.IO.InTTY || !f.IO.OutTTY {
		return &ExitError{Code: ExitFailed, Err: errors.New("the screen needs a terminal"),
			Hint: "`iterion daemon` works the cards without one, `iterion issue list` shows them"}
	}
	child := &childDaemon{f: f, config: o.config, attach: o.attach || o.readOnly}
	t := tui.Options{
		Connect: child.connect, Starts: !child.attach, OwnsDaemon: child.owned, StopDaemon: child.stop,
		In: f.IO.In, Out: f.IO.terminal, Getenv: f.Env,
		ReadOnly: o.readOnly, NoColor: !f.Color(), By: f.Actor(),
	}
	if !o.attach && !o.readOnly {
		t.Init = func(ctx context.Context) error { return f.initExample(ctx) }
	}
	return tui.Run(ctx, t)
}

// initExample makes a store here with example cards: what the screen offers in
// an empty folder. It prints nothing, for the screen has the terminal.
func (f *Factory) initExample(ctx context.Context) error {
	quiet := *f
	quiet.Global.Quiet = true
	l, made, err := quiet.initStore("", false)
	if err != nil {
		return err
	}
	if made == native.MadeNothing {
		return fmt.Errorf("there is a store already in %s", l.Root)
	}
	if err := f.trustNew(l, made); err != nil {
		return err
	}
	defer quiet.Close()
	return fileExamples(ctx, &quiet)
}
