package board

import (
	"errors"
	"fmt"
	"strings"
)

// checkBlocker refuses a blocker that does not exist or that the card, by its
// own blockers or theirs, holds back itself.
func (r Rules) checkBlocker(i Issue, id string) error {
	return r.checkEdge("blocker", i.ID, id, ErrCycle, func(i Issue) []string { return i.Blockers })
}

// checkParent refuses a parent that does not exist or that descends from the card.
func (r Rules) checkParent(i Issue) error {
	if i.ParentID == "" {
		return nil
	}
	return r.checkEdge("parent", i.ID, i.ParentID, ErrParentCycle, func(i Issue) []string { return []string{i.ParentID} })
}

// ErrParentCycle says that a card would descend from itself. It is an ErrInvalid.
var ErrParentCycle = fmt.Errorf("%w: parents form a cycle", ErrInvalid)

// checkEdge refuses, as cycle, an edge to a card that next leads back from, and
// one to a card that does not exist.
func (r Rules) checkEdge(what, from, to string, cycle error, next func(Issue) []string) error {
	if to != from {
		if err := r.exists(what, to); err != nil {
			return err
		}
	}
	if err := r.checkLoop(from, to, cycle, next); err != nil {
		return fmt.Errorf("check %s: %w", what, err)
	}
	return nil
}

// checkLoop refuses, as cycle, an edge to a card that next leads back from.
func (r Rules) checkLoop(from, to string, cycle error, next func(Issue) []string) error {
	back, err := r.path(to, from, next)
	if err != nil {
		return fmt.Errorf("follow %s: %w", to, err)
	}
	if back != nil {
		return fmt.Errorf("%w: %s", cycle, arrows(append([]string{from}, back...)))
	}
	return nil
}

// exists checks that a card refers to one that there is.
func (r Rules) exists(what, id string) error {
	_, err := r.lookup(id)
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("%w: %s %s does not exist", ErrInvalid, what, id)
	}
	if err != nil {
		return fmt.Errorf("read %s %s: %w", what, id, err)
	}
	return nil
}

// path returns the ids on a way from one card to another along next, both
// included, or nil when there is none. Cards that do not exist lead nowhere.
func (r Rules) path(from, to string, next func(Issue) []string) ([]string, error) {
	seen := map[string]bool{}
	var walk func(id string) ([]string, error)
	walk = func(id string) ([]string, error) {
		if id == to {
			return []string{id}, nil
		}
		if id == "" || seen[id] {
			return nil, nil
		}
		seen[id] = true
		i, err := r.lookup(id)
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, n := range next(i) {
			if rest, err := walk(n); err != nil || rest != nil {
				return append([]string{id}, rest...), err
			}
		}
		return nil, nil
	}
	return walk(from)
}

// arrows shows a way over cards to people.
func arrows(ids []string) string {
	short := make([]string, len(ids))
	for i, id := range ids {
		short[i] = ShortID(id)
	}
	return strings.Join(short, " -> ")
}
