package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func newBoardSet(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "set FILE", Short: "Replace the board with the one in a file; - is standard input", Args: exactly("FILE"),
		RunE: func(c *cobra.Command, args []string) error { return runBoardSet(c.Context(), f, args[0]) },
	}
}

func runBoardSet(ctx context.Context, f *Factory, name string) error {
	s, err := f.newSchema(name)
	if err != nil {
		return err
	}
	b, err := f.Board()
	if err != nil {
		return err
	}
	if err := b.SetSchema(ctx, s, f.Cause()); err != nil {
		return err
	}
	if s, err = b.Schema(ctx); err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(s)
	}
	f.Say("board set: %d columns, %d fields, %d views", len(s.States), len(s.Fields), len(s.Views))
	return nil
}

func newBoardValidate(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "validate [FILE]", Short: "Check a board file, or the store's board; - is standard input", Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error { return runBoardValidate(c.Context(), f, args) },
	}
}

func runBoardValidate(ctx context.Context, f *Factory, args []string) error {
	what, err := validBoard(ctx, f, args)
	if err != nil {
		return err
	}
	f.Talk("%s is valid", what)
	if f.Global.JSON {
		return f.PrintJSON(map[string]bool{"valid": true})
	}
	return nil
}

// validBoard checks the board in a file or, without one, the store's, and says
// which it was.
func validBoard(ctx context.Context, f *Factory, args []string) (string, error) {
	if len(args) == 1 {
		_, err := readSchema(f, args[0])
		return args[0], err
	}
	b, err := f.Board()
	if err != nil {
		return "", err
	}
	_, err = b.Schema(ctx) // which validates what it reads
	return "the store's board", err
}
