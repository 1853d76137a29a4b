package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"iterion/native/board"
)

// printFiles prints cards as PrintJSON would, without decoding them: of a large
// board that is most of the work.
func printFiles(ctx context.Context, f *Factory, b board.FileLister, q board.Query) error {
	out := newIndentedArray(f.IO.Out)
	broken, err := b.ListFiles(ctx, q, func(card []byte) error {
		out.add(card)
		return nil
	})
	for i := range broken {
		f.Warn("%v", &broken[i])
	}
	if err != nil {
		return fmt.Errorf("list issues: %w", err)
	}
	out.end()
	return nil
}

// indentedArray prints an array of cards in their file form, as PrintJSON would.
// That a write failed is seen by Main.
type indentedArray struct {
	w    *bufio.Writer
	some bool
}

func newIndentedArray(w io.Writer) *indentedArray {
	return &indentedArray{w: bufio.NewWriterSize(w, 1<<16)}
}

func (a *indentedArray) add(card []byte) {
	between := ",\n"
	if !a.some {
		between = "[\n"
	}
	a.some = true
	a.w.WriteString(between)
	writeIndented(a.w, card)
}

func (a *indentedArray) end() {
	if a.some {
		a.w.WriteString("\n]\n")
	} else {
		a.w.WriteString("[]\n")
	}
	_ = a.w.Flush()
}

// writeIndented writes a card as an element of an array: one step further in,
// without its last newline.
func writeIndented(w *bufio.Writer, card []byte) {
	card = bytes.TrimSuffix(card, []byte("\n"))
	for len(card) > 0 {
		line := card
		if end := bytes.IndexByte(card, '\n'); end >= 0 {
			line = card[:end+1]
		}
		card = card[len(line):]
		w.WriteString("  ")
		w.Write(line)
	}
}

// listForTable lists cards without the long parts that no table shows, which of
// a large board are most of the memory.
func listForTable(ctx context.Context, b board.Store, q board.Query) (board.Listing, error) {
	files, ok := b.(board.FileLister)
	if !ok {
		return b.List(ctx, q)
	}
	var found board.Listing
	broken, err := files.ListFiles(ctx, q, func(card []byte) error {
		i, err := board.DecodeIssue(card)
		i.Body, i.Comments, i.Runs, i.BotArgs, i.Extra = "", nil, nil, nil, nil
		found.Issues = append(found.Issues, i)
		return err
	})
	found.Broken = broken
	return found, err
}
