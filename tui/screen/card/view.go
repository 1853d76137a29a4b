package card

import (
	"fmt"
	"strings"

	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// View draws the head and the visible part of each pane.
func (s *Screen) View(e *screen.Env) []string {
	if s.id == "" {
		return []string{"", e.Theme.Dim.Render("  No card is open. Choose one on the board and press enter.")}
	}
	lines := s.head(e, e.Mirror.Card(s.id))
	rows := max(0, e.Height-headRows)
	left := window(s.main, &s.mainPg, rows)
	if len(s.side) == 0 {
		for i := range left {
			left[i] = " " + left[i]
		}
		return append(lines, left...)
	}
	right := window(s.side, &s.sidePg, rows)
	bar := e.Theme.Faint.Render(e.Theme.Glyph.VLine)
	if s.sideFocused {
		bar = e.Theme.Accent.Render(e.Theme.Glyph.VLine)
	}
	for i := range left {
		lines = append(lines, " "+kit.Fit(left[i], s.mainWide)+" "+bar+" "+right[i])
	}
	return lines
}

// window is the visible part of a pane, as exactly n rows.
func window(lines []string, p *kit.Pager, n int) []string {
	from, to := p.Window()
	out := make([]string, n)
	if to = min(to, len(lines)); from < to {
		copy(out, lines[from:to])
	}
	return out
}

func (s *Screen) head(e *screen.Env, c *mirror.Card) []string {
	t := e.Theme
	if c == nil {
		return []string{t.Bad.Render(" " + t.Glyph.Bad + " this card is no longer on the board"), "", "", s.rule(e)}
	}
	n := e.Mirror.Note(c, e.Now)
	glyph, style := t.Mark(n.Mark)
	title := kit.Clip(kit.Line(c.Title), e.Width-12)
	return []string{
		kit.Spread(" "+t.Strong.Render(title), t.Faint.Render(kit.Short(c.ID))+" ", e.Width),
		" " + style.Render(glyph) + " " + style.Render(n.Text),
		" " + kit.Clip(fields(e, c), e.Width-1),
		s.rule(e),
	}
}

// rule separates the head from the panes and says how far the body is scrolled.
func (s *Screen) rule(e *screen.Env) string {
	t, p := e.Theme, s.mainPg
	note := ""
	if p.Len > p.Height && p.Height > 0 {
		note = percent(p)
	}
	line := kit.Rule(t.Glyph.HLine, e.Width-kit.Width(note)-1)
	return t.Faint.Render(line + note)
}

func percent(p kit.Pager) string {
	switch {
	case p.Top == 0:
		return " top "
	case p.Top+p.Height >= p.Len:
		return " end "
	}
	return " " + fmt.Sprintf("%d%%", 100*p.Top/(p.Len-p.Height)) + " "
}

func fields(e *screen.Env, c *mirror.Card) string {
	t := e.Theme
	parts := []string{stateName(e, c)}
	if c.Bot != "" {
		parts = append(parts, "bot "+kit.Line(c.Bot))
	}
	if c.Priority != 0 {
		parts = append(parts, fmt.Sprintf("priority %d", c.Priority))
	}
	for i := range parts {
		parts[i] = t.Dim.Render(parts[i])
	}
	for _, l := range c.Labels {
		parts = append(parts, t.Label.Render("#"+kit.Line(l)))
	}
	return strings.Join(parts, t.Faint.Render(" "+t.Glyph.Dot+" "))
}

func stateName(e *screen.Env, c *mirror.Card) string {
	if col := e.Mirror.Column(c.State); col != nil {
		return kit.Line(col.Title())
	}
	return kit.Line(c.State)
}
