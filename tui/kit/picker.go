package kit

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Item is one choice of a Picker.
type Item struct {
	Name string
	Note string // dim, behind the name
}

// Picker chooses one of a few items.
type Picker struct {
	Ask   string
	Items []Item
	At    int // the item under the cursor
	Pick  func(i int) tea.Cmd

	width, height int
}

// Title is the question.
func (p *Picker) Title() string { return p.Ask }

// Resize keeps how many items are visible.
func (p *Picker) Resize(_ *Theme, w, h int) { p.width, p.height = w, max(1, h) }

// Update moves the cursor; enter or an item's number picks.
func (p *Picker) Update(k tea.KeyMsg) (bool, tea.Cmd) {
	switch s := k.String(); s {
	case "up", "k":
		p.At = max(0, p.At-1)
	case "down", "j":
		p.At = min(len(p.Items)-1, p.At+1)
	case "esc", "q", "ctrl+c":
		return true, nil
	case "enter":
		return true, p.pick(p.At)
	default:
		if n, err := strconv.Atoi(s); err == nil && n >= 1 && n <= len(p.Items) {
			return true, p.pick(n - 1)
		}
	}
	return false, nil
}

func (p *Picker) pick(i int) tea.Cmd {
	if i < 0 || i >= len(p.Items) {
		return nil
	}
	return p.Pick(i)
}

// Lines shows the items around the cursor.
func (p *Picker) Lines(t *Theme) []string {
	name, notes := 0, 0
	for _, it := range p.Items {
		name = max(name, Width(it.Name))
		if it.Note != "" {
			notes = max(notes, min(Width(it.Note), p.width/3))
		}
	}
	name = min(name, p.width-notes-5)
	from := max(0, min(p.At-p.height/2, len(p.Items)-p.height))
	var lines []string
	for i := from; i < min(len(p.Items), from+p.height); i++ {
		lines = append(lines, p.row(t, i, name))
	}
	return lines
}

func (p *Picker) row(t *Theme, i, name int) string {
	it := p.Items[i]
	number := " "
	if i < 9 {
		number = strconv.Itoa(i + 1)
	}
	text, note := Fit(it.Name, name), Clip(it.Note, p.width-name-5)
	if i == p.At {
		return t.Accent.Render(t.Glyph.Bar) + t.Key.Render(number) + " " + t.Strong.Render(text) + "  " + t.Dim.Render(note)
	}
	return " " + t.Faint.Render(number) + " " + text + "  " + t.Dim.Render(note)
}

// Keys are the ways to pick.
func (p *Picker) Keys() []key.Binding {
	return []key.Binding{Bind("enter", "choose", "enter"), Bind("↑↓", "move", "up", "down"), Bind("esc", "back", "esc")}
}
