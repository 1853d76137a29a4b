package board

import (
	"fmt"
	"strings"
)

// Move refiles a card, claimed or not. A card that gave up in the column that it
// is moved to loses the stamp.
func (r Rules) Move(i Issue, to string) (Change, error) {
	return r.move(i, to, Payload{}, false)
}

func (r Rules) move(i Issue, to string, p Payload, keepStamp bool) (Change, error) {
	if err := r.Schema.CheckState(to); err != nil {
		return Change{}, fmt.Errorf("move issue %s: %w", i.ID, err)
	}
	if i.State == to {
		return r.stay(i, keepStamp), nil
	}
	if r.Schema.Terminal(i.State) && !r.Schema.Terminal(to) {
		return Change{}, fmt.Errorf("move issue %s from %s to %s: %w; reopen it instead", i.ID, i.State, to, ErrTerminal)
	}
	p.From, p.To = i.State, to
	return r.tell(r.enter(i, to), EventIssueStateChanged, p), nil
}

// stay refiles a card into the column that it is in.
func (r Rules) stay(i Issue, keepStamp bool) Change {
	if i.GaveUp == nil || keepStamp {
		return same(i)
	}
	p := Payload{RunID: i.GaveUp.RunID, State: i.State}
	i.GaveUp = nil
	return r.tell(i, EventIssueGaveUp, p)
}

// enter puts the card into another column.
func (r Rules) enter(i Issue, to string) Issue {
	i.State, i.StateAt, i.StateReason = to, r.now(), r.By.Reason
	return i
}

// Reopen takes a card out of a terminal column to a working one. It is refused
// while a dependent is out that this card's done has set free: it would go on
// without the work it waited for.
func (r Rules) Reopen(i Issue, to string, dependents []Issue) (Change, error) {
	if err := r.reopens(i, to, dependents); err != nil {
		return Change{}, fmt.Errorf("reopen issue %s: %w", i.ID, err)
	}
	p := Payload{From: i.State, To: to}
	return r.tell(r.enter(i, to), EventIssueStateChanged, p), nil
}

func (r Rules) reopens(i Issue, to string, dependents []Issue) error {
	if err := r.Schema.CheckState(to); err != nil {
		return err
	}
	if !r.Schema.Terminal(i.State) {
		return fmt.Errorf("%w: it is in %s, which is not terminal", ErrTransitionRejected, i.State)
	}
	if r.Schema.Terminal(to) {
		return fmt.Errorf("%w: %s is terminal, too; choose a working column", ErrTransitionRejected, to)
	}
	if p := r.promoted(i, dependents); len(p) > 0 {
		return fmt.Errorf("%w: its done has set free %s; move them back first", ErrTransitionRejected, strings.Join(p, ", "))
	}
	return nil
}

// promoted returns the dependents that the card's done has set free: those that
// still stand where Unblock has put them, and those that somebody works on.
func (r Rules) promoted(i Issue, dependents []Issue) []string {
	if i.State != StateDone {
		return nil
	}
	var ids []string
	for _, d := range Dependents(dependents, i.ID) {
		worked := d.Claim != "" && d.State != StateWaitingDeps && !r.Schema.Terminal(d.State)
		if d.StateReason == ReasonUnblocked || worked {
			ids = append(ids, ShortID(d.ID))
		}
	}
	return ids
}

// Delete removes a card. A claimed one is refused with *ClaimedError unless force.
func (r Rules) Delete(i Issue, force bool) (Change, error) {
	if i.Claim != "" && !force {
		return Change{}, fmt.Errorf("delete issue: %w", &ClaimedError{Issue: i})
	}
	return Change{Issue: i, Event: r.event(EventIssueDeleted, i.ID, Payload{}), Write: true, Gone: true}, nil
}
