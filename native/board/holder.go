package board

import (
	"fmt"
	"slices"
)

// The verbs of a claim's holder. Each refuses a fence that is not the card's
// current pair with ErrConflict.

// SetState files the card for its holder.
func (r Rules) SetState(i Issue, f Fence, s Filing) (Change, error) {
	if err := f.check(i); err != nil {
		return Change{}, fmt.Errorf("set state of issue %s: %w", i.ID, err)
	}
	if s.From != "" && i.State != s.From {
		return Change{}, fmt.Errorf("set state of issue %s: %w: it is in %s, not in %s", i.ID, ErrTransitionRejected, i.State, s.From)
	}
	return r.move(i, s.To, Payload{Marker: f.Marker}, true)
}

// SetLastRun stamps the run that the card was last given to. Its history has
// one entry per run, and this run's comes last.
func (r Rules) SetLastRun(i Issue, f Fence, run RunRef) (Change, error) {
	if err := f.check(i); err != nil {
		return Change{}, fmt.Errorf("set last run of issue %s: %w", i.ID, err)
	}
	if run.RunID == "" {
		return Change{}, fmt.Errorf("set last run of issue %s: %w: no run id", i.ID, ErrInvalid)
	}
	if i.LastRunID == run.RunID && i.LastWorkdir == run.Workdir {
		return same(i), nil
	}
	if run.At.IsZero() {
		run.At = r.now()
	}
	run.At = run.At.Round(0).UTC()
	i = i.Clone()
	i.Runs = slices.DeleteFunc(i.Runs, func(o RunRef) bool { return o.RunID == run.RunID })
	i.Runs = append(i.Runs, run)
	i.LastRunID, i.LastWorkdir = run.RunID, run.Workdir
	return r.tell(i, EventIssueLastRunUpdated, Payload{RunID: run.RunID, Workdir: run.Workdir}), nil
}

// SetAwaitingInput sets or clears the flag of a card whose run asks a person.
func (r Rules) SetAwaitingInput(i Issue, f Fence, awaiting bool) (Change, error) {
	if err := f.check(i); err != nil {
		return Change{}, fmt.Errorf("set awaiting input of issue %s: %w", i.ID, err)
	}
	if i.AwaitingInput == awaiting {
		return same(i), nil
	}
	i.AwaitingInput = awaiting
	return r.tell(i, EventIssueUpdated, Payload{Changed: []string{"awaiting_input"}}), nil
}

// SetGaveUp stamps the card as given up in the column that it is in. An empty
// State and a zero At are filled in.
func (r Rules) SetGaveUp(i Issue, f Fence, g GaveUp) (Change, error) {
	if err := f.check(i); err != nil {
		return Change{}, fmt.Errorf("set gave up of issue %s: %w", i.ID, err)
	}
	if g.State == "" {
		g.State = i.State
	}
	if g.At.IsZero() {
		g.At = r.now()
	}
	g.At = g.At.Round(0).UTC()
	if !g.stands(i) {
		return Change{}, fmt.Errorf("set gave up of issue %s: %w: it is in %s with last run %q, the stamp says %s and %q",
			i.ID, ErrInvalid, i.State, i.LastRunID, g.State, g.RunID)
	}
	i.GaveUp = &g
	p := Payload{GaveUp: true, RunID: g.RunID, State: g.State, Attempts: g.Attempts}
	return r.tell(i, EventIssueGaveUp, p), nil
}

// stands reports whether the stamp still says something of the card.
func (g *GaveUp) stands(i Issue) bool {
	return g != nil && g.State == i.State && (g.Launch || g.RunID == i.LastRunID)
}

// GivenUp returns the card's give-up stamp, or nil when there is none or it has
// expired.
func (i Issue) GivenUp() *GaveUp {
	if !i.GaveUp.stands(i) {
		return nil
	}
	return i.GaveUp
}
