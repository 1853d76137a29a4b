package kit

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Text is something to read above a screen. It is laid out for the room that it has.
type Text struct {
	Ask  string // the title
	Body []Para
	// Then are keys that close it and do something.
	Then []Then

	lines []string
	pg    Pager
}

// Para is a piece of a Text: a named fact, or a sentence.
type Para struct {
	Name string // dim, in front; empty: a sentence
	Text string // clean
	Mark Mark
}

// Then is a key that leads on from a Text.
type Then struct {
	Key key.Binding
	Do  func() tea.Cmd
}

// Fact adds a named fact, unless there is nothing to say.
func (d *Text) Fact(name, text string) {
	if text != "" {
		d.Body = append(d.Body, Para{Name: name, Text: text})
	}
}

// Title is the title.
func (d *Text) Title() string { return d.Ask }

// Resize lays the text out.
func (d *Text) Resize(t *Theme, w, h int) {
	w = max(1, min(w, 100))
	name := 0
	for _, p := range d.Body {
		name = max(name, Width(p.Name))
	}
	d.lines = d.lines[:0]
	for _, p := range d.Body {
		d.lines = append(d.lines, p.lines(t, name, w)...)
	}
	d.pg.Resize(max(1, h-1), len(d.lines))
}

func (p Para) lines(t *Theme, name, w int) (out []string) {
	lead, indent := "", ""
	if p.Name != "" {
		lead, indent = t.Dim.Render(Fit(p.Name, name))+"  ", Fit("", name+2)
	}
	if p.Mark != MarkNone {
		glyph, style := t.Mark(p.Mark)
		lead, indent = lead+style.Render(glyph)+" ", indent+"  "
	}
	pieces := []string{""}
	for i, l := range Lines(p.Text) {
		if i == 0 {
			pieces = nil
		}
		pieces = append(pieces, Wrap(l, max(1, w-Width(indent)))...)
	}
	for i, l := range pieces {
		if i > 0 {
			lead = indent
		}
		out = append(out, lead+l)
	}
	return out
}

// Update scrolls; a key of Then closes it and leads on, any other that means nothing
// closes it.
func (d *Text) Update(k tea.KeyMsg) (bool, tea.Cmd) {
	for _, th := range d.Then {
		if key.Matches(k, th.Key) {
			return true, th.Do()
		}
	}
	return !d.pg.Update(k, false), nil
}

// Lines is the part in sight.
func (d *Text) Lines(*Theme) []string {
	from, to := d.pg.Window()
	return d.lines[from:to]
}

// Keys are the ways on.
func (d *Text) Keys() (keys []key.Binding) {
	for _, th := range d.Then {
		keys = append(keys, th.Key)
	}
	return append(keys, Bind("↑↓", "scroll", "up", "down"), Bind("esc", "back", "esc"))
}
