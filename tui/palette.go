package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// chosen is a key that was chosen by what it does.
type chosen struct{ key tea.KeyMsg }

// openPalette offers by name what keys do, and the way to any screen, card or run.
func (m *root) openPalette() {
	m.env.Open(kit.NewPalette("Go to, or do", m.find))
}

// find returns what can be done: the screens, then what the keys of this screen and
// of all screens do, then cards and runs, which are many and wait for a word.
func (m *root) find(words []string, max int) (out []kit.Command) {
	add := func(c kit.Command, texts ...string) {
		if len(out) < max && kit.Matches(words, append(texts, c.Name)...) {
			out = append(out, c)
		}
	}
	for i, name := range m.order {
		add(kit.Command{Name: name, Note: fmt.Sprintf("screen %d", i+1), Run: func() tea.Cmd { return m.jump(i) }})
	}
	for _, g := range append(m.screens[m.at].Help(m.env), m.keys.group()) {
		for _, b := range g.Keys {
			if press, ok := m.pressOf(b); ok && !key.Matches(press, m.keys.screens, m.keys.palette) {
				add(kit.Command{Name: b.Help().Desc, Note: b.Help().Key, Run: func() tea.Cmd {
					return func() tea.Msg { return chosen{press} } // once the palette is closed
				}})
			}
		}
	}
	if len(words) == 0 {
		return out
	}
	out = m.findCards(out, words, max)
	for _, r := range m.env.Mirror.Runs() {
		add(kit.Command{Name: "run " + kit.ShortRun(r.ID), Note: kit.Line(r.Bot) + " " + mirror.RunNote(r, m.env.Now).Text, Run: func() tea.Cmd {
			m.env.Go(screen.Runs, r.ID)
			return nil
		}}, r.ID, r.Name, r.Bot)
	}
	return out
}

// findCards adds the cards that hold the words: those that hold them in one piece first.
func (m *root) findCards(out []kit.Command, words []string, max int) []kit.Command {
	phrase := []string{strings.Join(words, " ")}
	for _, whole := range []bool{true, false} {
		for _, col := range m.env.Mirror.Columns {
			for _, c := range col.Cards {
				if len(out) == max {
					return out
				}
				if whole && c.Match(phrase) || !whole && len(words) > 1 && c.Match(words) && !c.Match(phrase) {
					out = append(out, m.cardCommand(c, kit.Line(col.Title())))
				}
			}
		}
	}
	return out
}

func (m *root) cardCommand(c *mirror.Card, column string) kit.Command {
	return kit.Command{Name: kit.Line(c.Title), Note: kit.Short(c.ID) + " in " + column, Run: func() tea.Cmd {
		m.env.Go(screen.Card, c.ID)
		return nil
	}}
}

// pressOf is the message of a binding's first key; ok is false for one that has
// none or that only means something while it is held to look around.
func (m *root) pressOf(b key.Binding) (k tea.KeyMsg, ok bool) {
	if len(b.Keys()) == 0 || !b.Enabled() {
		return k, false
	}
	name := b.Keys()[0]
	if t, ok := m.named[name]; ok {
		return tea.KeyMsg{Type: t}, true
	}
	if len([]rune(name)) == 1 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}, true
	}
	if alt, ok := strings.CutPrefix(name, "alt+"); ok && len([]rune(alt)) == 1 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(alt), Alt: true}, true
	}
	return k, false
}

// keyTypes are the keys that have a name instead of a character.
func keyTypes() map[string]tea.KeyType {
	named := map[string]tea.KeyType{}
	for t := tea.KeyType(-128); t < 128; t++ {
		if name := (tea.KeyMsg{Type: t}).String(); name != "" && t != tea.KeyRunes {
			named[name] = t
		}
	}
	return named
}
