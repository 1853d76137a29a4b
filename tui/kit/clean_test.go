package kit

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "Fix the pager", "Fix the pager"},
		{"colour codes are shown", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"clipboard writes are shown", "\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"},
		{"C1 controls are shown", "a\u009b2Jb", "a<U+009B>2Jb"},
		{"broken bytes are shown", "a\xff\x9bb", `a\xff\x9bb`},
		{"tabs become spaces", "a\tb", "a   b"},
		{"line breaks are shown", "a\nb\r", "a⏎b␍"},
		{"text direction is shown", "abc\u202edef", "abc<U+202E>def"},
		{"hidden characters are shown", "a\u200bb", "a<U+200B>b"},
		{"joined emoji are taken apart", "👩\u200d💻👍🏽❤\ufe0f", "👩💻👍❤"},
		{"accents stay", "de\u0301ja\u0300", "de\u0301ja\u0300"},
		{"other scripts stay", "日本語 עברית", "日本語 עברית"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean(c.in); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b]8;;http://x\x07link\x1b]8;;\x07")
	f.Add("a\tb\u202e\u200d\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Clean(%q) is not UTF-8", s)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Fatalf("Clean(%q) holds %U", s, r)
			}
		}
		if again := Clean(got); again != got {
			t.Fatalf("Clean is not stable: %q, then %q", got, again)
		}
		for _, w := range []int{1, 7, 40} {
			if n := Width(Fit(got, w)); n != w {
				t.Fatalf("Fit(%q, %d) is %d wide", got, w, n)
			}
			for _, l := range Wrap(got, w) {
				if Width(l) > w {
					t.Fatalf("Wrap(%q, %d) has a line of %d: %q", got, w, Width(l), l)
				}
			}
		}
	})
}
