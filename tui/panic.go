package tui

import (
	"fmt"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// A panic ends the program like any other failure: the terminal is given back first,
// then the caller is told where it happened. What Bubble Tea would do by itself is to
// print the stack to the screen that it is about to leave.

func panicked(what string, r any) error {
	return fmt.Errorf("%s: panic: %v\n%s", what, r, debug.Stack())
}

// caught is deferred by Update. cmd is what it returns.
func (m *root) caught(what string, cmd *tea.Cmd) {
	if r := recover(); r != nil {
		m.failure = panicked(what, r)
		*cmd = tea.Quit
	}
}

// drawn is deferred by View, which cannot end the program: it has it told.
func (m *root) drawn(view *string) {
	if r := recover(); r != nil {
		*view = ""
		if m.failure == nil && m.fail != nil {
			m.failure = panicked("draw the screen", r)
			go m.fail(m.failure)
		}
	}
}

// guard makes a command, and those that it leads to, report a panic as a message.
func guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = broken{panicked("run a command", r)}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = guard(c)
			}
		}
		return msg
	}
}
