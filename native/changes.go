package native

import (
	"context"
	"errors"

	"iterion/native/board"
)

// Seen is what a reader of Changes was told so far. The zero value was told
// nothing.
type Seen struct{ cards map[string]*entry }

// Changes are the cards of a board that are not as they were.
type Changes struct {
	Issues []board.Issue // new or changed
	Gone   []string
	Broken []board.UnreadableError // all that cannot be read now, changed or not
}

// Changes returns what became different since seen, from the files alone, and
// brings seen up to date. It decodes nothing else. A card that changed just now
// may come once more as it is.
func (s *Store) Changes(ctx context.Context, seen *Seen) (Changes, error) {
	if err := ctx.Err(); err != nil {
		return Changes{}, err
	}
	c := s.cards
	c.mu.Lock()
	defer c.mu.Unlock()
	all, broken, err := c.look()
	if err != nil {
		return Changes{}, err
	}
	next := make(map[string]*entry, len(all))
	var changed []*entry
	for _, e := range all {
		next[e.facts.ID] = e
		if seen.cards[e.facts.ID] != e {
			changed = append(changed, e)
		}
	}
	out := Changes{Broken: broken}
	c.tell(changed, next, &out)
	out.gone(seen.cards, next)
	seen.cards = next
	return out, nil
}

// tell decodes what changed. What cannot be read any more was not told.
func (c *cards) tell(changed []*entry, told map[string]*entry, out *Changes) {
	issues := make([]board.Issue, len(changed))
	errs := make([]error, len(changed))
	inParallel(len(changed), func(n int) { issues[n], errs[n] = c.issue(changed[n]) })
	out.Issues = issues[:0]
	for n, err := range errs {
		var bad *board.UnreadableError
		switch {
		case err == nil:
			out.Issues = append(out.Issues, issues[n])
			continue
		case errors.As(err, &bad):
			out.Broken = append(out.Broken, *bad)
		}
		delete(told, changed[n].facts.ID)
	}
}

// gone names what was there and is not, in any form.
func (out *Changes) gone(was, is map[string]*entry) {
	broken := map[string]bool{}
	for _, b := range out.Broken {
		broken[b.ID] = true
	}
	for id := range was {
		if is[id] == nil && !broken[id] {
			out.Gone = append(out.Gone, id)
		}
	}
}
