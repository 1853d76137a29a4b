package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
	"iterion/tui/screen"
	"iterion/tui/screen/board"
	"iterion/tui/screen/card"
)

// keyMap are the keys that work on every screen.
type keyMap struct {
	screens, tab, backTab, palette, pause, refresh, undo, mouse, help, quit, interrupt, suspend key.Binding
}

func keys() keyMap {
	return keyMap{
		screens: kit.Bind("1-6", "board, card, runs, clocks, triggers, daemon", "1", "2", "3", "4", "5", "6"),
		tab:     kit.Bind("tab", "next screen", "tab"), backTab: kit.Bind("shift+tab", "screen before", "shift+tab"),
		palette: kit.Bind(":", "find by name", ":"),
		pause:   kit.Bind("p", "pause or resume dispatch", "p"), refresh: kit.Bind("r", "look for work now", "r"),
		undo:  kit.Bind("u", "take back what you did last", "u"),
		mouse: kit.Bind("M", "the mouse selects text, or clicks", "M"),
		help:  kit.Bind("?", "help", "?"), quit: kit.Bind("q", "quit", "q"),
		interrupt: kit.Bind("ctrl+c", "quit", "ctrl+c"), suspend: kit.Bind("ctrl+z", "to the shell; fg comes back", "ctrl+z"),
	}
}

func (k keyMap) group() kit.Group {
	return kit.Group{Title: "Everywhere", Keys: []key.Binding{k.screens, k.tab, k.palette, k.pause, k.refresh, k.undo, k.mouse, k.help, k.quit, k.suspend}}
}

// everywhere takes a key that works on every screen; ok tells whether it was one.
func (m *root) everywhere(k tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	switch {
	case key.Matches(k, m.keys.screens):
		return m.jump(int(k.String()[0] - '1')), true
	case key.Matches(k, m.keys.tab):
		return m.jump((m.index() + 1) % len(m.order)), true
	case key.Matches(k, m.keys.backTab):
		return m.jump((m.index() + len(m.order) - 1) % len(m.order)), true
	case key.Matches(k, m.keys.palette):
		m.openPalette()
		return nil, true
	case key.Matches(k, m.keys.pause):
		return m.env.AskPause(), true
	case key.Matches(k, m.keys.refresh):
		return m.refresh(), true
	case key.Matches(k, m.keys.undo):
		return m.env.TakeBack(), true
	case key.Matches(k, m.keys.mouse):
		return m.toggleMouse(), true
	case key.Matches(k, m.keys.help):
		m.openHelp()
		return nil, true
	case key.Matches(k, m.keys.quit), key.Matches(k, m.keys.interrupt):
		return m.quit(), true
	}
	return nil, false
}

// refresh asks the daemon to look for work, or the feed to try again.
func (m *root) refresh() tea.Cmd {
	if m.link.lost != nil {
		select {
		case m.again <- struct{}{}:
		default:
		}
		return nil
	}
	return m.env.DoRefresh()
}

func (m *root) index() int {
	for i, name := range m.order {
		if name == m.at {
			return i
		}
	}
	return 0
}

// jump brings a screen to the front by its place in the order. The card screen
// shows the card that the board's cursor is on when it has none of its own yet.
func (m *root) jump(i int) tea.Cmd {
	if i < 0 || i >= len(m.order) {
		return nil
	}
	p := screen.Place{Name: m.order[i]}
	if p.Name == screen.Card && (m.at == screen.Board || m.screens[screen.Card].(*card.Screen).Shows() == "") {
		if c := m.screens[screen.Board].(*board.Screen).Selected(m.env); c != nil {
			p.ID = c.ID
		}
	}
	m.env.Place = &p
	return nil
}
