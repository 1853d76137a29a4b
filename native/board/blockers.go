package board

import (
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

// addBlockers adds blockers that the card does not have yet.
func (r Rules) addBlockers(i *Issue, ids []string) error {
	for _, id := range ids {
		id = strings.TrimSpace(id)
		if slices.Contains(i.Blockers, id) {
			continue
		}
		if err := r.checkBlocker(*i, id); err != nil {
			return err
		}
		i.Blockers = append(i.Blockers, id)
	}
	return nil
}
