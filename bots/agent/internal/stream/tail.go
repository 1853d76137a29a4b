package stream

import (
	"bytes"
	"slices"
)

// maxTail bounds a text that is kept whole, in bytes.
const maxTail = 256 << 10

// Tail keeps the last part of a text that comes in pieces.
type Tail struct{ text []byte }

// Add takes a piece.
func (t *Tail) Add(piece string) {
	t.text = append(t.text, piece...)
	if over := len(t.text) - 2*maxTail; over > 0 {
		t.text = slices.Clone(bytes.ToValidUTF8(t.text[len(t.text)-maxTail:], nil))
	}
}

// Reset forgets the text.
func (t *Tail) Reset() { t.text = nil }

// Empty reports whether nothing was said.
func (t *Tail) Empty() bool { return len(t.text) == 0 }

// String returns what was kept.
func (t *Tail) String() string { return string(t.text) }
