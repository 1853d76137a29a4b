package kit

// List is a cursor in a list that changes: it rests on an element by its id, and on
// its row of the window where the list grows above it.
type List struct {
	At int
	id string
	pg Pager
}

// Settle finds the cursor's element again among n, of which height are in sight.
func (l *List) Settle(height, n int, id func(i int) string) {
	was := l.At
	for i := range n {
		if l.id != "" && id(i) == l.id {
			l.At = i
			break
		}
	}
	l.At = max(0, min(l.At, n-1))
	if l.pg.Top > 0 {
		l.pg.Top += l.At - was
	}
	l.reveal(height, n)
	if l.id != "" && n > 0 {
		l.id = id(l.At)
	}
}

func (l *List) reveal(height, n int) {
	l.pg.Resize(height, n)
	l.pg.Top = max(min(l.pg.Top, l.At), l.At-max(1, l.pg.Height)+1, 0)
}

// Move puts the cursor on an element; one that is out of range is the nearest.
func (l *List) Move(to, n int, id func(i int) string) {
	if n == 0 {
		return
	}
	l.At = max(0, min(to, n-1))
	l.id = id(l.At)
	l.reveal(l.pg.Height, n)
}

// Window is the range of elements in sight.
func (l *List) Window() (from, to int) { return l.pg.Window() }

// page is how far a page key goes.
func (l *List) page() int { return max(1, l.pg.Height-1) }

// Step is how far a key moves the cursor; ok is false for a key that does not.
func (l *List) Step(key string) (by int, ok bool) {
	switch key {
	case "up", "k":
		return -1, true
	case "down", "j":
		return 1, true
	case "pgup", "ctrl+u", "ctrl+b":
		return -l.page(), true
	case "pgdown", "ctrl+d", "ctrl+f", " ":
		return l.page(), true
	case "g", "home":
		return -1 << 30, true
	case "G", "end":
		return 1 << 30, true
	}
	return 0, false
}
