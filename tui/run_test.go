package tui

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// stuck never comes back from its first message, as a suspension whose terminal
// was closed.
type stuck struct{ entered, leave chan struct{} }

func (stuck) Init() tea.Cmd { return func() tea.Msg { return struct{}{} } }

func (s stuck) Update(tea.Msg) (tea.Model, tea.Cmd) {
	select {
	case s.entered <- struct{}{}:
	default:
	}
	<-s.leave
	return s, tea.Quit
}

func (stuck) View() string { return "" }

func TestProgramThatCannotEndIsGivenUp(t *testing.T) {
	s := stuck{make(chan struct{}, 1), make(chan struct{})}
	defer close(s.leave)
	ctx, end := context.WithCancel(t.Context())
	p := tea.NewProgram(s, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutSignalHandler())
	told := make(chan error, 1)
	go func() { told <- sit(ctx, p, 50*time.Millisecond) }()
	<-s.entered
	end()
	select {
	case err := <-told:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it is waited for for ever")
	}
}
