package board

import (
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// Widths in cells.
const (
	oneColumn = 70 // below this window width a single column is drawn
	minWidth  = 24 // of a column with cards
	maxWidth  = 64
	thinWidth = 3 // of an empty column that is folded away
	gap       = 1
)

// slot is a column's part of the window.
type slot struct {
	col   *mirror.Column
	width int
	thin  bool
}

// slots lays the columns out. While they do not fit, empty ones are folded: first
// those that never held a card, last those that bots start from, for that is
// where to look. What still does not fit is scrolled. more tells how many columns
// are out of sight at each side.
func (s *Screen) slots(e *screen.Env) (slots []slot, moreLeft, moreRight int) {
	cols := e.Mirror.Columns
	if e.Width < oneColumn {
		return s.single(e, cols)
	}
	slots = make([]slot, len(cols))
	for i, c := range cols {
		slots[i] = slot{col: c, width: minWidth}
	}
	s.fold(slots, e.Width, func(c *mirror.Column) bool { return !c.Seen && !c.Eligible })
	s.fold(slots, e.Width, func(c *mirror.Column) bool { return !c.Eligible })
	s.fold(slots, e.Width, func(*mirror.Column) bool { return true })
	from := s.firstSlot(slots, e.Width)
	to := from
	for used := 0; to < len(slots) && used+slots[to].width <= e.Width; to++ {
		used += slots[to].width + gap
	}
	to = max(to, min(from+1, len(slots)))
	return stretch(slots[from:to], e.Width), from, len(slots) - to
}

// width is that of one column.
func (s *Screen) width(e *screen.Env, col *mirror.Column) int {
	slots, _, _ := s.slots(e)
	for _, sl := range slots {
		if sl.col == col {
			return sl.width
		}
	}
	return minWidth
}

func (s *Screen) single(e *screen.Env, cols []*mirror.Column) ([]slot, int, int) {
	for i, c := range cols {
		if c.Name == s.col {
			return []slot{{col: c, width: e.Width}}, i, len(cols) - i - 1
		}
	}
	return nil, 0, 0
}

// fold makes empty columns thin, as many as it takes until the slots fit.
func (s *Screen) fold(slots []slot, width int, may func(*mirror.Column) bool) {
	for i := range slots {
		if total(slots) <= width {
			return
		}
		c := slots[i].col
		if len(c.Cards) == 0 && c.Name != s.col && may(c) {
			slots[i].width, slots[i].thin = thinWidth, true
		}
	}
}

func total(slots []slot) int {
	w := -gap
	for _, sl := range slots {
		w += sl.width + gap
	}
	return w
}

// stretch shares the width that is left among the columns that are not thin.
func stretch(slots []slot, width int) []slot {
	wide := 0
	for _, sl := range slots {
		if !sl.thin {
			wide++
		}
	}
	spare := width - total(slots)
	for i := range slots {
		if slots[i].thin || spare <= 0 {
			continue
		}
		add := min(spare/wide, maxWidth-minWidth)
		slots[i].width += add
		spare, wide = spare-add, wide-1
	}
	return slots
}

// firstSlot is the index of the leftmost column drawn: where the person left it,
// moved by as little as shows the focused one.
func (s *Screen) firstSlot(slots []slot, width int) int {
	if total(slots) <= width {
		return 0
	}
	from, focus := 0, 0
	for i, sl := range slots {
		if sl.col.Name == s.left {
			from = i
		}
		if sl.col.Name == s.col {
			focus = i
		}
	}
	from = min(from, focus)
	for from < focus && total(slots[from:focus+1]) > width {
		from++
	}
	for from > 0 && total(slots[from-1:]) <= width {
		from-- // no empty space at the right end
	}
	return from
}

// scrollColumns remembers the leftmost column.
func (s *Screen) scrollColumns(e *screen.Env) {
	slots, left, _ := s.slots(e)
	if e.Width >= oneColumn && len(slots) > 0 && left < len(e.Mirror.Columns) {
		s.left = slots[0].col.Name
	}
}

// Rows that are not cards.
const (
	headRows = 2 // title and rule
	footRows = 1 // how many more below
)

// room is the number of rows that cards may take.
func (s *Screen) room(e *screen.Env) int {
	rows := e.Height - headRows - footRows
	if s.filtering() {
		rows--
	}
	return max(1, rows)
}

// filtering reports whether the line is shown that says how the board is looked at.
func (s *Screen) filtering() bool { return s.typing || !s.lens.plain() || len(s.marked) > 0 }
