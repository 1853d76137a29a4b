package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"iterion/tui/kit"
)

func plain() *kit.Theme { return kit.NewTheme(kit.Look{Profile: termenv.Ascii, Mono: true}) }

func TestRender(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"paragraphs wrap", "one two three four\n\nfive", 9, []string{"one two", "three", "four", "", "five"}},
		{"line breaks stay", "| a | b |\n|---|---|\n| 1 | 2 |", 40, []string{"| a | b |", "|---|---|", "| 1 | 2 |"}},
		{"lists nest and hang", "- first item\n- second\n  1. inner\n  2. other", 10, []string{"· first", "  item", "· second", "  1. inner", "  2. other"}},
		{"code is kept", "```go\na  b\n\tc\n```", 20, []string{"  a  b", "      c"}},
		{"quotes have a bar", "> said\n> so", 20, []string{"│ said", "│ so"}},
		{"links are spelled out", "[here](https://e.org)", 40, []string{"here <https://e.org>"}},
		{"html is text", "a <b>bold</b>\n\n<script>\nx\n</script>", 40, []string{"a <b>bold</b>", "", "  <script>", "  x", "  </script>"}},
		{"escapes are shown", "x \x1b[31m y &#27;[2J z", 40, []string{"x ␛[31m y ␛[2J z"}},
		{"long words break", strings.Repeat("x", 10), 4, []string{"xxxx", "xxxx", "xx"}},
		{"headings", "# Big\ntext", 20, []string{"Big", "", "text"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Render(c.in, c.width, plain())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAMegabyteRendersSoon(t *testing.T) {
	start := time.Now()
	Render(strings.Repeat("some *text* with `code` and [a link](http://x)\n\n", 20_000), 80, plain())
	Render(strings.Repeat("x", 1<<20), 80, plain())
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func FuzzRender(f *testing.F) {
	f.Add("# a\n\n- b\n  > c\n\n```\nd\n```\n<e>", 20)
	f.Add("&#x9b;2J \x1b[31m [x](y\x07)", 3)
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = 1 + (w%200+200)%200
		for _, l := range Render(s, w, plain()) {
			if n := kit.Width(l); n > w && w > 2*8 {
				t.Fatalf("a line of %d in %d: %q", n, w, l)
			}
			for _, r := range ansi.Strip(l) {
				if r < 0x20 || r >= 0x7f && r < 0xa0 {
					t.Fatalf("%U in %q", r, l)
				}
			}
		}
	})
}
