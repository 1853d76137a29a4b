package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/kit"
)

// frames is how often the renderer may draw in a second.
const frames = 120

// stopTime bounds the stop of a daemon that the sitting owns.
const stopTime = 10 * time.Second

// Run shows the screen until the person leaves, ctx ends, or the terminal goes
// away. The terminal is as it was when Run returns, and a daemon that the sitting
// owns is stopped.
func Run(ctx context.Context, o Options) error {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	theme := kit.NewTheme(look(o.In, o.Out, o.Getenv, o.NoColor))
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // the terminal was closed
	defer stop()
	sitting, end := context.WithCancel(ctx)
	defer end()
	again := make(chan struct{}, 1)
	m := newRoot(sitting, o, theme, again, time.Now)
	p := tea.NewProgram(m, tea.WithContext(sitting), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithAltScreen(), tea.WithFPS(frames))

	fed := make(chan struct{})
	go func() {
		defer close(fed)
		feed(sitting, o.Connect, again, p.Send)
	}()
	_, err := p.Run()
	end()
	<-fed
	return errors.Join(outcome(ctx, m, err), stopDaemon(m))
}

// outcome is how the program ended, in terms of the caller: being told to end is
// no error.
func outcome(ctx context.Context, m *root, err error) error {
	switch {
	case m.failure != nil:
		return m.failure
	case err == nil, ctx.Err() != nil:
		return nil
	}
	return fmt.Errorf("run the screen: %w", err)
}

// stopDaemon ends the daemon that the sitting owns, after the terminal was given
// back. It does not heed the end of the sitting.
func stopDaemon(m *root) error {
	if !m.owns() || m.opts.StopDaemon == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := m.opts.StopDaemon(ctx, m.cancelRuns); err != nil {
		return fmt.Errorf("stop the daemon: %w", err)
	}
	return nil
}
