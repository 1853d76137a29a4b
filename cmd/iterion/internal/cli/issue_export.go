package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"

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
	n, broken, err := f.export(ctx, b, name, q)
	if err != nil {
		return err
	}
	if name != "-" {
		f.Talk("exported %s to %s", cardCount(n), name)
	}
	for i := range broken {
		f.Warn("%v", &broken[i])
	}
	if n := len(broken); n > 0 {
		return fmt.Errorf("%s could not be read and are missing from the export", cardCount(n))
	}
	return nil
}

// export writes the cards as lines, to a file whole or not at all.
func (f *Factory) export(ctx context.Context, b board.Store, name string, q board.Query) (n int, broken []board.UnreadableError, err error) {
	lines := func(w io.Writer) error {
		broken, err = eachFile(ctx, b, q, func(card []byte) error {
			n++
			return exchange.WriteFileAsLine(w, card)
		})
		return err
	}
	if name == "-" && f.Global.JSON {
		lines = asArray(lines)
	}
	if name == "-" {
		w := bufio.NewWriterSize(f.IO.Out, 1<<16)
		err = lines(w)
		_ = w.Flush() // Main looks at failed writes of the result
		return n, broken, err
	}
	if err := atomicfile.Stream(name, 0o600, atomicfile.Options{NoFsync: f.Global.NoFsync}, lines); err != nil {
		return n, nil, fmt.Errorf("write export: %w", err)
	}
	return n, broken, nil
}

// asArray makes one array of what is written as lines, a line each Write.
func asArray(lines func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		a := &arrayWriter{w: w, between: "["}
		err := lines(a)
		if a.between == "[" {
			_, _ = io.WriteString(w, "[")
		}
		_, _ = io.WriteString(w, "]\n") // Main looks at failed writes
		return err
	}
}

type arrayWriter struct {
	w       io.Writer
	between string
}

func (a *arrayWriter) Write(line []byte) (int, error) {
	if _, err := io.WriteString(a.w, a.between); err != nil {
		return 0, err
	}
	a.between = ","
	return a.w.Write(line)
}

// eachFile calls fn with each card in its file form, from a store that can do
// it without decoding or from one that cannot.
func eachFile(ctx context.Context, b board.Store, q board.Query, fn func(card []byte) error) ([]board.UnreadableError, error) {
	if files, ok := b.(board.FileLister); ok {
		return files.ListFiles(ctx, q, fn)
	}
	found, err := b.List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list issues: %w", err)
	}
	for _, is := range found.Issues {
		card, err := board.EncodeIssue(is)
		if err == nil {
			err = fn(card)
		}
		if err != nil {
			return found.Broken, err
		}
	}
	return found.Broken, nil
}
