package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func TestFooterIsCutToTheTerminalAndDrawnWhenItChanges(t *testing.T) {
	screen := newGlass(12)
	l := &footer{w: screen, width: func() int { return screen.cols }}
	l.draw("0123456789")
	screen.want(t, "01234567…")
	before := screen.raw.Len()
	l.draw("0123456789")
	if screen.raw.Len() != before {
		t.Error("the same was drawn again")
	}
	l.draw("two", "rows")
	screen.want(t, "two\nrows")
	l.clear()
	l.clear()
	screen.want(t, "")
}

func TestFooterFollowsAResize(t *testing.T) {
	screen := newGlass(40)
	l := &footer{w: screen, width: func() int { return screen.cols }}
	_, _ = screen.Write([]byte("log\n"))
	l.draw("a row of thirty cells or so 78", "and another one of that length")
	screen.cols = 14 // each row is folded into three
	l.draw("narrow")
	screen.want(t, "log\nnarrow")
	screen.cols = 100
	l.draw("wide")
	screen.want(t, "log\nwide")
}

func TestNobodyIsShownNothing(t *testing.T) {
	var l *footer
	l.draw("x")
	l.clear()
}

// Whatever is written, in whatever pieces, on a terminal of whatever width: the
// log stands there whole, with at most the footer below it.
func TestScrollLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		screen := newGlass(rapid.IntRange(1, 40).Draw(t, "cols"))
		s := &scroll{out: screen, footer: &footer{w: screen, width: func() int { return screen.cols }}}
		var log strings.Builder
		for range rapid.IntRange(1, 20).Draw(t, "pieces") {
			piece := strings.Map(printable, rapid.StringN(0, 30, -1).Draw(t, "piece"))
			log.WriteString(piece)
			if _, err := s.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
			s.draw(rapid.SampledFrom([]string{"⠋ b 0:01", "⠋ 世界 0:01 · e\u0301 long status with 世界 in it"}).Draw(t, "status"))
			for _, row := range s.footer.rows {
				if screen.cols > echoed && uniseg.StringWidth(row) > screen.cols-echoed {
					t.Fatalf("row %q on %d columns", row, screen.cols)
				}
			}
			if rapid.Bool().Draw(t, "resize") {
				screen.cols = rapid.IntRange(1, 40).Draw(t, "cols")
			}
		}
		s.end()
		want := log.String()
		if !strings.HasSuffix(want, "\n") && want != "" {
			want += "\n"
		}
		if got := screen.String(); got != want {
			t.Fatalf("on the screen\n got %q\nwant %q", got, want)
		}
	})
}

// printable leaves what visibleText would have let through.
func printable(r rune) rune {
	if r != '\n' && unsafe(r) || r == utf8.RuneError {
		return '?'
	}
	return r
}

func TestALineWithoutEndIsWrittenAtSomeLength(t *testing.T) {
	screen := newGlass(80)
	s := &scroll{out: screen, footer: &footer{w: screen, width: func() int { return 80 }}}
	for range 10 {
		_, _ = s.Write([]byte(strings.Repeat("x", 1000)))
	}
	if len(s.open) > maxOpen || !s.mid {
		t.Fatalf("%d bytes are held back", len(s.open))
	}
	s.draw("status")
	if strings.Contains(screen.String(), "status") {
		t.Error("a status was drawn into the line")
	}
	_, _ = s.Write([]byte("y\nz"))
	s.draw("status")
	s.end()
	screen.want(t, strings.Repeat("x", 10_000)+"y\nz\n")
}

func TestLastCells(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 5, "short"},
		{"0123456789", 5, "…6789"},
		{"世界世界", 5, "…世界"},
		{"世界世界", 4, "…界"},
		{"abce\u0301", 3, "…ce\u0301"},
		{"any", 0, "any"},
	} {
		if got := lastCells(c.text, c.width); got != c.want {
			t.Errorf("lastCells(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
