package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
)

// boardMade is the end of making a board.
type boardMade struct{ err error }

// offerKey is a key while an empty folder is on offer to become a board.
func (m *root) offerKey(k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "y", "enter":
		if m.opts.Init == nil || m.env.ReadOnly {
			return nil
		}
		ctx, init := m.env.Ctx, m.opts.Init
		return func() tea.Msg { return boardMade{init(ctx)} }
	case "n", "q", "esc", "ctrl+c":
		return tea.Quit
	}
	return nil
}

func (m *root) boardMade(b boardMade) tea.Cmd {
	if b.err != nil {
		m.env.Say(kit.MarkBad, kit.Line(b.err.Error()))
		return nil
	}
	m.offering = false
	select {
	case m.again <- struct{}{}:
	default:
	}
	return nil
}

// offer is the first screen of an empty folder.
func (m *root) offer() []string {
	t := m.env.Theme
	key := func(k, does string) string { return t.Key.Render(k) + "  " + t.Plain.Render(does) }
	lines := []string{
		t.Strong.Render("There is no board in this folder yet."), "",
		t.Dim.Render("iterion keeps its board in .iterion here, as plain files."), "",
	}
	if m.opts.Init == nil || m.env.ReadOnly {
		return append(lines, "Run "+t.Key.Render("iterion init")+" to make one.", key("q", "quit"))
	}
	return append(lines, key("y", "make a board with a few example cards"), key("q", "quit"))
}
