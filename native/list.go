package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"iterion/native/board"
)

// List implements board.Store. A board that cannot be read still shows its
// cards, in an order that knows no columns.
func (s *Store) List(ctx context.Context, q board.Query) (board.Listing, error) {
	var out board.Listing
	err := s.list(ctx, q, func(found []*entry, broken []board.UnreadableError) error {
		issues, more := s.cards.issues(found)
		out = board.Listing{Issues: issues, Broken: append(broken, more...)}
		return nil
	})
	return out, err
}

// ListFiles implements board.FileLister. What is on the board is not decoded.
func (s *Store) ListFiles(ctx context.Context, q board.Query, fn func(card []byte) error) ([]board.UnreadableError, error) {
	var unreadable []board.UnreadableError
	err := s.list(ctx, q, func(found []*entry, broken []board.UnreadableError) error {
		unreadable = broken
		in := window{file: s.cards.index.File}
		for _, e := range found {
			card, err := s.cards.file(e, &in)
			var bad *board.UnreadableError
			switch {
			case errors.As(err, &bad):
				unreadable = append(unreadable, *bad)
				continue
			case errors.Is(err, board.ErrNotFound):
				continue // deleted meanwhile
			case err == nil:
				err = fn(card)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return unreadable, err
}

// list calls fn with the cards that q selects, in its order.
func (s *Store) list(ctx context.Context, q board.Query, fn func([]*entry, []board.UnreadableError) error) error {
	if err := errors.Join(ctx.Err(), q.Check()); err != nil {
		return fmt.Errorf("list issues: %w", err)
	}
	schema, err := s.schema.read()
	if err != nil {
		schema = board.Schema{}
	}
	s.cards.mu.Lock()
	defer s.cards.mu.Unlock()
	all, broken, err := s.cards.look()
	if err != nil {
		return err
	}
	return fn(s.cards.choose(all, q, schema), broken)
}

// choose selects and sorts without decoding, except for a search.
func (c *cards) choose(all []*entry, q board.Query, schema board.Schema) []*entry {
	chosen := slices.DeleteFunc(all, func(e *entry) bool { return !q.MatchFacts(&e.facts) })
	if q.Search != "" {
		chosen = c.search(chosen, q)
	}
	chosen = inOrder(chosen, q.Order(schema))
	if q.Limit > 0 && len(chosen) > q.Limit {
		chosen = chosen[:q.Limit]
	}
	return chosen
}

func (c *cards) search(in []*entry, q board.Query) []*entry {
	hit := make([]bool, len(in))
	inParallel(len(in), func(n int) {
		i, err := c.issue(in[n])
		hit[n] = err != nil || q.MatchSearch(i) // what is wrong is told by who reads it next
	})
	out := in[:0]
	for n, e := range in {
		if hit[n] {
			out = append(out, e)
		}
	}
	return out
}

// inOrder sorts. Most entries come from the index, which is in the usual order
// already: so those are put in the order of the index first, and the few others
// are merged in.
func inOrder(entries []*entry, order func(a, b *board.Facts) int) []*entry {
	by := func(a, b *entry) int { return order(&a.facts, &b.facts) }
	indexed, others := byPosition(entries)
	if !slices.IsSortedFunc(indexed, by) {
		slices.SortFunc(indexed, by)
	}
	slices.SortFunc(others, by)
	if len(others) == 0 {
		return indexed
	}
	out := make([]*entry, 0, len(entries))
	for len(indexed) > 0 && len(others) > 0 {
		from := &indexed
		if by(indexed[0], others[0]) > 0 {
			from = &others
		}
		out = append(out, (*from)[0])
		*from = (*from)[1:]
	}
	return append(append(out, indexed...), others...)
}

func byPosition(entries []*entry) (indexed, others []*entry) {
	last := notIndexed
	for _, e := range entries {
		last = max(last, e.pos)
	}
	places := make([]*entry, last+1)
	for _, e := range entries {
		if e.pos == notIndexed {
			others = append(others, e)
		} else {
			places[e.pos] = e
		}
	}
	return slices.DeleteFunc(places, func(e *entry) bool { return e == nil }), others
}

// issues decodes entries, leaving out what was deleted meanwhile.
func (c *cards) issues(entries []*entry) ([]board.Issue, []board.UnreadableError) {
	found := make([]board.Issue, len(entries))
	errs := make([]error, len(entries))
	inParallel(len(entries), func(n int) { found[n], errs[n] = c.issue(entries[n]) })
	var broken []board.UnreadableError
	out := found[:0]
	for n, err := range errs {
		var bad *board.UnreadableError
		switch {
		case err == nil:
			out = append(out, found[n])
		case errors.As(err, &bad):
			broken = append(broken, *bad)
		}
	}
	if len(out) == 0 {
		out = nil
	}
	return out, broken
}

// issue decodes one entry, whose file is read where the index is damaged.
func (c *cards) issue(e *entry) (board.Issue, error) {
	if i, err := e.issue(c.index.File); err == nil {
		return i, nil
	}
	return c.read(e.facts.ID)
}

// file returns a card in the form of EncodeIssue.
func (c *cards) file(e *entry, in *window) ([]byte, error) {
	if data, err := in.bytes(&e.content); err == nil {
		return data, nil
	}
	i, err := c.issue(e)
	if err != nil {
		return nil, err
	}
	return board.EncodeIssue(i)
}

// pick returns the cards whose facts pass, decoded, each as its file has it now.
func (c *cards) pick(pass func(f *board.Facts) bool) (board.Listing, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all, broken, err := c.look()
	if err != nil {
		return board.Listing{}, err
	}
	issues, more := c.issues(slices.DeleteFunc(all, func(e *entry) bool { return !pass(&e.facts) }))
	return board.Listing{Issues: issues, Broken: append(broken, more...)}, nil
}

// all returns every card.
func (c *cards) all() (board.Listing, error) {
	return c.pick(func(*board.Facts) bool { return true })
}

// blockers returns the ids that cards name as blockers.
func (c *cards) blockers() (map[string]bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all, _, err := c.look()
	ids := map[string]bool{}
	for _, e := range all {
		for _, id := range e.facts.Blockers {
			ids[strings.Clone(id)] = true // not to keep the whole table of the index
		}
	}
	return ids, err
}

// held counts the cards in each column.
func (c *cards) held() (map[string]int, []board.UnreadableError, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all, broken, err := c.look()
	held := map[string]int{}
	for _, e := range all {
		held[e.facts.State]++
	}
	return held, broken, err
}
