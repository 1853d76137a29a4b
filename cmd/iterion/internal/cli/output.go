package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"

	"iterion/native/board"
)

// PrintJSON writes v as one indented JSON value. A write that fails is no error
// here: Main looks at those.
func (f *Factory) PrintJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(whole(v)); err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	_, _ = f.IO.Out.Write(b.Bytes())
	return nil
}

// wholeIssue is a card with all that its file holds, the keys that this version
// does not know among it.
type wholeIssue board.Issue

// MarshalJSON implements json.Marshaler.
func (i wholeIssue) MarshalJSON() ([]byte, error) { return board.EncodeIssue(board.Issue(i)) }

func whole(v any) any {
	switch v := v.(type) {
	case board.Issue:
		return wholeIssue(v)
	case []board.Issue:
		all := make([]wholeIssue, len(v))
		for n, i := range v {
			all[n] = wholeIssue(i)
		}
		return all
	}
	return v
}

// written reports whether all of the result could be written so far, for a command
// that would go on for ever.
func (f *Factory) written() bool {
	w, ok := f.IO.Out.(*resultWriter)
	return !ok || w.err == nil
}

// Talk writes a line for people to standard error; --quiet silences it.
func (f *Factory) Talk(format string, args ...any) {
	if !f.Global.Quiet {
		fmt.Fprintln(f.IO.Err, visibleText(fmt.Sprintf(format, args...)))
	}
}

// Warn writes a warning to standard error, whatever --quiet says.
func (f *Factory) Warn(format string, args ...any) {
	fmt.Fprintln(f.IO.Err, "warning: "+visibleText(fmt.Sprintf(format, args...)))
}

// Say writes a line of the result to standard output.
func (f *Factory) Say(format string, args ...any) {
	fmt.Fprintln(f.IO.Out, visibleText(fmt.Sprintf(format, args...)))
}

// Table lays out rows for people. Widths are terminal cells, so that wide and
// combining characters stay in line.
type Table struct {
	Head []string
	rows [][]string
}

// Row adds a line; cells are made safe to print.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = visibleLine(c)
	}
	t.rows = append(t.rows, row)
}

// Print writes the table. On a terminal of known width the last column is cut
// to fit; elsewhere nothing is lost.
func (t *Table) Print(f *Factory) {
	all := append([][]string{t.Head}, t.rows...)
	widths := columnWidths(all)
	var b strings.Builder
	for i, row := range all {
		line := layRow(row, widths)
		if f.IO.Width > 0 {
			line = cut(line, f.IO.Width)
		}
		if i == 0 {
			line = f.Bold(line)
		}
		b.WriteString(line + "\n")
	}
	_, _ = io.WriteString(f.IO.Out, b.String())
}

func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(c))
		}
	}
	return widths
}

func layRow(row []string, widths []int) string {
	var b strings.Builder
	for i, c := range row {
		b.WriteString(c)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-uniseg.StringWidth(c)+2))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// cut shortens s to width cells, with an ellipsis when something is lost.
func cut(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used += g.Width(); used > width-1 {
			break
		}
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}

// Bold marks s on a terminal that wants colour.
func (f *Factory) Bold(s string) string {
	if !f.Color() {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}
