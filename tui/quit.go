package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
)

// quit leaves, asking only where leaving stops a daemon with running bots.
func (m *root) quit() tea.Cmd {
	live := m.env.Mirror.LiveRuns()
	if !m.owns() || live == 0 {
		return tea.Quit
	}
	m.env.Open(&kit.Picker{
		Ask: fmt.Sprintf("Leaving stops the daemon. %s", running(live)),
		Items: []kit.Item{
			{Name: "stay"},
			{Name: "leave, keep them running", Note: "they finish; the next daemon settles their cards"},
			{Name: "leave, cancel them", Note: "their cards are held"},
		},
		Pick: func(i int) tea.Cmd {
			if i == 0 {
				return nil
			}
			m.cancelRuns = i == 2
			return tea.Quit
		},
	})
	return nil
}

func running(n int) string {
	if n == 1 {
		return "1 bot is running."
	}
	return fmt.Sprintf("%d bots are running.", n)
}

// owns reports whether leaving stops the daemon.
func (m *root) owns() bool { return m.opts.OwnsDaemon != nil && m.opts.OwnsDaemon() }
