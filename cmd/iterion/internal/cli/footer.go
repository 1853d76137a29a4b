package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// echoed is the room that a footer leaves at the end of its rows, in cells: a
// terminal prints ^C where the cursor stands.
const echoed = 3

// footer is the last rows of a terminal, redrawn in place. Whoever writes above it
// clears it first and ends with a newline. A nil one draws nothing.
type footer struct {
	w     io.Writer
	width func() int // of the terminal, as it is now; 0: not known
	faint bool       // colours are welcome
	rows  []string   // as drawn, without colour
}

// draw replaces what is drawn. Rows are cut to the terminal.
func (l *footer) draw(rows ...string) {
	if l == nil {
		return
	}
	width := l.width()
	fitted := make([]string, len(rows))
	for i, row := range rows {
		fitted[i] = row
		if width > 0 {
			fitted[i] = cut(row, max(1, width-echoed))
		}
	}
	if slices.Equal(fitted, l.rows) {
		return
	}
	_, _ = io.WriteString(l.w, l.erasing(width)+l.coloured(fitted))
	l.rows = fitted
}

// clear takes the footer away; the cursor is then where it began.
func (l *footer) clear() {
	if l == nil || len(l.rows) == 0 {
		return
	}
	_, _ = io.WriteString(l.w, l.erasing(l.width()))
	l.rows = nil
}

// erasing goes back to the first cell of what is drawn and erases from there. A
// terminal that became narrower has folded the rows.
func (l *footer) erasing(width int) string {
	up := -1
	for _, row := range l.rows {
		up += folds(row, width)
	}
	if up > 0 {
		return fmt.Sprintf("\r\x1b[%dA\x1b[J", up)
	}
	return "\r\x1b[J"
}

// folds is how many lines of a terminal a row takes.
func folds(row string, width int) int {
	if width <= 0 {
		return 1
	}
	return max(1, (uniseg.StringWidth(row)+width-1)/width)
}

func (l *footer) coloured(rows []string) string {
	text := strings.Join(rows, "\n")
	if !l.faint {
		return text
	}
	return "\x1b[2m" + text + "\x1b[0m"
}
