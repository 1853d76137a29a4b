package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

// glass is what a person sees of a terminal: it understands the few sequences that
// a footer uses, folds lines at its width, and folds them anew when it is resized.
type glass struct {
	cols  int
	lines []string // logical ones: their folds depend on the width
	raw   bytes.Buffer
}

func newGlass(cols int) *glass { return &glass{cols: cols, lines: []string{""}} }

func (g *glass) streams() *Streams {
	return &Streams{Out: g, Err: g, OutTTY: true, ErrTTY: true, Width: g.cols, measure: func() int { return g.cols }}
}

func (g *glass) Write(p []byte) (int, error) {
	g.raw.Write(p)
	for rest := string(p); rest != ""; {
		rest = g.take(rest)
	}
	return len(p), nil
}

// take draws the beginning of s. The cursor is always at the end of the last line,
// but for the moment between a carriage return and the erasure behind it.
func (g *glass) take(s string) string {
	if after, ok := strings.CutPrefix(s, "\r"); ok {
		up := 0
		if n, err := fmt.Sscanf(after, "\x1b[%dA", &up); n == 1 && err == nil {
			_, after, _ = strings.Cut(after, "A")
		}
		after, ok := strings.CutPrefix(after, "\x1b[J")
		if !ok {
			panic(fmt.Sprintf("a glass does not know %q", s))
		}
		g.erase(up)
		return after
	}
	if after, ok := strings.CutPrefix(s, "\n"); ok {
		g.lines = append(g.lines, "")
		return after
	}
	if s[0] == '\x1b' {
		end := strings.IndexByte(s, 'm')
		return s[end+1:] // a colour
	}
	end := strings.IndexAny(s, "\r\n\x1b")
	if end < 0 {
		end = len(s)
	}
	g.lines[len(g.lines)-1] += s[:end]
	return s[end:]
}

// erase removes the fold that the cursor is in and so many above it.
func (g *glass) erase(up int) {
	for n := up + 1; n > 0; {
		last := len(g.lines) - 1
		folds := max(1, (uniseg.StringWidth(g.lines[last])+g.cols-1)/g.cols)
		if folds > n {
			panic("a line was erased by half")
		}
		if n -= folds; n > 0 {
			g.lines = g.lines[:last]
		} else {
			g.lines[last] = ""
		}
	}
}

func (g *glass) String() string { return strings.Join(g.lines, "\n") }

func (g *glass) want(t *testing.T, text string) {
	t.Helper()
	if got := g.String(); got != text {
		t.Errorf("on the screen\n got %q\nwant %q", got, text)
	}
}
