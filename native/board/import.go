package board

import (
	"fmt"
	"slices"
)

// Record is a card as another board, or another tool, tells it.
type Record struct {
	Issue Issue
	// Foreign says that another tool tells it, which knows only a part of what a
	// card is. Of a card that is there, what the tool says nothing of stays;
	// labels, blockers and comments are added, never taken away; and the column
	// follows the tool's own state (External.State) only when that has changed
	// since the last time.
	Foreign bool
}

// Outcome is what an import made of a record.
type Outcome string

// The outcomes of an import.
const (
	ImportCreated   Outcome = "created"
	ImportUpdated   Outcome = "updated"
	ImportUnchanged Outcome = "unchanged"
)

// Import files a record under its id: as a new card, or as one change of the
// card was, or as none when that says the same already. The instants of creation
// and of the last column change are the record's where the card is new. A claim
// is never imported, and a record that differs in what belongs to the claim's
// holder (the column and the runs) is refused with *ClaimedError while there is
// one. Comments and runs are only ever added. A blocker or parent may be missing:
// its record may come later.
func (r Rules) Import(was *Issue, rec Record) (Change, Outcome, error) {
	r.By.Reason = ReasonImport
	c, did, err := r.importRecord(was, rec)
	if err != nil {
		return Change{}, "", fmt.Errorf("import issue %s: %w", rec.Issue.ID, err)
	}
	return c, did, nil
}

func (r Rules) importRecord(was *Issue, rec Record) (Change, Outcome, error) {
	next, err := r.cleanRecord(rec.Issue)
	if err != nil {
		return Change{}, "", err
	}
	if was == nil {
		return r.importNew(next)
	}
	if rec.Foreign {
		next = r.overlay(*was, next)
	} else {
		next = replacement(*was, next)
	}
	return r.importOver(*was, next)
}

func (r Rules) importNew(next Issue) (Change, Outcome, error) {
	if next.Fields == nil {
		next.Fields = map[string]any{}
	}
	if err := r.Schema.defaults(next.Fields); err != nil {
		return Change{}, "", err
	}
	next.Fields = orNil(next.Fields)
	if err := r.Schema.required(next.Fields); err != nil {
		return Change{}, "", err
	}
	if next.CreatedAt.IsZero() {
		next.CreatedAt = r.now()
	}
	if next.StateAt.IsZero() {
		next.StateAt, next.StateReason = r.now(), r.By.Reason
	}
	if err := r.checkLoops(next); err != nil {
		return Change{}, "", err
	}
	return r.tell(next, EventIssueCreated, Payload{}), ImportCreated, nil
}

func (r Rules) importOver(was, next Issue) (Change, Outcome, error) {
	if !next.GaveUp.stands(next) {
		next.GaveUp = nil
	}
	changed, err := differingKeys(was, next)
	if err != nil {
		return Change{}, "", err
	}
	if len(changed) == 0 {
		return same(was), ImportUnchanged, nil
	}
	if err := r.mayOverwrite(was, next, changed); err != nil {
		return Change{}, "", err
	}
	p := Payload{
		Changed:       changed,
		LabelsAdded:   without(next.Labels, was.Labels),
		LabelsRemoved: without(was.Labels, next.Labels),
	}
	if slices.Contains(changed, "blockers") {
		p.Blockers = next.Blockers
	}
	if next.State == was.State {
		return r.tell(next, EventIssueUpdated, p), ImportUpdated, nil
	}
	p.From, p.To = was.State, next.State
	return r.tell(r.enter(next, next.State), EventIssueStateChanged, p), ImportUpdated, nil
}

// mayOverwrite checks the rules that bind an import like any other verb.
func (r Rules) mayOverwrite(was, next Issue, changed []string) error {
	holders := []string{"state", "last_run_id", "last_workdir", "awaiting_input", "gave_up", "launch_refusal", "runs"}
	if was.Claim != "" && slices.ContainsFunc(holders, func(k string) bool { return slices.Contains(changed, k) }) {
		return &ClaimedError{Issue: was}
	}
	if r.Schema.Terminal(was.State) && !r.Schema.Terminal(next.State) {
		return fmt.Errorf("from %s to %s: %w; reopen it first", was.State, next.State, ErrTerminal)
	}
	if slices.Contains(changed, "fields") {
		if err := r.Schema.required(next.Fields); err != nil {
			return err
		}
	}
	return r.checkLoops(next)
}

// checkLoops refuses blockers and parents that lead back to the card.
func (r Rules) checkLoops(i Issue) error {
	for _, id := range i.Blockers {
		if err := r.checkLoop(i.ID, id, ErrCycle, func(i Issue) []string { return i.Blockers }); err != nil {
			return err
		}
	}
	if i.ParentID == "" {
		return nil
	}
	return r.checkLoop(i.ID, i.ParentID, ErrParentCycle, func(i Issue) []string { return []string{i.ParentID} })
}
