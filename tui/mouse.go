package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"iterion/tui/kit"
	"iterion/tui/screen"
)

// mouse takes what the mouse does: the wheel is the arrow keys, a click on the header
// is the screen of that name, and a click below belongs to the screen.
func (m *root) mouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case msg.Action != tea.MouseActionPress:
		return nil
	case msg.Button == tea.MouseButtonWheelUp:
		return m.wheel(tea.KeyUp)
	case msg.Button == tea.MouseButtonWheelDown:
		return m.wheel(tea.KeyDown)
	case msg.Button != tea.MouseButtonLeft || m.dialog != nil || m.help != nil || m.offering || !m.env.Mirror.Ready:
		return nil
	case msg.Y == 0:
		return m.clickTab(msg.X)
	}
	y := msg.Y - 1 - len(m.banners())
	if y < 0 || y >= m.bodyRows() || m.screens[m.at].Typing() {
		return nil
	}
	return m.screens[m.at].Update(m.env, screen.Click{X: msg.X, Y: y})
}

// wheel scrolls what is in front. In a form the arrows mean fields, and turning the
// wheel means nothing.
func (m *root) wheel(k tea.KeyType) tea.Cmd {
	if _, form := m.dialog.(*kit.Form); form || m.offering {
		return nil
	}
	return m.press(tea.KeyMsg{Type: k})
}

// clickTab brings the screen to the front whose name is at x.
func (m *root) clickTab(x int) tea.Cmd {
	header, at := ansi.Strip(m.header()), 0
	short := !strings.Contains(header, ansi.Strip(m.tabs(false)))
	if tabs := ansi.Strip(m.tabs(short)); strings.Contains(header, tabs) {
		at = kit.Width(header[:strings.Index(header, tabs)])
	}
	for i, name := range m.order {
		w := 1 + kit.Width(m.tab(i, name, short))
		if x >= at && x < at+w {
			return m.jump(i)
		}
		at += w
	}
	return nil
}

// toggleMouse gives the mouse to the terminal, so that text can be selected, or takes
// it back.
func (m *root) toggleMouse() tea.Cmd {
	m.noMouse = !m.noMouse
	if m.noMouse {
		m.env.Say(kit.MarkQuiet, "the mouse selects text now; M gives it back to the screen")
		return tea.DisableMouse
	}
	m.env.Say(kit.MarkQuiet, "the mouse clicks and scrolls")
	return tea.EnableMouseCellMotion
}
