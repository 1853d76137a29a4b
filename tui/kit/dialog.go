package kit

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Dialog is a question above a screen. While one is open it gets every key.
type Dialog interface {
	Title() string
	// Resize tells how many cells its content may take.
	Resize(t *Theme, w, h int)
	// Update takes a key; done closes the dialog.
	Update(k tea.KeyMsg) (done bool, cmd tea.Cmd)
	// Lines is the content, without a frame.
	Lines(t *Theme) []string
	Keys() []key.Binding
}

// Frame draws a dialog with its border, at most w by h cells.
func Frame(t *Theme, d Dialog, w, h int) []string {
	body := d.Lines(t)
	if w < 12 || h < 4 {
		return Box(append([]string{d.Title()}, body...), w, min(h, len(body)+1))
	}
	if len(body) > h-3 {
		body = body[:h-3]
	}
	inner := Width(d.Title()) + 4
	for _, l := range body {
		inner = max(inner, Width(l))
	}
	hints := t.Hints(d.Keys(), w-6)
	inner = min(max(inner, Width(hints)), w-4)
	return t.border(d.Title(), append(body, hints), inner)
}

// Frame draws a frame around lines, at most w cells wide.
func (t *Theme) Frame(title string, lines []string, w int) []string {
	inner := Width(title) + 4
	for _, l := range lines {
		inner = max(inner, Width(l))
	}
	return t.border(title, lines, max(1, min(inner, w-4)))
}

// border draws a rounded frame around lines, with a title in its top edge.
func (t *Theme) border(title string, lines []string, inner int) []string {
	g := t.Glyph
	edge := func(s string) string { return t.Accent.Render(s) }
	title = Clip(title, inner-2)
	rest := inner + 2 - Width(title) - 3
	out := []string{edge(g.TopLeft+g.HLine+" ") + t.Strong.Render(title) + edge(" "+Rule(g.HLine, rest)+g.TopRight)}
	for _, l := range lines {
		out = append(out, edge(g.VLine)+" "+Fit(l, inner)+" "+edge(g.VLine))
	}
	return append(out, edge(g.BottomLeft+Rule(g.HLine, inner+2)+g.BottomRight))
}

// Rule repeats a one-cell glyph n times.
func Rule(glyph string, n int) string {
	if n <= 0 {
		return ""
	}
	b := make([]byte, 0, n*len(glyph))
	for range n {
		b = append(b, glyph...)
	}
	return string(b)
}
