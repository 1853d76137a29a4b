package native

import (
	"os"
	"slices"
	"time"

	"iterion/native/board"
)

// indexFile is the index that a Store has open.
type indexFile struct {
	*os.File      // nil: none
	dir      stat // that it knows
	at       time.Time
	refused  bool // it cannot be written
}

// open opens the index at path, where there is one, and returns its head.
func (x *indexFile) open(path string) indexHead {
	var h indexHead
	if x.File, h = openIndex(path); x.File == nil {
		return indexHead{}
	}
	if info, err := x.Stat(); err == nil {
		x.at = info.ModTime()
	}
	return h
}

// table reads the entries behind the head. An index that is damaged is let go of.
func (x *indexFile) table(h indexHead) []entry {
	if x.File == nil {
		return nil
	}
	entries, ok := readTable(x.File, h)
	if !ok {
		x.close()
		return nil
	}
	x.dir = h.dir
	return entries
}

func (x *indexFile) close() {
	if x.File != nil {
		x.File.Close()
	}
	*x = indexFile{}
}

// worth says when writing the index anew costs less than doing without for some
// time: when one card in 64 is not in it, or when the folder has to be read each
// time because others came and went, at most once in a millisecond per card.
func (x *indexFile) worth(c *cards) bool {
	fresh := 0
	for _, e := range c.kept {
		if e.pos == notIndexed {
			fresh++
		}
	}
	aged := c.dir != stat{} && c.dir != x.dir && time.Since(x.at) > time.Duration(len(c.kept))*time.Millisecond
	return !x.refused && len(c.kept) > 0 && (fresh > 0 && fresh*64 >= len(c.kept) || aged)
}

// write puts what is kept into a new index and returns it in the index's order.
// A store that cannot be written does without.
func (x *indexFile) write(c *cards) []*entry {
	entries := slices.Clone(c.kept)
	order := board.Query{}.Order(board.Schema{})
	slices.SortFunc(entries, func(a, b *entry) int { return order(&a.facts, &b.facts) })
	f, placed, err := writeIndex(c.l.Index(), entries, x.File, c.dir)
	if err != nil {
		x.refused = true
		return c.kept
	}
	x.close()
	x.File, x.dir, x.at = f, c.dir, time.Now()
	for n, e := range entries {
		e.pos, e.content = n, placed[n]
	}
	return slices.DeleteFunc(entries, func(e *entry) bool { return e.size == 0 })
}
