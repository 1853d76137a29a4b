package tui

import (
	_ "a.iterion/quiet" // before Bubble Tea's init, which would query the terminal
	_ "github.com/charmbracelet/bubbletea"
)
