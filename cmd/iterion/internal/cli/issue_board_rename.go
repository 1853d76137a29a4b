package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func newBoardRename(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "rename-state STATE NEW", Short: "Give a column of your own another name, its cards included", Args: exactly("STATE", "NEW"),
		Long: "Give a column another name, on the board and on every card in it. It fires no trigger.\n" +
			"The columns of the default board keep their names, which the program knows them by;\n" +
			"their display is changed with `iterion issue board set`.",
		ValidArgsFunction: func(c *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, noFiles
			}
			return f.completeStates(c, args, to)
		},
		RunE: func(c *cobra.Command, args []string) error { return runBoardRename(c.Context(), f, args[0], args[1]) },
	}
}

func runBoardRename(ctx context.Context, f *Factory, from, to string) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	touched, err := b.RenameState(ctx, from, to, f.Cause())
	if err != nil {
		return err
	}
	if err := warnBroken(ctx, f, b); err != nil {
		return err
	}
	return f.printTouched(touched, from+": renamed with")
}

// printTouched reports a verb by the cards that it touched.
func (f *Factory) printTouched(ids []string, did string) error {
	switch {
	case f.Global.JSON:
		return f.PrintJSON(nonNil(ids))
	case f.Global.Quiet:
		for _, id := range ids {
			f.Say("%s", id)
		}
	default:
		f.Say("%s %s", did, cardCount(len(ids)))
	}
	return nil
}
