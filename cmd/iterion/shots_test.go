package main

import (
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"iterion/native/board"
)

var shots = flag.String("shots", "", "take the README's pictures of the screen anew, into this folder")

// TestShots takes the pictures of the README from the running program.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("SKIPPED: pictures are only taken with -shots, see `make shots`")
	}
	w := newWorld(t)
	w.env = append(w.env, "COLORTERM=truecolor")
	w.stage()
	d := w.daemon()
	w.eventually("the stage is set", func() bool {
		return w.inState(board.StateInProgress) == 2 && w.inState(board.StateAwaitingInput) == 1 && w.inState(board.StateReview) >= 2
	})
	term := w.terminal(132, 26, "--attach")
	take := func(name, shows string, keys ...string) {
		for _, k := range keys {
			term.keys(k)
		}
		term.shows(shows)
		term.shoot(filepath.Join(*shots, name+".svg"))
	}
	take("board", "Update the changelog", "Right")
	take("card", "other rules pass", "Enter")
	term.keys("Escape")
	take("log", "following", "3", "Enter")
	term.keys("Escape", "Escape")
	take("daemon", "slots", "6")
	term.leave()
	d.term()
}

// stage fills a board that shows what there is to see.
func (w *world) stage() {
	w.bot("fix-ci", "", `
iterion report progress 'running the tests' --percent 40
iterion report cost 0.42
echo 'go test ./...'; echo 'ok  	shop/cart	1.204s'; echo 'ok  	shop/till	0.882s'; echo '--- FAIL: TestRefund (0.31s)'
echo '    refund_test.go:41: paid back 9.99, want 10.00'
while :; do sleep 1; done
`)
	w.bot("docs", "", `
if [ "$ITERION_RESUME" = 1 ]; then exit; fi
iterion report ask --question 'Which licence?' --field 'licence:MIT|Apache-2.0'
`)
	w.bot("janitor", "", "iterion report cost 0.08; echo swept")
	w.card("Find out why the refund test is flaky", "fix-ci", "--label", "ci", "--priority", "2", "--body",
		"It fails **once in twenty runs**, always on the same line:\n\n```go\nif got := refund(order); got != want {\n```\n\n- [ ] reproduce it\n- [ ] find the rounding\n- [ ] add a test that fails every time\n")
	w.card("Port the till to the new tax table", "fix-ci", "--label", "till")
	w.card("Choose a licence for the examples", "docs")
	w.card("Sweep old branches", "janitor")
	w.card("Update the changelog", "janitor", "--label", "docs")
	w.ok("issue", "create", "--title", "Write the release notes", "--state", "ready", "--label", "docs")
}

// shoot writes what is on the screen as a picture.
func (term *terminal) shoot(path string) {
	term.w.t.Helper()
	out, err := exec.Command("tmux", "-S", term.socket, "capture-pane", "-p", "-e").Output()
	if err != nil {
		term.w.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		term.w.t.Fatal(err)
	}
	host, _ := os.Hostname()
	seen := strings.NewReplacer(term.w.dir, "/home/ana/shop", " on "+host+",", " on ox,").Replace(string(out))
	if err := os.WriteFile(path, []byte(svgOf(seen)), 0o644); err != nil {
		term.w.t.Fatal(err)
	}
}

// Cells of the picture, in its units.
const (
	cellW, cellH = 8.4, 18
	margin       = 12
	paper, ink   = "#16181f", "#d5dae3"
)

// pen is the style of a run of cells.
type pen struct {
	fg, bg              string
	bold, faint, invert bool
}

// svgOf draws the lines of a terminal, with their SGR sequences, as an SVG that needs
// nothing from elsewhere.
func svgOf(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	cols := 0
	var body strings.Builder
	var p pen
	for row, line := range lines {
		cols = max(cols, drawLine(&body, line, row, &p))
	}
	w, h := float64(cols)*cellW+2*margin, float64(len(lines))*cellH+2*margin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.1f %.1f" width="%.0f" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`+
		`<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n%s</svg>\n", w, h, w, paper, body.String())
}

// drawLine draws one line and returns its width in cells.
func drawLine(out *strings.Builder, line string, row int, p *pen) (col int) {
	for line != "" {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			args, after, _ := strings.Cut(rest, "m")
			p.sgr(args)
			line = after
			continue
		}
		n := strings.IndexByte(line, 0x1b)
		if n < 0 {
			n = len(line)
		}
		cells := utf8.RuneCountInString(line[:n]) // the stage has narrow characters only
		p.draw(out, line[:n], row, col, cells)
		col, line = col+cells, line[n:]
	}
	return col
}

func (p *pen) draw(out *strings.Builder, text string, row, col, cells int) {
	fg, bg := p.fg, p.bg
	if fg == "" {
		fg = ink
	}
	if p.invert {
		if bg == "" {
			bg = paper
		}
		fg, bg = bg, fg
	}
	x, y := margin+float64(col)*cellW, margin+float64(row)*cellH
	if bg != "" {
		fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`, x, y, float64(cells)*cellW, cellH, bg)
	}
	lead := len(text) - len(strings.TrimLeft(text, " "))
	text = strings.Trim(text, " ")
	if text == "" {
		return
	}
	style := ""
	switch {
	case p.bold:
		style = ` font-weight="bold"`
	case p.faint:
		style = ` opacity="0.6"`
	}
	fmt.Fprintf(out, `<text x="%.1f" y="%.1f" fill="%s"%s xml:space="preserve" textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
		x+float64(lead)*cellW, y+13.5, fg, style, float64(utf8.RuneCountInString(text))*cellW, html.EscapeString(text))
}

// sgr takes the arguments of one Select Graphic Rendition sequence.
func (p *pen) sgr(args string) {
	parts := strings.FieldsFunc(args, func(r rune) bool { return r == ';' || r == ':' })
	if len(parts) == 0 {
		*p = pen{}
	}
	for i := 0; i < len(parts); i++ {
		n, _ := strconv.Atoi(parts[i])
		switch {
		case n == 0:
			*p = pen{}
		case n == 1:
			p.bold = true
		case n == 2:
			p.faint = true
		case n == 22:
			p.bold, p.faint = false, false
		case n == 7, n == 27:
			p.invert = n == 7
		case (n == 38 || n == 48) && i+4 < len(parts) && parts[i+1] == "2":
			c := "#"
			for _, s := range parts[i+2 : i+5] {
				v, _ := strconv.Atoi(s)
				c += fmt.Sprintf("%02x", v)
			}
			if n == 38 {
				p.fg = c
			} else {
				p.bg = c
			}
			i += 4
		case n == 39:
			p.fg = ""
		case n == 49:
			p.bg = ""
		}
	}
}
