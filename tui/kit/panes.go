package kit

// Panes are two lists, one above the other, each under a heading and with a cursor of
// its own. The upper one takes the rows that it needs, up to half.
type Panes struct {
	Upper, Lower Elements
	InLower      bool // the keys are for the lower one

	up, low   List
	top, room int // rows of the two
}

// Elements are what a pane lists.
type Elements struct {
	N  int
	ID func(i int) string
}

// paneHead is the height of the heading above each pane.
const paneHead = 1

// Settle lays the panes out in a number of rows and finds what the cursors rest on
// again.
func (p *Panes) Settle(rows int) {
	rows = max(0, rows-2*paneHead)
	p.top = min(max(1, p.Upper.N), max(1, rows/2))
	p.room = max(0, rows-p.top)
	p.up.Settle(p.top, p.Upper.N, p.Upper.ID)
	p.low.Settle(p.room, p.Lower.N, p.Lower.ID)
}

// Rows is how many rows the upper pane takes.
func (p *Panes) Rows() int { return p.top }

// At is the element under the cursor of the pane in front, -1 when there is none.
func (p *Panes) At() int {
	list, of := p.front()
	if list.At >= of.N {
		return -1
	}
	return list.At
}

func (p *Panes) front() (*List, Elements) {
	if p.InLower {
		return &p.low, p.Lower
	}
	return &p.up, p.Upper
}

// Key moves the cursor of the pane in front and reports whether the key does that.
func (p *Panes) Key(key string) bool {
	list, of := p.front()
	by, ok := list.Step(key)
	if ok {
		list.Move(list.At+by, of.N, of.ID)
	}
	return ok
}

// Click puts a cursor on the row that was clicked.
func (p *Panes) Click(y int) {
	above, _ := p.up.Window()
	below, _ := p.low.Window()
	switch y -= paneHead; {
	case y >= 0 && y < p.top && above+y < p.Upper.N:
		p.InLower = false
		p.up.Move(above+y, p.Upper.N, p.Upper.ID)
	case y-p.top-paneHead >= 0 && below+y-p.top-paneHead < p.Lower.N:
		p.InLower = true
		p.low.Move(below+y-p.top-paneHead, p.Lower.N, p.Lower.ID)
	}
}

// Draw draws the rows of a pane that are in sight.
func (p *Panes) Draw(lower bool, row func(i int, selected bool) string) (lines []string) {
	list, of := &p.up, p.Upper
	if lower {
		list, of = &p.low, p.Lower
	}
	from, to := list.Window()
	for i := from; i < min(to, of.N); i++ {
		lines = append(lines, row(i, p.InLower == lower && i == list.At))
	}
	return lines
}

// PaneHead draws a heading w cells wide: a name, a note, and a rule that is heavy where
// the keys go.
func (t *Theme) PaneHead(name, note string, front bool, w int) string {
	style, rule := t.Strong, t.Glyph.HLine
	if front {
		style, rule = t.Accent, t.Glyph.Heavy
	}
	note = Clip(note, max(0, w-Width(name)-6))
	return " " + style.Render(name) + " " + t.Dim.Render(note) + " " + t.Faint.Render(Rule(rule, w-Width(name)-Width(note)-5))
}
