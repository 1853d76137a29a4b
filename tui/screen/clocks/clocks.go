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

	onTicks bool // the cursor is among the ticks
	at, to  place
}

// place is a cursor in a list, held by what it rests on.
type place struct {
	id string
	at int
	pg kit.Pager
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
		s.click(e, msg)
	case tea.KeyMsg:
		return s.key(e, msg)
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
	top, bottom := s.heights(e)
	s.at.settle(top, len(s.rows), func(i int) string { return s.rows[i].ID })
	s.to.settle(bottom, len(s.ticks), func(i int) string { return s.ticks[i].Key() })
}

func (p *place) settle(height, n int, id func(i int) string) {
	was := p.at
	for i := range n {
		if p.id != "" && id(i) == p.id {
			p.at = i
			break
		}
	}
	p.at = max(0, min(p.at, n-1))
	if p.pg.Top > 0 {
		p.pg.Top += p.at - was // the cursor stays on its row
	}
	p.reveal(height, n)
	if p.id == "" && n > 0 && p.at > 0 || p.at < n && p.id != "" {
		p.id = id(p.at)
	}
}

func (p *place) reveal(height, n int) {
	p.pg.Resize(height, n)
	p.pg.Top = max(min(p.pg.Top, p.at), p.at-max(1, p.pg.Height)+1, 0)
}

// step moves the cursor of the pane in front.
func (s *Screen) step(by int) {
	p, n := &s.at, len(s.rows)
	if s.onTicks {
		p, n = &s.to, len(s.ticks)
	}
	if n == 0 {
		return
	}
	p.at = max(0, min(p.at+by, n-1))
	p.reveal(p.pg.Height, n)
	if s.onTicks {
		p.id = s.ticks[p.at].Key()
	} else {
		p.id = s.rows[p.at].ID
	}
}

func (s *Screen) key(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	page := max(1, s.at.pg.Height-1)
	if s.onTicks {
		page = max(1, s.to.pg.Height-1)
	}
	switch k.String() {
	case "up", "k":
		s.step(-1)
	case "down", "j":
		s.step(1)
	case "pgup", "ctrl+u", "ctrl+b":
		s.step(-page)
	case "pgdown", "ctrl+d", "ctrl+f", " ":
		s.step(page)
	case "g", "home":
		s.step(-1 << 30)
	case "G", "end":
		s.step(1 << 30)
	default:
		return s.act(e, k)
	}
	return nil
}

func (s *Screen) act(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, s.keys.leave):
		e.Place = &screen.Place{Back: true}
	case key.Matches(k, s.keys.left):
		s.onTicks = false
	case key.Matches(k, s.keys.right):
		s.onTicks = len(s.ticks) > 0
	case s.onTicks:
		if s.to.at < len(s.ticks) {
			s.onTick(e, k, s.ticks[s.to.at])
		}
	case s.at.at < len(s.rows):
		return s.onRow(e, k, s.rows[s.at.at])
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
