package board

import (
	"fmt"
	"strings"

	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// View draws the columns that are in sight, and of them the cards that are.
func (s *Screen) View(e *screen.Env) []string {
	if e.Mirror.Len() == 0 && len(e.Mirror.Broken) == 0 {
		return s.invite(e)
	}
	slots, moreLeft, moreRight := s.slots(e)
	rows := make([]strings.Builder, headRows+s.room(e)+footRows)
	for i, sl := range slots {
		if i > 0 {
			for r := range rows {
				rows[r].WriteString(strings.Repeat(" ", gap))
			}
		}
		left, right := 0, 0
		if i == 0 {
			left = moreLeft
		}
		if i == len(slots)-1 {
			right = moreRight
		}
		for r, l := range s.column(e, sl, len(rows), left, right) {
			rows[r].WriteString(l)
		}
	}
	lines := make([]string, len(rows))
	for r := range rows {
		lines[r] = rows[r].String()
	}
	if s.filtering() {
		lines = append([]string{s.filterLine(e)}, lines...)
	}
	return lines
}

// invite is the board without a card.
func (s *Screen) invite(e *screen.Env) []string {
	t := e.Theme
	text := []string{t.Strong.Render("The board is empty."), "", t.Dim.Render("Press ") + t.Key.Render("n") + t.Dim.Render(" to write the first card.")}
	if e.ReadOnly {
		text = []string{t.Strong.Render("The board is empty.")}
	}
	return kit.Overlay(kit.Box(nil, e.Width, e.Height), text, e.Width)
}

// filterLine says how the board is looked at: the filter, the view and the order,
// and how many cards that leaves and are marked.
func (s *Screen) filterLine(e *screen.Env) string {
	t := e.Theme
	shown := 0
	for _, c := range e.Mirror.Columns {
		shown += len(s.cards(c))
	}
	tail := t.Dim.Render(fmt.Sprintf("%d of %d ", shown, e.Mirror.Len()))
	if n := len(s.marked); n > 0 {
		said := fmt.Sprintf("%s %d marked", t.Glyph.Marked, n)
		if out := s.unseen(e); out > 0 {
			said += fmt.Sprintf(", %d filtered out", out)
		}
		tail = t.Accent.Render(said+"  ") + tail
	}
	text := ""
	switch {
	case s.typing:
		in := s.input
		in.Width = max(1, e.Width-kit.Width(tail)-8)
		in.Cursor.Style, in.TextStyle = t.Plain.Reverse(true), t.Plain
		text = t.Key.Render("/") + kit.Typed(in.View())
	case len(s.lens.words) > 0:
		text = t.Key.Render("/") + kit.Clean(s.input.Value())
	}
	if said := s.lens.said(); said != "" {
		if text != "" {
			text += "  "
		}
		text += t.Dim.Render(said)
	}
	return kit.Spread(text, tail, e.Width)
}

// column draws one slot as rows of exactly its width.
func (s *Screen) column(e *screen.Env, sl slot, rows, left, right int) []string {
	if sl.thin {
		return thin(e.Theme, sl, rows, left, right)
	}
	p, list := s.spot(sl.col.Name), s.cards(sl.col)
	lines := []string{s.head(e, sl, len(list), left, right), s.rule(e, sl, p.top)}
	bottom := rows - footRows
	next := p.top
	for ; next < len(list) && len(lines) < bottom; next++ {
		card := drawCard(e, list[next], sl.width, sl.col.Name == s.col && next == p.at, s.marked[list[next].ID])
		if head := s.groupHead(list, next); head != "" {
			card = append([]string{e.Theme.Faint.Render(kit.Fit(e.Theme.Glyph.HLine+" "+head, sl.width))}, card...)
		}
		if len(lines)+len(card) > bottom && next > p.top {
			break
		}
		lines = append(lines, append(card, "")...)
	}
	if len(list) == 0 {
		lines = append(lines, "", e.Theme.Faint.Render("  "+emptyHint(sl.col, s.lens.selects())))
	}
	lines = kit.Box(lines, sl.width, rows)
	if more := len(list) - next; more > 0 {
		lines[rows-1] = e.Theme.Faint.Render(kit.Fit(fmt.Sprintf(" %s %d more", e.Theme.Glyph.Down, more), sl.width))
	}
	return lines
}

func emptyHint(c *mirror.Column, filtered bool) string {
	switch {
	case filtered && len(c.Cards) > 0:
		return "nothing found"
	case c.Eligible:
		return "bots start from here"
	case c.Terminal:
		return "cards end here"
	}
	return "empty"
}

// head is the column's title, its count, and how many columns are out of sight.
func (s *Screen) head(e *screen.Env, sl slot, shown, left, right int) string {
	t, g := e.Theme, e.Theme.Glyph
	name, style := kit.Line(sl.col.Title()), t.Strong
	if sl.col.Name == s.col {
		style = t.Accent
	}
	count := fmt.Sprint(len(sl.col.Cards))
	if shown != len(sl.col.Cards) {
		count = fmt.Sprintf("%d of %d", shown, len(sl.col.Cards))
	}
	if sl.col.Stray {
		count += " (not on the board)"
	}
	lead, tail := " ", ""
	if left > 0 {
		lead = fmt.Sprintf("%s%d ", g.Left, left)
	}
	if right > 0 {
		tail = fmt.Sprintf("%d%s", right, g.Right)
	}
	if right > 0 && e.Width < oneColumn {
		tail = s.next(e, sl.col) + " " + g.Right
	}
	return kit.Spread(t.Faint.Render(lead)+style.Render(name)+" "+t.Dim.Render(count), t.Faint.Render(tail), sl.width)
}

// next names the column after c that the cursor would turn to.
func (s *Screen) next(e *screen.Env, c *mirror.Column) string {
	passed := false
	for _, col := range e.Mirror.Columns {
		if passed && len(s.cards(col)) > 0 {
			return fmt.Sprintf("%s %d", kit.Line(col.Title()), len(col.Cards))
		}
		passed = passed || col == c
	}
	return ""
}

// rule underlines the title; it says how many cards are above.
func (s *Screen) rule(e *screen.Env, sl slot, above int) string {
	t := e.Theme
	line, glyph := t.Faint.Render, t.Glyph.HLine
	if c := sl.col.Color; c != "" {
		line = func(p ...string) string { return t.Paint(c, strings.Join(p, "")) }
	}
	if sl.col.Name == s.col {
		line, glyph = t.Accent.Render, t.Glyph.Heavy
	}
	if above == 0 {
		return line(kit.Rule(glyph, sl.width))
	}
	note := fmt.Sprintf(" %s %d more ", t.Glyph.Up, above)
	return line(glyph) + t.Faint.Render(kit.Clip(note, sl.width-2)) + line(kit.Rule(glyph, sl.width-1-kit.Width(note)))
}

// thin is an empty column folded away: its name, downwards; in place of its count
// how many columns are out of sight behind it.
func thin(t *kit.Theme, sl slot, rows, left, right int) []string {
	head := " " + t.Glyph.Dot
	switch {
	case right > 0:
		head = fmt.Sprintf("%2d%s", right, t.Glyph.Right)
	case left > 0:
		head = fmt.Sprintf("%s%d", t.Glyph.Left, left)
	}
	lines := []string{t.Faint.Render(kit.Fit(head, sl.width)), t.Faint.Render(kit.Rule(t.Glyph.HLine, sl.width))}
	for _, r := range kit.Line(sl.col.Title()) {
		lines = append(lines, t.Faint.Render(kit.Fit(" "+string(r), sl.width)))
	}
	return kit.Box(lines, sl.width, rows)
}
