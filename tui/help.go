package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
)

// helpPage is the open help: the bindings of a screen and of all screens, made from
// the bindings themselves. A slash looks for a word among them.
type helpPage struct {
	groups []kit.Group
	lines  []string
	pg     kit.Pager
	typing bool
	input  textinput.Model
}

func (m *root) openHelp() {
	in := textinput.New()
	in.Prompt = ""
	in.Cursor.SetMode(cursor.CursorStatic)
	in.Cursor.Style, in.TextStyle = m.env.Theme.Plain.Reverse(true), m.env.Theme.Plain
	m.help = &helpPage{groups: append(m.screens[m.at].Help(m.env), m.keys.group()), input: in}
	m.fitHelp()
}

// fitHelp lays the help out for the window and for what is looked for.
func (m *root) fitHelp() {
	h := m.help
	w := max(1, min(m.width-8, 110))
	h.lines = m.env.Theme.Help(h.found(), w)
	if len(h.lines) == 0 {
		h.lines = []string{m.env.Theme.Dim.Render("no key does that")}
	}
	rows := m.dialogRows()
	if h.asks() {
		rows--
	}
	h.pg.Resize(max(1, rows), len(h.lines))
}

// asks reports whether the line that looks for a word is shown.
func (h *helpPage) asks() bool { return h.typing || h.input.Value() != "" }

// found are the groups, with the bindings that the words are about.
func (h *helpPage) found() (out []kit.Group) {
	words := strings.Fields(strings.ToLower(h.input.Value()))
	for _, g := range h.groups {
		var keys []key.Binding
		for _, b := range g.Keys {
			if kit.Matches(words, b.Help().Key, b.Help().Desc, g.Title) {
				keys = append(keys, b)
			}
		}
		if len(keys) > 0 {
			out = append(out, kit.Group{Title: g.Title, Keys: keys})
		}
	}
	return out
}

// helpKey is a key while the help is open: one that means nothing here closes it.
func (m *root) helpKey(k tea.KeyMsg) {
	h := m.help
	switch {
	case h.typing:
		m.helpText(k)
	case k.String() == "/":
		h.typing = true
		h.input.Focus()
	case k.String() == "esc" && h.asks():
		h.input.SetValue("")
	case !h.pg.Update(k, false):
		m.help = nil
		return
	}
	m.fitHelp()
}

func (m *root) helpText(k tea.KeyMsg) {
	h := m.help
	switch k.String() {
	case "enter":
		h.typing = false
	case "esc", "ctrl+c":
		h.typing = false
		h.input.SetValue("")
	default:
		h.input, _ = h.input.Update(k)
		h.pg.Top = 0
	}
}

func (h *helpPage) title(name string) string { return fmt.Sprintf("Keys of the %s", name) }

// hints are the keys of the help itself.
func (h *helpPage) hints(t *kit.Theme, w int) string {
	if h.typing {
		return t.Hints([]key.Binding{kit.Bind("enter", "keep"), kit.Bind("esc", "all keys")}, w-4)
	}
	keys := []key.Binding{kit.Bind("/", "find a key"), kit.Bind("esc", "back")}
	if h.pg.Len > h.pg.Height {
		keys = append(keys, kit.Bind("↑↓", "scroll"))
	}
	return t.Hints(keys, w-4)
}

// view is the content of the help's frame.
func (h *helpPage) view(t *kit.Theme, w int) []string {
	from, to := h.pg.Window()
	lines := append(slices.Clone(h.lines[from:to]), h.hints(t, w))
	if !h.asks() {
		return lines
	}
	ask := t.Key.Render("/") + kit.Line(h.input.Value())
	if h.typing {
		in := h.input
		in.Width = max(1, w-8)
		ask = t.Key.Render("/") + kit.Typed(in.View())
	}
	return append([]string{ask}, lines...)
}
