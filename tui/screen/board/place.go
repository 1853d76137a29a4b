package board

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// cards are those of a column as the lens shows them.
func (s *Screen) cards(c *mirror.Column) []*mirror.Card {
	if s.lens.plain() {
		return c.Cards
	}
	return s.found[c.Name]
}

// look arranges the cards of the columns that changed, and of all when the lens did.
func (s *Screen) look(e *screen.Env) {
	if s.lens.plain() {
		return
	}
	for _, col := range e.Mirror.Columns {
		if at, ok := s.built[col.Name]; !ok || at != col.Changed {
			s.found[col.Name], s.built[col.Name] = s.lens.arrange(col.Cards), col.Changed
		}
	}
}

// index finds a card in the list of its column, -1 when it is not there.
func (s *Screen) index(col *mirror.Column, list []*mirror.Card, c *mirror.Card) int {
	if s.lens.sort == "" && s.lens.group == "" {
		return col.Index(list, c)
	}
	return slices.Index(list, c)
}

// Selected is the card under the cursor, nil when there is none.
func (s *Screen) Selected(e *screen.Env) *mirror.Card {
	p := s.places[s.col]
	if p == nil || e.Mirror.Column(s.col) == nil {
		return nil
	}
	c := e.Mirror.Card(p.id)
	if c == nil || c.State != s.col || !s.lens.match(c) { // no verb is for what is out of sight
		return nil
	}
	return c
}

// settle finds every column's place again after the cards, the filter or the
// size changed.
func (s *Screen) settle(e *screen.Env) {
	s.forget(e)
	s.look(e)
	s.pursue(e)
	s.home(e)
	for _, col := range e.Mirror.Columns {
		s.settleColumn(e, col)
	}
	s.scrollColumns(e)
}

// pursue goes after the card that the person moved or made, once it has arrived.
func (s *Screen) pursue(e *screen.Env) {
	c := e.Mirror.Card(s.follow)
	if c == nil || c.State == s.origin {
		return
	}
	s.await("", "")
	s.col = c.State
	s.spot(s.col).id = c.ID
}

// await makes the cursor follow a card once it is in another state than origin.
func (s *Screen) await(id, origin string) { s.follow, s.origin = id, origin }

// home focuses a column while none was chosen by the person: the first that
// holds cards, once one does.
func (s *Screen) home(e *screen.Env) {
	now := e.Mirror.Column(s.col)
	if now != nil && (s.chosen || len(now.Cards) > 0) || len(e.Mirror.Columns) == 0 {
		return
	}
	left := s.Selected(e) != nil || s.spot(s.col).id != ""
	s.col = e.Mirror.Columns[0].Name
	for _, c := range e.Mirror.Columns {
		if len(c.Cards) > 0 {
			s.col = c.Name
			break
		}
	}
	if left {
		s.slip = e.Now
	}
}

func (s *Screen) settleColumn(e *screen.Env, col *mirror.Column) {
	p, list, focused := s.spot(col.Name), s.cards(col), col.Name == s.col
	if len(list) == 0 || p.id == "" && !focused { // nobody has been there: its top is its place
		p.at, p.top = 0, 0
		return
	}
	at := s.index(col, list, e.Mirror.Card(p.id))
	if at < 0 {
		at = min(p.at, len(list)-1)
		if focused && p.id != "" {
			s.slip = e.Now
		}
		p.id = list[at].ID
	}
	if p.top > 0 {
		p.top += at - p.at // the cursor stays on its row
	}
	p.at = at
	p.top = max(0, min(p.top, len(list)-1))
	if focused {
		s.reveal(e, col)
	}
}

// reveal scrolls the focused column by as little as shows the cursor.
func (s *Screen) reveal(e *screen.Env, col *mirror.Column) {
	p, list := s.spot(col.Name), s.cards(col)
	room, width := s.room(e), s.width(e, col)
	p.top = min(p.top, p.at)
	used, first := 0, p.at
	for i := p.at; i >= 0; i-- {
		used += height(e, list[i], width)
		if s.groupHead(list, i) != "" {
			used++
		}
		if used > room+1 && i < p.at { // the last card needs no blank line after it
			break
		}
		first = i
	}
	p.top = max(p.top, first)
}

func (s *Screen) spot(state string) *spot {
	p := s.places[state]
	if p == nil {
		p = &spot{}
		s.places[state] = p
	}
	return p
}

// walk is a key that moves the cursor.
func (s *Screen) walk(e *screen.Env, k tea.KeyMsg) bool {
	page := max(1, s.room(e)/4)
	switch {
	case key.Matches(k, s.keys.up):
		s.step(e, -1)
	case key.Matches(k, s.keys.down):
		s.step(e, +1)
	case key.Matches(k, s.keys.pageUp):
		s.step(e, -page)
	case key.Matches(k, s.keys.pageDown):
		s.step(e, +page)
	case key.Matches(k, s.keys.top):
		s.step(e, -1<<30)
	case key.Matches(k, s.keys.end):
		s.step(e, 1<<30)
	case key.Matches(k, s.keys.left):
		s.turn(e, -1)
	case key.Matches(k, s.keys.right):
		s.turn(e, +1)
	default:
		return false
	}
	return true
}

func (s *Screen) step(e *screen.Env, by int) {
	col := e.Mirror.Column(s.col)
	if col == nil || len(s.cards(col)) == 0 {
		return
	}
	p, list := s.spot(s.col), s.cards(col)
	s.chosen = true
	p.at = max(0, min(p.at+by, len(list)-1))
	p.id = list[p.at].ID
	s.reveal(e, col)
}

// turn focuses the next column in a direction, passing over empty ones: there is
// nothing to do in them.
func (s *Screen) turn(e *screen.Env, by int) {
	cols := e.Mirror.Columns
	at := -1
	for i, c := range cols {
		if c.Name == s.col {
			at = i
		}
	}
	for i := at + by; i >= 0 && i < len(cols); i += by {
		if len(s.cards(cols[i])) > 0 {
			s.col, s.chosen = cols[i].Name, true
			s.settle(e)
			return
		}
	}
}
