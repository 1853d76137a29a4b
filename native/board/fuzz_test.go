package board

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// FuzzResolve: whatever is typed finds nothing, or what it is a form of.
func FuzzResolve(f *testing.F) {
	ids := []string{
		"native:0fe1c2d3-0000-4000-8000-000000000001", "native:0fe1ffff-0000-4000-8000-000000000002",
		"native:abcdef00-0000-4000-8000-000000000003", "gh-17", "0fe1c2d3", "native:native:x",
	}
	for _, ref := range append(ids, "0fe1", "0FE1C", "native:", "native:0", " abcd ", "", "é", "\xff") {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		id, err := Resolve(ref, ids)
		var ambiguous *AmbiguousError
		switch {
		case err == nil:
			if !slices.Contains(ids, id) || !formOf(ref, id) {
				t.Errorf("%q found %q", ref, id)
			}
		case errors.As(err, &ambiguous):
			for _, m := range ambiguous.Matches {
				if !formOf(ref, m.ID) {
					t.Errorf("%q may be %q", ref, m.ID)
				}
			}
			if len(ambiguous.Matches)+ambiguous.More < 2 {
				t.Errorf("%q is ambiguous: %v", ref, ambiguous.Matches)
			}
		case !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrInvalid):
			t.Errorf("%q: %v", ref, err)
		}
		if full, ok := FullID(ref); ok && slices.Contains(ids, full) && full != id {
			t.Errorf("%q is %q and found %q", ref, full, id)
		}
		for _, whole := range ids {
			if got, err := Resolve(whole, ids); got != whole || err != nil {
				t.Errorf("%q found %q, %v", whole, got, err)
			}
		}
	})
}

func formOf(ref, id string) bool {
	ref, id = fold(strings.TrimSpace(ref)), fold(id)
	return strings.HasPrefix(id, ref) || strings.HasPrefix(strings.TrimPrefix(id, idPrefix), ref)
}

// fold is the case folding of strings.EqualFold, where one spelling stands for
// all: 'K' may be written with the Kelvin sign.
func fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// FuzzQuery: what a query selects is what it matches, in an order that its
// reverse reverses, and not more than its limit.
func FuzzQuery(f *testing.F) {
	f.Add("", "", "", "", "", 0, false)
	f.Add("ready", "x", "bob", "shell", "apple pie", 2, true)
	f.Add("inbox", "", "", "", "İ ß \xff", 1, false)
	cards := shelfOfMany()
	keys := append(sortKeys(), "")
	f.Fuzz(func(t *testing.T, state, label, assignee, bot, search string, limit int, claimed bool) {
		key := keys[len(search)%len(keys)]
		q := Query{Assignee: assignee, Bot: bot, Search: search, Sort: key}
		if state != "" {
			q.States = []string{state}
		}
		if label != "" {
			q.Labels = []string{label}
		}
		if claimed {
			q.Claimed = &claimed
		}
		all, err := q.Select(cards, DefaultSchema())
		if err != nil {
			t.Fatalf("sort %q: %v", key, err)
		}
		checkSelected(t, q, cards, all)
		checkReverse(t, q, cards, all)
		q.Limit = limit
		some, err := q.Select(cards, DefaultSchema())
		if want := all[:min(max(limit, 0), len(all))]; err != nil || limit > 0 && !slices.Equal(idsOf(some), idsOf(want)) {
			t.Errorf("limit %d: %v, want %v (%v)", limit, idsOf(some), idsOf(want), err)
		}
	})
}

func shelfOfMany() []Issue {
	var cards []Issue
	for n := range 40 {
		cards = append(cards, Issue{
			ID: fmt.Sprintf("native:%02d", n), Title: []string{"Apple", "pear", "Straße", "İstanbul"}[n%4], Body: []string{"", "a pie"}[n%2],
			State: DefaultSchema().StateNames()[n%9], Labels: [][]string{nil, {"x"}, {"x", "y"}}[n%3], Priority: n % 3,
			Assignee: []string{"", "bob"}[n%2], Bot: []string{"", "shell"}[n/2%2], Claim: []string{"", "m"}[n/3%2],
		})
	}
	return cards
}

func checkSelected(t *testing.T, q Query, cards, found []Issue) {
	t.Helper()
	matching := 0
	for _, i := range cards {
		if q.Match(i) {
			matching++
		}
	}
	if matching != len(found) || slices.ContainsFunc(found, func(i Issue) bool { return !q.Match(i) }) {
		t.Errorf("%+v matches %d cards and selects %v", q, matching, idsOf(found))
	}
}

func checkReverse(t *testing.T, q Query, cards, found []Issue) {
	t.Helper()
	if q.Sort == "" {
		return
	}
	q.Sort = "-" + q.Sort
	back, err := q.Select(cards, DefaultSchema())
	slices.Reverse(back)
	if err != nil || !slices.Equal(idsOf(back), idsOf(found)) {
		t.Errorf("%s reversed is %v, forwards it is %v (%v)", q.Sort, idsOf(back), idsOf(found), err)
	}
}

func idsOf(cards []Issue) []string {
	var out []string
	for _, c := range cards {
		out = append(out, c.ID)
	}
	return out
}
