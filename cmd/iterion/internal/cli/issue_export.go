package cli

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"iterion/native/atomicfile"
	"iterion/native/board"
	"iterion/native/exchange"
)

func newIssueExport(f *Factory) *cobra.Command {
	var q board.Query
	c := &cobra.Command{
		Use: "export [FILE]", Short: "Write the cards as JSON lines", Args: atMostOne,
		Long: "Write the cards, the oldest first, as JSON: one card a line, with the keys of the card\n" +
			"files (one array with --json). `iterion issue import` reads it back, here or elsewhere. A card file that\n" +
			"cannot be read is named on standard error, and the exit code is 1.",
		RunE: func(c *cobra.Command, args []string) error {
			return runIssueExport(c.Context(), f, append(args, "-")[0], q)
		},
	}
	fl := c.Flags()
	fl.StringArrayVarP(&q.States, "state", "s", nil, "only this column, repeatable")
	fl.StringArrayVarP(&q.Labels, "label", "l", nil, "only with this label, repeatable: all must be there")
	completeFlag(c, "state", f.completeStates)
	completeFlag(c, "label", f.completeLabels)
	return c
}

func runIssueExport(ctx context.Context, f *Factory, name string, q board.Query) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	if err := checkQueryStates(ctx, f, b, q.States); err != nil {
		return err
	}
	q.Sort = "created"
	found, err := b.List(ctx, q)
	if err != nil {
		return fmt.Errorf("list issues: %w", err)
	}
	if err := f.export(name, found.Issues); err != nil {
		return err
	}
	if name != "-" {
		f.Talk("exported %s to %s", cardCount(len(found.Issues)), name)
	}
	for i := range found.Broken {
		f.Warn("%v", &found.Broken[i])
	}
	if n := len(found.Broken); n > 0 {
		return fmt.Errorf("%s could not be read and are missing from the export", cardCount(n))
	}
	return nil
}

// export writes to a file whole or not at all.
func (f *Factory) export(name string, issues []board.Issue) error {
	if name == "-" && f.Global.JSON {
		return f.PrintJSON(nonNil(issues))
	}
	if name == "-" {
		for _, is := range issues {
			if err := exchange.WriteLine(f.IO.Out, is); err != nil {
				return nil // Main looks at failed writes of the result itself
			}
		}
		return nil
	}
	var data bytes.Buffer
	for _, is := range issues {
		if err := exchange.WriteLine(&data, is); err != nil {
			return err
		}
	}
	if err := atomicfile.WriteFile(name, data.Bytes(), 0o600, atomicfile.Options{NoFsync: f.Global.NoFsync}); err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	return nil
}
