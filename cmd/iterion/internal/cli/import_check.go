package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"iterion/native/board"
	"iterion/native/exchange"
)

// check names everything that is wrong with the input. Nothing was filed yet.
func (m *importing) check(ctx context.Context) error {
	var bad failures
	m.judged = map[string]judged{}
	m.links = []*importLinks{
		{cycle: board.ErrCycle, next: map[string][]string{}, of: func(i board.Issue) []string { return i.Blockers }},
		{cycle: board.ErrParentCycle, next: map[string][]string{}, of: func(i board.Issue) []string { return strings.Fields(i.ParentID) }},
	}
	err := m.in.each(func(i exchange.Item) error {
		if err := m.judge(i); err != nil {
			bad.add(fmt.Errorf("%s: %w", i.Where, err))
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if len(m.ids) == 0 && len(m.in.skipped) == 0 {
		return Usagef("import %s: there is no card in it", m.in.name)
	}
	for _, l := range m.links {
		bad = append(bad, l.loops(m)...)
	}
	if len(bad) == 0 {
		return nil
	}
	err = bad.end(m.f, 0)
	m.f.Talk("nothing was imported: %d of %d records are wrong", min(len(bad), len(m.ids)), len(m.ids))
	return err
}

// judge says what is wrong with a record, and takes down what it is asked for
// later. What the store may refuse today and take tomorrow, such as a claimed
// card, is not wrong.
func (m *importing) judge(i exchange.Item) error {
	id := i.Record.Issue.ID
	m.ids = append(m.ids, id)
	if err := i.Err; err != nil {
		return err
	}
	if err := board.CheckID(id); err != nil {
		return err
	}
	if first, twice := m.judged[id]; twice {
		return fmt.Errorf("%w: the same id is in %s", board.ErrInvalid, first.where)
	}
	m.judged[id] = judged{where: i.Where}
	was, err := m.was(id)
	if err != nil {
		return nil // filing it tells
	}
	m.linked(i.Record, was)
	rules := m.rules
	rules.Lookup = nil
	_, did, err := rules.Import(was, i.Record)
	switch {
	case isCycle(err): // which are looked for when all records are known
		return nil
	case errors.Is(err, board.ErrInvalid):
		return err
	}
	m.judged[id] = judged{where: i.Where, same: err == nil && did == board.ImportUnchanged}
	return nil
}

func isCycle(err error) bool {
	return errors.Is(err, board.ErrCycle) || errors.Is(err, board.ErrParentCycle)
}

// was is the card that is there, or nil.
func (m *importing) was(id string) (*board.Issue, error) {
	is, err := m.rules.Lookup(id)
	if errors.Is(err, board.ErrNotFound) {
		return nil, nil
	}
	return &is, err
}

// linked takes down what the card will point at. What another tool says is added
// to what is there.
func (m *importing) linked(rec board.Record, was *board.Issue) {
	for _, l := range m.links {
		to := l.of(rec.Issue)
		if rec.Foreign && was != nil {
			to = append(slices.Clone(to), l.of(*was)...)
		}
		l.next[rec.Issue.ID] = to
	}
}

// importLinks are the links of one kind as they will be, of the records and, as
// far as they lead there, of the cards on the board.
type importLinks struct {
	cycle error
	of    func(board.Issue) []string
	next  map[string][]string

	done map[string]bool
	way  []string // to where the walk is
}

// loops returns an error for each cycle that the records would close.
func (l *importLinks) loops(m *importing) (bad failures) {
	l.done = map[string]bool{}
	for _, id := range m.ids {
		if loop := l.walk(id, m.rules.Lookup); loop != nil {
			bad.add(fmt.Errorf("%s: %w: %s", m.whereOf(loop), l.cycle, arrows(loop)))
		}
	}
	return bad
}

// walk goes on from a card along its links and returns the first way that leads
// back to where it went through.
func (l *importLinks) walk(id string, lookup func(string) (board.Issue, error)) []string {
	if n := slices.Index(l.way, id); n >= 0 {
		return append(slices.Clone(l.way[n:]), id)
	}
	if l.done[id] {
		return nil
	}
	l.done[id] = true
	next, known := l.next[id]
	if !known {
		if is, err := lookup(id); err == nil {
			next = l.of(is)
		}
	}
	l.way = append(l.way, id)
	defer func() { l.way = l.way[:len(l.way)-1] }()
	for _, to := range next {
		if loop := l.walk(to, lookup); loop != nil {
			return loop
		}
	}
	return nil
}

// whereOf is where the first card of a cycle stands that is in the input.
func (m *importing) whereOf(loop []string) string {
	for _, id := range loop {
		if j, ok := m.judged[id]; ok {
			return j.where
		}
	}
	return m.in.name
}

func arrows(ids []string) string {
	short := make([]string, len(ids))
	for n, id := range ids {
		short[n] = board.ShortID(id)
	}
	return strings.Join(short, " -> ")
}
