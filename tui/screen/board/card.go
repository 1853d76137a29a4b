package board

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// height is the rows that a card takes, the blank one after it included.
func height(e *screen.Env, c *mirror.Card) int {
	if e.Mirror.Note(c, e.Now).Mark == kit.MarkNone {
		return 3
	}
	return 4
}

// drawCard draws a card: title; id, bot, priority and labels; where it stands.
func drawCard(e *screen.Env, c *mirror.Card, w int, selected bool) []string {
	t := e.Theme
	row := func(style lipgloss.Style, text string) string { return " " + style.Render(kit.Clip(text, w-1)) }
	if selected {
		row = func(style lipgloss.Style, text string) string {
			bold := style.GetBold()
			return t.Accent.Render(t.Glyph.Bar) + t.Select.Bold(bold).Render(kit.Fit(text, w-1))
		}
	}
	title := t.Plain
	if selected {
		title = t.Strong
	}
	lines := []string{row(title, kit.Line(c.Title))}
	if selected {
		lines = append(lines, row(t.Plain, plainMeta(t, c)))
	} else {
		lines = append(lines, " "+kit.Clip(meta(t, c), w-1))
	}
	if n := e.Mirror.Note(c, e.Now); n.Mark != kit.MarkNone {
		glyph, style := t.Mark(n.Mark)
		if selected {
			lines = append(lines, row(t.Plain, glyph+" "+n.Text))
		} else {
			lines = append(lines, " "+kit.Clip(style.Render(glyph)+" "+style.Render(n.Text), w-1))
		}
	}
	return lines
}

// meta is the second row: id, bot, priority, labels, comments.
func meta(t *kit.Theme, c *mirror.Card) string {
	var b strings.Builder
	b.WriteString(t.Faint.Render(kit.Short(c.ID)))
	part := func(style lipgloss.Style, text string) {
		if text != "" {
			b.WriteString(" " + style.Render(text))
		}
	}
	part(t.Dim, kit.Line(c.Bot))
	part(t.Warn, priority(t, c.Priority))
	for _, l := range c.Labels {
		part(t.Label, "#"+kit.Line(l))
	}
	if c.Assignee != "" {
		part(t.Dim, "@"+kit.Line(c.Assignee))
	}
	if c.Comments > 0 {
		part(t.Dim, fmt.Sprintf("%d%s", c.Comments, t.Glyph.Pen))
	}
	return b.String()
}

// plainMeta is meta in one style, for a row with a background of its own.
func plainMeta(t *kit.Theme, c *mirror.Card) string {
	bare := *t
	bare.Faint, bare.Dim, bare.Warn, bare.Label = t.Plain, t.Plain, t.Plain, t.Plain
	return meta(&bare, c)
}

func priority(t *kit.Theme, p int) string {
	switch {
	case p > 0:
		return fmt.Sprintf("%s%d", t.Glyph.Up, p)
	case p < 0:
		return fmt.Sprintf("%s%d", t.Glyph.Down, -p)
	}
	return ""
}
