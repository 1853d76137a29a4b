package board

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Bot arguments that the board itself heeds.
const (
	// ArgRequireBlockerLabels lists, by commas, labels that every blocker of the
	// card must bear to be satisfied.
	ArgRequireBlockerLabels = "require_blocker_labels"
	// ArgAutoReady sends the card to ready, not backlog, once its blockers are
	// satisfied.
	ArgAutoReady = "auto_ready"
)

// SatisfiedBy reports whether a blocker no longer holds the card back.
func (i Issue) SatisfiedBy(blocker Issue) bool {
	if blocker.State != StateDone {
		return false
	}
	for l := range strings.SplitSeq(i.BotArgs[ArgRequireBlockerLabels], ",") {
		if l = strings.TrimSpace(l); l != "" && !slices.Contains(blocker.Labels, l) {
			return false
		}
	}
	return true
}

// OpenBlockers returns the blockers that hold the card back. One that cannot be
// read counts among them.
func OpenBlockers(i Issue, lookup func(id string) (Issue, error)) []string {
	var open []string
	for _, id := range i.Blockers {
		if b, err := lookup(id); err != nil || !i.SatisfiedBy(b) {
			open = append(open, id)
		}
	}
	return open
}

// Dependents returns those of the cards that id is a blocker of.
func Dependents(cards []Issue, id string) []Issue {
	var out []Issue
	for _, c := range cards {
		if slices.Contains(c.Blockers, id) {
			out = append(out, c)
		}
	}
	return out
}

// Unblock returns what becomes of the dependents of a card that has just reached
// done: those in waiting_deps with no open blocker left move on. Lookup reads
// their other blockers.
func (r Rules) Unblock(closed Issue, dependents []Issue) []Change {
	r.By.Reason = ReasonUnblocked
	lookup := func(id string) (Issue, error) {
		if id == closed.ID {
			return closed, nil
		}
		return r.lookup(id)
	}
	var out []Change
	for _, d := range dependents {
		to := r.unblockedState(d)
		if d.State != StateWaitingDeps || to == "" || !slices.Contains(d.Blockers, closed.ID) || len(OpenBlockers(d, lookup)) > 0 {
			continue
		}
		p := Payload{From: d.State, To: to, ClosedBlocker: closed.ID}
		out = append(out, r.tell(r.enter(d, to), EventIssueUnblocked, p))
	}
	return out
}

// unblockedState is where a card goes whose blockers are satisfied, or "" on a
// board that has no such column.
func (r Rules) unblockedState(i Issue) string {
	if truthy(i.BotArgs[ArgAutoReady]) && r.Schema.stateIndex(StateReady) >= 0 {
		return StateReady
	}
	if r.Schema.stateIndex(StateBacklog) >= 0 {
		return StateBacklog
	}
	return ""
}

// checkBlocker refuses a blocker that does not exist or that the card, by its
// own blockers or theirs, holds back itself.
func (r Rules) checkBlocker(i Issue, id string) error {
	if id != i.ID {
		if err := r.exists("blocker", id); err != nil {
			return err
		}
	}
	loop, err := r.path(id, i.ID, func(i Issue) []string { return i.Blockers })
	if err != nil {
		return fmt.Errorf("check blocker %s: %w", id, err)
	}
	if loop != nil {
		return fmt.Errorf("%w: %s", ErrCycle, arrows(append([]string{i.ID}, loop...)))
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
