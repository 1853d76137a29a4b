package cli

import (
	"strings"
	"testing"
	"unicode"
)

func TestVisibleTextShowsWhatATerminalWouldObey(t *testing.T) {
	for in, want := range map[string]string{
		"plain 漢字 é":      "plain 漢字 é",
		"two\nlines\tand": "two\nlines\tand",
		"\x1b[31mred":     "^[[31mred",
		"bell\x07":        "bell^G",
		"del\x7f":         "del^?",
		"c1\u009b":        `c1\u009b`,
		"bidi\u202e":      `bidi\u202e`,
		"bad\xff":         `bad\xff`,
		"real\ufffd":      "real\ufffd",
		"cr\rover":        "cr^Mover",
	} {
		if got := visibleText(in); got != want {
			t.Errorf("visibleText(%q) = %q, want %q", in, got, want)
		}
	}
	if got := visibleLine("a\nb\tc"); got != "a b c" {
		t.Errorf("visibleLine = %q", got)
	}
}

func FuzzVisibleText(f *testing.F) {
	f.Add("a\x1b]52;c;aGk=\x07\xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range visibleText(s) {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("visibleText(%q) lets %q through", s, r)
			}
		}
		if strings.ContainsAny(visibleLine(s), "\n\t\r\x1b") {
			t.Fatalf("visibleLine(%q) is more than a line", s)
		}
	})
}
