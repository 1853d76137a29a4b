package stream

import (
	"slices"
	"strings"
)

// Bounds of Notes: lines of the beginning and of the end, and bytes of each.
const (
	firstNotes = 5
	maxNotes   = 40
	maxNote    = 2 << 10
)

// Notes keeps the end of standard error, for the verdict, and its beginning: a
// program that refuses its arguments says so before it prints its help.
type Notes struct{ first, lines []string }

// Add takes one line.
func (n *Notes) Add(line []byte) {
	text := Text(string(line[:min(len(line), maxNote)]))
	if strings.TrimSpace(text) == "" {
		return
	}
	if len(n.lines) == maxNotes {
		if len(n.first) < firstNotes {
			n.first = append(n.first, n.lines[0])
		}
		n.lines = append(n.lines[:0], n.lines[1:]...)
	}
	n.lines = append(n.lines, text)
}

// Latest returns the lines that were kept, the last one first.
func (n *Notes) Latest() []string {
	lines := slices.Concat(n.first, n.lines)
	slices.Reverse(lines)
	return lines
}

// Last returns the last line that was said, empty when none was.
func (n *Notes) Last() string {
	if len(n.lines) == 0 {
		return ""
	}
	return Line(n.lines[len(n.lines)-1])
}
