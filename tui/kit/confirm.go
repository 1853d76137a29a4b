package kit

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Confirm asks before something that cannot be taken back. Only y says yes;
// enter, esc and every other key that closes it say no.
type Confirm struct {
	Ask   string
	Facts []string // what will happen, in the order to read it
	Yes   string   // the verb that y performs
	Do    func() tea.Cmd

	width int
}

// Title is the question.
func (c *Confirm) Title() string { return c.Ask }

// Resize keeps the width that facts wrap to.
func (c *Confirm) Resize(_ *Theme, w, _ int) { c.width = min(w, 64) }

// Update answers yes on y and no on the keys that people leave with.
func (c *Confirm) Update(k tea.KeyMsg) (bool, tea.Cmd) {
	switch k.String() {
	case "y", "Y":
		return true, c.Do()
	case "n", "N", "esc", "enter", "q", "ctrl+c":
		return true, nil
	}
	return false, nil
}

// Lines shows the facts.
func (c *Confirm) Lines(t *Theme) []string {
	lines := []string{""}
	for _, f := range c.Facts {
		lines = append(lines, Wrap(f, c.width)...)
	}
	return append(lines, "")
}

// Keys are the two answers.
func (c *Confirm) Keys() []key.Binding {
	return []key.Binding{Bind("y", c.Yes, "y"), Bind("n/enter", "no", "n", "enter")}
}
