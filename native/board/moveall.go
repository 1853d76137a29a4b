package board

import (
	"fmt"
	"slices"
)

// Moved is what became of one card of a MoveAll.
type Moved struct {
	From  string // the column that it was in
	Issue Issue  // the card now; as it was when Err is set
	Err   error  // why it stayed
}

// MoveAll refiles several cards as one verb: each as the ones before it left the
// board, so that a card waiting for two of them moves on once. A card that may
// not go, or is not there, keeps none of the others back. waiting returns every
// card that has blockers; it is asked at most once, and only when a card reaches
// done.
func (r Rules) MoveAll(ids []string, to string, waiting func() ([]Issue, error)) ([]Moved, []Change, error) {
	if err := r.Schema.CheckState(to); err != nil {
		return nil, nil, fmt.Errorf("move issues: %w", err)
	}
	b := &batch{now: map[string]Issue{}, all: waiting, under: r.lookup}
	r.Lookup = b.lookup
	moved := make([]Moved, len(ids))
	for n, id := range ids {
		i, err := r.Lookup(id)
		moved[n] = Moved{From: i.State, Issue: i, Err: err}
		if err != nil {
			continue
		}
		c, err := r.Move(i, to)
		if err != nil {
			moved[n].Err = err
			continue
		}
		if err := b.add(r, c); err != nil {
			return nil, nil, err
		}
		moved[n].Issue = c.Issue
	}
	return moved, b.changes, nil
}

// batch is a verb over several cards while it is being judged.
type batch struct {
	now     map[string]Issue // the cards that it has touched so far
	changes []Change
	under   func(id string) (Issue, error) // reads a card as the board has it
	all     func() ([]Issue, error)        // every card that has blockers
	waiting map[string][]Issue             // cards by each of their blockers; nil: not asked for yet
}

// lookup reads a card as the batch has left it so far.
func (b *batch) lookup(id string) (Issue, error) {
	if i, touched := b.now[id]; touched {
		return i, nil
	}
	return b.under(id)
}

// add notes a change and what it brings about for other cards.
func (b *batch) add(r Rules, c Change) error {
	if !c.Write {
		return nil
	}
	b.note(c)
	if !c.Closes() {
		return nil
	}
	dependents, err := b.dependents(c.Issue.ID)
	if err != nil {
		return err
	}
	for _, follow := range r.Unblock(c.Issue, dependents) {
		b.note(follow)
	}
	return nil
}

func (b *batch) note(c Change) {
	b.now[c.Issue.ID] = c.Issue
	b.changes = append(b.changes, c)
}

// dependents returns the cards that id is a blocker of, as they stand now.
func (b *batch) dependents(id string) ([]Issue, error) {
	if b.waiting == nil {
		all, err := b.all()
		if err != nil {
			return nil, err
		}
		b.waiting = map[string][]Issue{}
		for _, i := range all {
			for _, blocker := range i.Blockers {
				b.waiting[blocker] = append(b.waiting[blocker], i)
			}
		}
	}
	out := slices.Clone(b.waiting[id])
	for n, i := range out {
		if now, touched := b.now[i.ID]; touched {
			i = now
		}
		out[n] = i.Clone()
	}
	return out, nil
}
