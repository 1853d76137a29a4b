package board

import (
	"fmt"

	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// mark sets or takes the mark of the card under the cursor and goes on to the next.
func (s *Screen) mark(e *screen.Env) {
	c := s.Selected(e)
	if c == nil {
		return
	}
	if s.marked[c.ID] {
		delete(s.marked, c.ID)
	} else {
		s.marked[c.ID] = true
	}
	s.step(e, 1)
}

// markAll marks every card of the focused column that is shown, or none where all
// are.
func (s *Screen) markAll(e *screen.Env) {
	col := e.Mirror.Column(s.col)
	if col == nil {
		return
	}
	list, all := s.cards(col), true
	for _, c := range list {
		all = all && s.marked[c.ID]
	}
	for _, c := range list {
		if all {
			delete(s.marked, c.ID)
		} else {
			s.marked[c.ID] = true
		}
	}
	if !all {
		e.Say(kit.MarkQuiet, fmt.Sprintf("%d cards are marked; verbs are for all of them, esc takes the marks off", len(s.marked)))
	}
}

// meant are the cards that a verb is for: the marked ones in board order, else the
// one under the cursor.
func (s *Screen) meant(e *screen.Env) []*mirror.Card {
	if len(s.marked) == 0 {
		if c := s.Selected(e); c != nil {
			return []*mirror.Card{c}
		}
		return nil
	}
	var out []*mirror.Card
	for _, col := range e.Mirror.Columns {
		for _, c := range col.Cards {
			if s.marked[c.ID] {
				out = append(out, c)
			}
		}
	}
	return out
}

// forget drops the marks of cards that are gone.
func (s *Screen) forget(e *screen.Env) {
	for id := range s.marked {
		if e.Mirror.Card(id) == nil {
			delete(s.marked, id)
		}
	}
}

// unseen counts the marked cards that the lens leaves out. Verbs are for them, too.
func (s *Screen) unseen(e *screen.Env) (n int) {
	for id := range s.marked {
		if c := e.Mirror.Card(id); c != nil && !s.lens.match(c) {
			n++
		}
	}
	return n
}
