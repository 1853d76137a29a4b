package triggers

import (
	"context"
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/sched/trigger"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// askEvery is how often the daemon is asked while the screen is in front.
const askEvery = time.Second

// Screen is the page of the triggers.
type Screen struct {
	keys  keyMap
	front bool

	subs     []trigger.Subscription
	problems []string
	effects  []trigger.Effect // failed ones first, then the newest
	err      error
	known    bool // a first answer has come
	busy     bool // a request is under way
	asked    time.Time

	panes kit.Panes // of the subscriptions, and below them of the effects
}

// New makes the screen.
func New() *Screen { return &Screen{keys: keys()} }

// fetched brings the subscriptions and the effects.
type fetched struct {
	subs    control.Subscriptions
	effects []trigger.Effect
	err     error
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
		s.asked = time.Time{}
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
		subs, err := src.Subscriptions(ctx)
		if err != nil {
			return fetched{err: err}
		}
		effects, err := src.Effects(ctx)
		return fetched{subs: subs, effects: effects, err: err}
	})
	s.busy, s.asked = cmd != nil, e.Now
	return cmd
}

func (s *Screen) take(e *screen.Env, m fetched) {
	s.busy, s.err = false, m.err
	if m.err != nil {
		return
	}
	s.known, s.problems, s.effects = true, m.subs.Problems, m.effects
	s.subs = slices.DeleteFunc(m.subs.All, func(sub trigger.Subscription) bool { return sub.Clock() }) // they have a screen
	s.settle(e)
}

// settle finds what the cursors rest on again.
func (s *Screen) settle(e *screen.Env) {
	s.panes.Upper = kit.Elements{N: len(s.subs), ID: func(i int) string { return s.subs[i].ID }}
	s.panes.Lower = kit.Elements{N: len(s.effects), ID: func(i int) string { return s.effects[i].ID }}
	s.panes.Settle(e.Height)
}

func (s *Screen) act(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, s.keys.leave):
		e.Place = &screen.Place{Back: true}
	case key.Matches(k, s.keys.left):
		s.panes.InLower = false
	case key.Matches(k, s.keys.right):
		s.panes.InLower = len(s.effects) > 0
	case s.panes.At() < 0:
	case s.panes.InLower:
		return s.onEffect(e, k, s.effects[s.panes.At()])
	default:
		return s.onSub(e, k, s.subs[s.panes.At()])
	}
	return nil
}

func (s *Screen) onSub(e *screen.Env, k tea.KeyMsg, sub trigger.Subscription) tea.Cmd {
	switch {
	case key.Matches(k, s.keys.open):
		e.Open(explainSub(sub))
	case key.Matches(k, s.keys.toggle):
		return toggle(e, sub)
	}
	return nil
}

func (s *Screen) onEffect(e *screen.Env, k tea.KeyMsg, ef trigger.Effect) tea.Cmd {
	switch {
	case key.Matches(k, s.keys.open):
		e.Open(s.explainEffect(e, ef))
	case key.Matches(k, s.keys.retry):
		return retry(e, ef)
	case key.Matches(k, s.keys.drop):
		askDrop(e, ef)
	case key.Matches(k, s.keys.run):
		openRun(e, ef)
	case key.Matches(k, s.keys.card):
		openCard(e, ef)
	}
	return nil
}
