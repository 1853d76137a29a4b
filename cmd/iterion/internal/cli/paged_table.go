package cli

import "io"

// tablePage is how many rows a table of unknown length is laid out by.
const tablePage = 1000

// pagedTable is a table that is printed while its rows come: the first page says how
// wide the columns are, and later rows keep to that where they fit.
type pagedTable struct {
	f      *Factory
	head   []string
	rows   int
	first  Table
	widths []int // once the first page is out
}

func (t *pagedTable) row(cells ...string) {
	t.rows++
	if t.widths == nil {
		t.first.Row(cells...)
		if t.rows == tablePage {
			t.flush()
		}
		return
	}
	one := Table{}
	one.Row(cells...)
	for i, w := range columnWidths(one.rows) {
		t.widths[i] = max(t.widths[i], w)
	}
	line := layRow(one.rows[0], t.widths)
	if t.f.IO.Width > 0 {
		line = cut(line, t.f.IO.Width)
	}
	_, _ = io.WriteString(t.f.IO.Out, line+"\n")
}

func (t *pagedTable) flush() {
	t.first.Head = t.head
	t.first.Print(t.f)
	t.widths = columnWidths(append([][]string{t.head}, t.first.rows...))
	t.widths[len(t.widths)-1] = 0 // the last column may be as long as it likes
	t.first = Table{}
}

// end prints what is not out yet.
func (t *pagedTable) end() {
	if t.widths == nil && t.rows > 0 {
		t.flush()
	}
}
