package board

import (
	"iterion/tui/screen"
)

// click puts the cursor on a card, and opens the one that it is on.
func (s *Screen) click(e *screen.Env, c screen.Click) {
	if s.filtering() {
		c.Y--
	}
	slots, _, _ := s.slots(e)
	at := 0
	for _, sl := range slots {
		if c.X >= at && c.X < at+sl.width && !sl.thin {
			s.clickIn(e, sl, c.Y-headRows)
			return
		}
		at += sl.width + gap
	}
}

// clickIn is a click in a column, y rows below its head.
func (s *Screen) clickIn(e *screen.Env, sl slot, y int) {
	p, list := s.spot(sl.col.Name), s.cards(sl.col)
	if len(list) == 0 {
		return
	}
	s.chosen = true
	i := s.cardAt(e, sl, y)
	same := s.col == sl.col.Name && i == p.at
	s.col = sl.col.Name
	if i < 0 {
		s.settle(e)
		return
	}
	p.at, p.id = i, list[i].ID
	s.reveal(e, sl.col)
	if same {
		e.Go(screen.Card, p.id)
	}
}

// cardAt is the index of the card drawn at a row of a column, -1 for none.
func (s *Screen) cardAt(e *screen.Env, sl slot, y int) int {
	list := s.cards(sl.col)
	for i, row := s.spot(sl.col.Name).top, 0; y >= 0 && i < len(list) && row <= y; i++ {
		if s.groupHead(list, i) != "" {
			row++
		}
		if row += height(e, list[i], sl.width); y < row {
			return i
		}
	}
	return -1
}
