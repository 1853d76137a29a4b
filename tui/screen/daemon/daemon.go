package daemon

import (
	"context"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// Screen is the page of the daemon.
type Screen struct {
	keys keyMap
	pg   kit.Pager

	rows  []row
	front bool

	at int    // index of the entry under the cursor in rows; -1: there is none
	id string // what that entry is about
}

// row is one line of the page: an entry that the cursor can rest on, or text.
type row struct {
	id    string // of the entry: what it is about and in which section
	issue string
	run   string
	draw  func(e *screen.Env, selected bool) string
}

// New makes the screen.
func New() *Screen { return &Screen{keys: keys(), at: -1} }

// Update takes a message.
func (s *Screen) Update(e *screen.Env, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Show:
		s.front = true
		s.settle(e)
	case screen.Hide:
		s.front = false
	case screen.Refreshed, screen.Resized:
		if s.front { // the page is made when it is looked at
			s.settle(e)
		}
	case screen.Click:
		if at := s.pg.Top + msg.Y; at < len(s.rows) && s.rows[at].id != "" {
			s.put(e, at)
		}
	case tea.KeyMsg:
		return s.key(e, msg)
	}
	return nil
}

// settle makes the page anew and finds the cursor's entry again.
func (s *Screen) settle(e *screen.Env) {
	was := s.at - s.pg.Top
	s.rows = page(e)
	at := slices.IndexFunc(s.rows, func(r row) bool { return r.id != "" && r.id == s.id })
	if at < 0 {
		at = s.near(s.at)
	} else if s.pg.Top > 0 {
		s.pg.Top = max(0, at-was)
	}
	s.put(e, at)
}

// near is the entry at a place or next to it, -1 when there is none.
func (s *Screen) near(at int) int {
	best := -1
	for i, r := range s.rows {
		if r.id != "" && (best < 0 || abs(i-at) < abs(best-at)) {
			best = i
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// put sets the cursor and scrolls by as little as shows it.
func (s *Screen) put(e *screen.Env, at int) {
	s.at, s.id = at, ""
	s.pg.Resize(e.Height, len(s.rows))
	if at < 0 {
		return
	}
	s.id = s.rows[at].id
	top := at
	for top > 0 && s.rows[top-1].id == "" && at-top < 2 { // the heading above the first entry
		top--
	}
	s.pg.Top = max(min(s.pg.Top, top), at-max(1, s.pg.Height)+1, 0)
}

// step moves the cursor over n entries, or the page where there are none that far.
func (s *Screen) step(e *screen.Env, k tea.KeyMsg, n int) {
	at := s.at
	for n != 0 && at >= 0 {
		next := at + sign(n)
		for next >= 0 && next < len(s.rows) && s.rows[next].id == "" {
			next += sign(n)
		}
		if next < 0 || next >= len(s.rows) {
			break
		}
		at, n = next, n-sign(n)
	}
	if at == s.at {
		s.pg.Update(k, false)
		return
	}
	s.put(e, at)
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

func (s *Screen) key(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "up", "k":
		s.step(e, k, -1)
	case "down", "j":
		s.step(e, k, 1)
	case "pgup", "ctrl+u", "ctrl+b", "g", "home":
		s.pg.Update(k, false)
		s.put(e, s.near(s.pg.Top))
	case "pgdown", "ctrl+d", "ctrl+f", " ", "G", "end":
		s.pg.Update(k, false)
		s.put(e, s.near(min(len(s.rows), s.pg.Top+s.pg.Height)-1))
	default:
		return s.act(e, k)
	}
	return nil
}

func (s *Screen) act(e *screen.Env, k tea.KeyMsg) tea.Cmd {
	var on row
	if s.at >= 0 && s.at < len(s.rows) {
		on = s.rows[s.at]
	}
	switch {
	case key.Matches(k, s.keys.leave):
		e.Place = &screen.Place{Back: true}
	case key.Matches(k, s.keys.reload):
		return reload(e)
	case key.Matches(k, s.keys.open) && on.issue != "":
		e.Go(screen.Card, on.issue)
	case (key.Matches(k, s.keys.open) || key.Matches(k, s.keys.run)) && on.run != "":
		e.Go(screen.Runs, on.run)
	case key.Matches(k, s.keys.run):
		e.Say(kit.MarkQuiet, "there is no run here")
	case key.Matches(k, s.keys.answer):
		return e.AskAnswer(e.Mirror.Run(on.run))
	case key.Matches(k, s.keys.cancel):
		e.AskCancelRun(on.run, e.Mirror.Run(on.run), titleOf(e, on.issue, ""))
	}
	return nil
}

// reload has the daemon read its settings again.
func reload(e *screen.Env) tea.Cmd {
	if !e.May() {
		return nil
	}
	by := control.By{By: e.By}
	return e.Do(func(ctx context.Context, src screen.Source) (string, error) {
		_, err := src.Reload(ctx, by)
		return "the settings were read again", err
	})
}
