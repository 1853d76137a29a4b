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

// giveUpTime is how long the program may take to end once it was told to.
const giveUpTime = 10 * time.Second

// stopTime bounds the stop of a daemon that the sitting owns.
const stopTime = 10 * time.Second

// Run shows the screen until the person leaves, ctx ends, or the terminal goes
// away. The terminal is as it was when Run returns, and a daemon that the sitting
// owns is stopped.
func Run(ctx context.Context, o Options) error { return show(ctx, o, func(*root) {}) }

// show is Run; prepare may change the model before it is shown.
func show(ctx context.Context, o Options, prepare func(*root)) error {
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
	p := tea.NewProgram(m, tea.WithContext(sitting), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithFPS(frames))

	m.fail = func(err error) { p.Send(broken{err}) }
	prepare(m)
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		feed(sitting, o.Connect, again, p.Send)
	}()
	err := sit(ctx, p, giveUpTime)
	end()
	<-fed
	return errors.Join(outcome(ctx, m, err), stopDaemon(m))
}

// sit waits for the program's end. When the terminal of a suspended screen is
// closed, Bubble Tea may never come back from the suspension. Nothing is left to
// restore then, so a program that was told to end and does not is given up.
func sit(ctx context.Context, p *tea.Program, patience time.Duration) error {
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		return ctx.Err()
	}
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
