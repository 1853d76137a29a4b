package board

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// titleRows is how many rows a title may take.
const titleRows = 2

// height is the rows that a card takes in a column of width w, the blank one
// after it included.
func height(e *screen.Env, c *mirror.Card, w int) int {
	rows := len(titleLines(c, w)) + 2
	if e.Mirror.Note(c, e.Now).Mark != kit.MarkNone {
		rows++
	}
	return rows
}

func titleLines(c *mirror.Card, w int) []string {
	lines := kit.Wrap(kit.Line(c.Title), w-1)
	if len(lines) <= titleRows {
		return lines
	}
	last := strings.Join(lines[titleRows-1:], " ")
	return append(lines[:titleRows-1:titleRows-1], kit.Clip(last, w-1))
}

// drawCard draws a card: title; id, bot, priority and labels; where it stands.
func drawCard(e *screen.Env, c *mirror.Card, w int, selected, marked bool) []string {
	if selected {
		return drawSelected(e, c, w, marked)
	}
	t := e.Theme
	lead := " "
	if marked {
		lead = t.Accent.Render(t.Glyph.Marked)
	}
	var lines []string
	for _, l := range titleLines(c, w) {
		lines = append(lines, lead+l)
	}
	lines = append(lines, " "+kit.Clip(meta(t, c), w-1))
	if n := e.Mirror.Note(c, e.Now); n.Mark != kit.MarkNone {
		glyph, style := t.Mark(n.Mark)
		lines = append(lines, " "+style.Render(kit.Clip(glyph+" "+n.Text, w-1)))
	}
	return lines
}

// drawSelected is drawCard for the card under the cursor: a bar at its side, and
// a background in one piece, which colours inside would break up.
func drawSelected(e *screen.Env, c *mirror.Card, w int, marked bool) []string {
	t, lead := e.Theme, e.Theme.Glyph.Bar
	if marked {
		lead = t.Glyph.Marked
	}
	row := func(style lipgloss.Style, text string) string {
		return t.Accent.Render(lead) + style.Render(kit.Fit(text, w-1))
	}
	var lines []string
	for _, l := range titleLines(c, w) {
		lines = append(lines, row(t.Select.Bold(true), l))
	}
	lines = append(lines, row(t.Select, plainMeta(t, c)))
	if n := e.Mirror.Note(c, e.Now); n.Mark != kit.MarkNone {
		glyph, _ := t.Mark(n.Mark)
		lines = append(lines, row(t.Select, glyph+" "+n.Text))
	}
	return lines
}

// part is a piece of a card's second row.
type part struct {
	text  string
	style lipgloss.Style
}

// parts are the pieces of the second row: id, bot, priority, labels, assignee,
// comments.
func parts(t *kit.Theme, c *mirror.Card) []part {
	out := []part{{kit.Short(c.ID), t.Faint}}
	add := func(text string, style lipgloss.Style) {
		if text != "" {
			out = append(out, part{text, style})
		}
	}
	add(kit.Line(c.Bot), t.Dim)
	add(priority(t, c.Priority), t.Warn)
	for _, l := range c.Labels {
		add("#"+kit.Line(l), t.Label)
	}
	if c.Assignee != "" {
		add("@"+kit.Line(c.Assignee), t.Dim)
	}
	if c.Comments > 0 {
		add(fmt.Sprintf("%d%s", c.Comments, t.Glyph.Pen), t.Dim)
	}
	return out
}

// meta is the second row in its colours.
func meta(t *kit.Theme, c *mirror.Card) string {
	var words []string
	for _, p := range parts(t, c) {
		words = append(words, p.style.Render(p.text))
	}
	return strings.Join(words, " ")
}

// plainMeta is the second row for a row with a background of its own.
func plainMeta(t *kit.Theme, c *mirror.Card) string {
	var words []string
	for _, p := range parts(t, c) {
		words = append(words, p.text)
	}
	return strings.Join(words, " ")
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
