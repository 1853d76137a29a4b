package stream

import (
	"slices"
	"strings"
)

// Bounds of Notes: lines, and bytes of each.
const (
	maxNotes = 40
	maxNote  = 2 << 10
)

// Notes keeps the end of standard error, for the verdict.
type Notes struct{ lines []string }

// Add takes one line.
func (n *Notes) Add(line []byte) {
	text := Text(string(line[:min(len(line), maxNote)]))
	if strings.TrimSpace(text) == "" {
		return
	}
	if len(n.lines) == maxNotes {
		n.lines = append(n.lines[:0], n.lines[1:]...)
	}
	n.lines = append(n.lines, text)
}

// Latest returns the lines that were kept, the last one first.
func (n *Notes) Latest() []string {
	lines := slices.Clone(n.lines)
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
