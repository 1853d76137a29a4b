package runs

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
	"iterion/tui/screen"
)

// room is the width that a row of the log has.
func room(e *screen.Env) int { return max(1, e.Width-2) }

// pieces are the lines that a row takes when it is wrapped: one at least.
func (d *detail) pieces(e *screen.Env, row int) []string {
	if p := kit.Chop(kit.Clean(d.log.rows[row]), room(e)); len(p) > 0 {
		return p
	}
	return []string{""}
}

// resize tells how much of the log is visible, and keeps the place or the end.
func (d *detail) resize(e *screen.Env) {
	height := e.Height - detailHead
	if !d.wrap {
		d.sub = 0
		d.pg.Resize(height, len(d.log.rows))
		return
	}
	d.pg.Height, d.pg.Len = max(0, height), len(d.log.rows)
	if d.pg.Follow {
		d.pg.Top, d.sub = d.last(e)
		return
	}
	d.step(e, 0)
}

// last is the place from which on the wrapped rows fill the window to the end: a row
// and the line in it.
func (d *detail) last(e *screen.Env) (row, sub int) {
	left := d.pg.Height
	for row = len(d.log.rows) - 1; row >= 0; row-- {
		n := len(d.pieces(e, row))
		if n >= left {
			return row, n - left
		}
		left -= n
	}
	return 0, 0
}

// step scrolls wrapped rows by lines.
func (d *detail) step(e *screen.Env, by int) {
	if len(d.log.rows) == 0 {
		d.pg.Top, d.sub = 0, 0
		return
	}
	d.pg.Top = max(0, min(d.pg.Top, len(d.log.rows)-1))
	n := len(d.pieces(e, d.pg.Top))
	d.sub = max(0, min(d.sub, n-1))
	for ; by > 0 && (d.sub < n-1 || d.pg.Top < len(d.log.rows)-1); by-- {
		if d.sub++; d.sub == n {
			d.pg.Top, d.sub = d.pg.Top+1, 0
			n = len(d.pieces(e, d.pg.Top))
		}
	}
	for ; by < 0 && (d.sub > 0 || d.pg.Top > 0); by++ {
		if d.sub--; d.sub < 0 {
			d.pg.Top--
			d.sub = len(d.pieces(e, d.pg.Top)) - 1
		}
	}
	if row, sub := d.last(e); d.pg.Top > row || d.pg.Top == row && d.sub > sub {
		d.pg.Top, d.sub = row, sub
	}
}

// scroll takes a key that moves in the log and reports whether it was one.
func (d *detail) scroll(e *screen.Env, k tea.KeyMsg) bool {
	if !d.wrap {
		return d.pg.Update(k, !d.log.lazy)
	}
	page := max(1, d.pg.Height-1)
	switch k.String() {
	case "up", "k":
		d.step(e, -1)
	case "down", "j":
		d.step(e, 1)
	case "pgup", "ctrl+u", "ctrl+b":
		d.step(e, -page)
	case "pgdown", "ctrl+d", "ctrl+f", " ":
		d.step(e, page)
	case "g", "home":
		d.pg.Top, d.sub = 0, 0
	case "G", "end":
		d.pg.Top, d.sub = d.last(e)
	default:
		return false
	}
	row, sub := d.last(e)
	d.pg.Follow = !d.log.lazy && d.pg.Top == row && d.sub == sub
	return true
}

// show brings the first match in a row into the middle, and into sight sideways.
func (d *detail) show(e *screen.Env, row int) {
	d.hit, d.pg.Follow = row, false
	text := kit.Clean(d.log.rows[row])
	before := 0 // cells in front of the match
	if i := strings.Index(strings.ToLower(text), strings.ToLower(kit.Clean(d.want))); i >= 0 {
		before = kit.Width(kit.Head(text, i))
	}
	if d.wrap {
		d.pg.Top, d.sub = row, before/room(e)
		d.step(e, -d.pg.Height/2)
		return
	}
	d.pg.Top = row - d.pg.Height/2
	d.resize(e)
	if end := before + kit.Width(d.want); before < d.shift || end > d.shift+room(e) {
		d.shift = 0
		if end > room(e) {
			d.shift = max(0, before-room(e)/2)
		}
	}
}

// sideways scrolls the log to the right or back, as far as there is something to see.
func (d *detail) sideways(e *screen.Env, by int) {
	widest := 0
	from, to := d.pg.Window()
	for i := from; i < min(to, len(d.log.rows)); i++ {
		widest = max(widest, kit.Width(kit.Clean(d.log.rows[i])))
	}
	d.shift = max(0, min(d.shift+by, widest-room(e)))
}

// lines draws one row of the log: in one line, or in as many as it takes.
func (d *detail) lines(e *screen.Env, row int) []string {
	var pieces []string
	switch text := ""; {
	case d.wrap:
		pieces = d.pieces(e, row)
	default:
		text = kit.Clean(d.log.rows[row])
		if d.shift > 0 {
			text = ansi.TruncateLeft(text, d.shift, "")
		}
		pieces = []string{text}
	}
	for n, p := range pieces {
		p = kit.Clip(p, room(e))
		if row == d.hit {
			pieces[n] = e.Theme.Accent.Render(e.Theme.Glyph.Bar) + e.Theme.Strong.Render(p)
		} else {
			pieces[n] = " " + p
		}
	}
	return pieces
}
