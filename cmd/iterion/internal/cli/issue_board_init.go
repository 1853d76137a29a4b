package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"iterion/native"
)

func newBoardInit(f *Factory) *cobra.Command {
	var o initOptions
	c := &cobra.Command{
		Use: "init", Short: "Make a board, or write an unreadable one anew", Args: exactly(),
		Long: "Make a store with a board, as `iterion init` does. Without --force a board that is there\n" +
			"is never overwritten; --force also repairs one that cannot be read. Cards are left alone.",
		RunE: func(c *cobra.Command, _ []string) error { return runBoardInit(f, o) },
	}
	c.Flags().StringVar(&o.from, "from", "", "take the board from a `file`; - is standard input")
	c.Flags().BoolVar(&o.force, "force", false, "write it anew")
	return c
}

func runBoardInit(f *Factory, o initOptions) error {
	// The store in use, if there is one, else a new one here.
	if l, err := f.Layout(); err == nil {
		f.Global.StoreDir = l.Root
	}
	l, made, err := f.initStore(o.from, o.force)
	if err != nil {
		return err
	}
	if made == native.MadeNothing {
		return &ExitError{Code: ExitConflict, Err: fmt.Errorf("there is a board already: %s", l.Board()),
			Hint: "--force writes it anew and leaves the cards alone"}
	}
	if err := f.trustNew(l, made); err != nil {
		return err
	}
	return f.reportInit(l, made, false)
}
