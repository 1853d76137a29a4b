package board

import (
	"fmt"
	"strings"
)

// RenameState gives a column another name: on the board and, with a Change for
// each, on those of the cards that are in it. The columns of the default board keep their
// names, because the rules know them by those. Errors: ErrInvalid, ErrExists.
func (r Rules) RenameState(cards []Issue, from, to string) (SchemaChange, []Change, error) {
	r.By.Reason = ReasonStateRenamed
	next, err := r.renamed(from, strings.TrimSpace(valid(to)))
	if err != nil {
		return SchemaChange{}, nil, fmt.Errorf("rename state %s: %w", from, err)
	}
	c, err := r.SetSchema(next, nil)
	if err != nil {
		return SchemaChange{}, nil, err
	}
	to = next.States[r.Schema.stateIndex(from)].Name
	var moved []Change
	for _, i := range cards {
		if i.State == from {
			moved = append(moved, r.renamedUnder(i.Clone(), to))
		}
	}
	return c, moved, nil
}

func (r Rules) renamed(from, to string) (Schema, error) {
	if err := r.Schema.CheckState(from); err != nil {
		return Schema{}, err
	}
	switch {
	case DefaultSchema().stateIndex(from) >= 0:
		return Schema{}, fmt.Errorf("%w: the board's rules know this column by its name; change its display instead", ErrInvalid)
	case to == "" || to == from:
		return Schema{}, fmt.Errorf("%w: %q is no new name", ErrInvalid, to)
	case r.Schema.stateIndex(to) >= 0:
		return Schema{}, fmt.Errorf("state %s: %w", to, ErrExists)
	}
	next := r.Schema.Clone()
	next.States[next.stateIndex(from)].Name = to
	return next, nil
}

// renamedUnder takes the give-up stamp along: the card is where it gave up.
func (r Rules) renamedUnder(i Issue, to string) Change {
	p := Payload{From: i.State, To: to}
	if i.GaveUp != nil && i.GaveUp.State == i.State {
		i.GaveUp.State = to
	}
	return r.tell(r.enter(i, to), EventIssueStateChanged, p)
}
