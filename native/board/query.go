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
	switch {
	case len(q.States) > 0 && !slices.Contains(q.States, i.State),
		q.Assignee != "" && i.Assignee != q.Assignee,
		q.Bot != "" && i.Bot != q.Bot,
		q.Claimed != nil && *q.Claimed != (i.Claim != ""):
		return false
	}
	for _, l := range q.Labels {
		if !slices.Contains(i.Labels, l) {
			return false
		}
	}
	return q.found(i)
}

func (q Query) found(i Issue) bool {
	words := strings.Fields(strings.ToLower(q.Search))
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(strings.Join(append([]string{i.ID, i.Title, i.Body}, i.Labels...), "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Select returns the cards that the query selects, in its order and within its
// limit. The schema gives the order of columns; the zero Schema will do.
func (q Query) Select(cards []Issue, s Schema) ([]Issue, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	// Cards are large: they are compared where they lie and copied once.
	var found []*Issue
	for n := range cards {
		if q.Match(cards[n]) {
			found = append(found, &cards[n])
		}
	}
	slices.SortFunc(found, q.order(s))
	if q.Limit > 0 && len(found) > q.Limit {
		found = found[:q.Limit]
	}
	var out []Issue
	for _, c := range found {
		out = append(out, *c)
	}
	return out, nil
}

func (q Query) order(s Schema) func(a, b *Issue) int {
	key, reverse := strings.CutPrefix(q.Sort, "-")
	by := map[string]func(a, b *Issue) int{
		"created": func(a, b *Issue) int { return a.CreatedAt.Compare(b.CreatedAt) },
		"updated": func(a, b *Issue) int { return a.UpdatedAt.Compare(b.UpdatedAt) },
		"title":   func(a, b *Issue) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) },
		"state":   func(a, b *Issue) int { return cmp.Compare(s.stateIndex(a.State), s.stateIndex(b.State)) },
	}[key]
	return func(a, b *Issue) int {
		c := 0
		if by != nil {
			c = by(a, b)
		}
		if c == 0 {
			c = DispatchOrder(a, b)
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
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority),
		a.CreatedAt.Compare(b.CreatedAt),
		cmp.Compare(a.ID, b.ID),
	)
}
