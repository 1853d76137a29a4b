package board

import (
	"cmp"
	"slices"
	"strings"
)

// Check refuses, as ErrInvalid, a sort key that there is not.
func (q Query) Check() error {
	if key := strings.TrimPrefix(q.Sort, "-"); key != "" && !slices.Contains(sortKeys(), key) {
		return unknownName("sort key", key, sortKeys())
	}
	return nil
}

func sortKeys() []string { return []string{"priority", "created", "updated", "title", "state"} }

// Match reports whether the query selects the card.
func (q Query) Match(i Issue) bool {
	f := i.Facts()
	return q.MatchFacts(&f) && q.MatchSearch(i)
}

// Select returns the cards that the query selects, in its order and within its
// limit. The schema gives the order of columns; the zero Schema will do.
func (q Query) Select(cards []Issue, s Schema) ([]Issue, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	// Cards are large: they are compared by their facts and copied once.
	type pick struct {
		facts Facts
		card  *Issue
	}
	var found []pick
	for n := range cards {
		if q.Match(cards[n]) {
			found = append(found, pick{cards[n].Facts(), &cards[n]})
		}
	}
	order := q.Order(s)
	slices.SortFunc(found, func(a, b pick) int { return order(&a.facts, &b.facts) })
	if q.Limit > 0 && len(found) > q.Limit {
		found = found[:q.Limit]
	}
	var out []Issue
	for _, p := range found {
		out = append(out, *p.card)
	}
	return out, nil
}

// Order returns the query's order. The schema gives the order of columns.
func (q Query) Order(s Schema) func(a, b *Facts) int {
	key, reverse := strings.CutPrefix(q.Sort, "-")
	by := map[string]func(a, b *Facts) int{
		"created": func(a, b *Facts) int { return a.CreatedAt.Compare(b.CreatedAt) },
		"updated": func(a, b *Facts) int { return a.UpdatedAt.Compare(b.UpdatedAt) },
		"title":   func(a, b *Facts) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) },
		"state":   func(a, b *Facts) int { return cmp.Compare(s.stateIndex(a.State), s.stateIndex(b.State)) },
	}[key]
	return func(a, b *Facts) int {
		c := 0
		if by != nil {
			c = by(a, b)
		}
		if c == 0 {
			c = dispatchOrder(a, b)
		}
		if reverse {
			return -c
		}
		return c
	}
}

// DispatchOrder compares two cards in the order in which the dispatcher starts
// them: high priority first, then the oldest, then by id. It is also the order
// of a Query that names none.
func DispatchOrder(a, b *Issue) int {
	x, y := a.Facts(), b.Facts()
	return dispatchOrder(&x, &y)
}

func dispatchOrder(a, b *Facts) int {
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority),
		a.CreatedAt.Compare(b.CreatedAt),
		cmp.Compare(a.ID, b.ID),
	)
}
