package clocks

import (
	"context"
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/sched/gate"
	"iterion/sched/resident"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// ticksMax is how many records of the tick audit are held.
const ticksMax = 300

// askEvery is how often the daemon is asked while the screen is in front.
const askEvery = time.Second

// Screen is the page of the clocks.
type Screen struct {
	keys  keyMap
	front bool

	rows  []resident.Row
	ticks []gate.Record // newest first
	last  map[string][]gate.Decision
	err   error
	known bool // a first answer has come
	busy  bool // a request is under way
	asked time.Time

	panes kit.Panes // of the schedules, and below them of the ticks
}

// New makes the screen.
func New() *Screen { return &Screen{keys: keys(), last: map[string][]gate.Decision{}} }

// fetched brings the schedules and the newest ticks.
type fetched struct {
	rows  []resident.Row
	ticks []gate.Record
	err   error
}

// Update takes a message.
func (s *Screen) Update(e *screen.Env, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Show:
		s.front, s.asked = true, time.Time{}
		return s.ask(e)
	case screen.Hide:
		s.front = false
	case screen.Refreshed:
		return s.ask(e)
	case screen.Resized:
		s.settle(e)
	case screen.Done:
		s.asked = time.Time{} // something may have been done to a clock
		return s.ask(e)
	case fetched:
		s.take(e, msg)
	case screen.Click:
		s.panes.Click(msg.Y)
	case tea.KeyMsg:
		if !s.panes.Key(msg.String()) {
			return s.act(e, msg)
		}
	}
	return nil
}

// ask asks for what is new, at its pace.
func (s *Screen) ask(e *screen.Env) tea.Cmd {
	if !s.front || s.busy || e.Now.Sub(s.asked) < askEvery {
		return nil
	}
	cmd := e.Fetch(func(ctx context.Context, src screen.Source) tea.Msg {
		rows, err := src.Schedules(ctx)
		if err != nil {
			return fetched{err: err}
		}
		var ticks []gate.Record
		err = src.Ticks(ctx, control.TickQuery{Tail: ticksMax}, func(r gate.Record) error {
			ticks = append(ticks, r)
			return nil
		})
		slices.Reverse(ticks)
		return fetched{rows: rows, ticks: ticks, err: err}
	})
	s.busy, s.asked = cmd != nil, e.Now
	return cmd
}

func (s *Screen) take(e *screen.Env, m fetched) {
	s.busy, s.err = false, m.err
	if m.err != nil {
		return
	}
	s.known, s.rows, s.ticks = true, m.rows, m.ticks
	s.last = map[string][]gate.Decision{}
	for _, r := range m.ticks {
		s.last[r.ScheduleID] = append(s.last[r.ScheduleID], r.Decision)
	}
	s.settle(e)
}

// settle finds what the cursors rest on again.
func (s *Screen) settle(e *screen.Env) {
	s.panes.Upper = kit.Elements{N: len(s.rows), ID: func(i int) string { return s.rows[i].ID }}
	s.panes.Lower = kit.Elements{N: len(s.ticks), ID: func(i int) string { return s.ticks[i].Key() }}
	s.panes.Settle(e.Height)
}

func (s *Screen) act(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, s.keys.leave):
		e.Place = &screen.Place{Back: true}
	case key.Matches(k, s.keys.left):
		s.panes.InLower = false
	case key.Matches(k, s.keys.right):
		s.panes.InLower = len(s.ticks) > 0
	case s.panes.At() < 0:
	case s.panes.InLower:
		s.onTick(e, k, s.ticks[s.panes.At()])
	default:
		return s.onRow(e, k, s.rows[s.panes.At()])
	}
	return nil
}

func (s *Screen) onTick(e *screen.Env, k tea.KeyMsg, r gate.Record) {
	switch {
	case key.Matches(k, s.keys.open):
		e.Open(s.explainTick(e, r))
	case key.Matches(k, s.keys.run):
		openRun(e, r.RunID, r.BlockingRunID)
	case key.Matches(k, s.keys.cancel):
		cancelRun(e, r.BlockingRunID, r.RunID)
	}
}

func (s *Screen) onRow(e *screen.Env, k tea.KeyMsg, r resident.Row) tea.Cmd {
	switch {
	case key.Matches(k, s.keys.open):
		e.Open(s.explainRow(e, r))
	case key.Matches(k, s.keys.now):
		return runNow(e, r.ID)
	case key.Matches(k, s.keys.toggle):
		return toggle(e, r)
	case key.Matches(k, s.keys.run):
		openRun(e, runOf(r), r.Blocking)
	case key.Matches(k, s.keys.cancel):
		cancelRun(e, r.Blocking, runOf(r))
	}
	return nil
}

// runOf is the run that a schedule started last, as far as is known.
func runOf(r resident.Row) string {
	if r.Last == nil {
		return ""
	}
	return r.Last.RunID
}
