package board

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels of the Store contract; every twin returns these, wrapped.
var (
	ErrNotFound           = errors.New("not found")
	ErrInvalid            = errors.New("invalid")             // bad input: title, state, field, label, blocker
	ErrExists             = errors.New("already exists")      // id taken
	ErrConflict           = errors.New("claim lost")          // the fence is not the card's current pair
	ErrTransitionRejected = errors.New("transition rejected") // a column rule or a From precondition
	ErrTerminal           = fmt.Errorf("%w: the column is terminal", ErrTransitionRejected)
	ErrCycle              = fmt.Errorf("%w: blockers form a cycle", ErrInvalid)
	ErrBusy               = errors.New("the store is busy") // writer lock not had in time
	ErrReadOnly           = errors.New("the store is read-only")
	ErrAmbiguous          = errors.New("outcome unknown") // the write may or may not have happened
)

// ClaimedError refuses a verb because somebody else holds the card. It is an
// ErrConflict.
type ClaimedError struct {
	Issue Issue // as it stood: Claim, ClaimEpoch, ClaimedAt, ClaimLeaseUntil name the holder
}

func (e *ClaimedError) Error() string {
	return fmt.Sprintf("issue %s is claimed by %s", e.Issue.ID, e.Issue.Claim)
}

// Unwrap makes every ClaimedError an ErrConflict.
func (e *ClaimedError) Unwrap() error { return ErrConflict }

// AmbiguousError is a reference that names several cards. It is an ErrInvalid.
type AmbiguousError struct {
	Ref     string
	Matches []Issue // at most ten, in id order
	More    int     // how many are left out
}

func (e *AmbiguousError) Error() string {
	ids := make([]string, len(e.Matches))
	for i, m := range e.Matches {
		ids[i] = m.ID
	}
	s := fmt.Sprintf("%q is ambiguous: %s", e.Ref, strings.Join(ids, ", "))
	if e.More > 0 {
		s += fmt.Sprintf(" and %d more", e.More)
	}
	return s
}

// Unwrap makes every AmbiguousError an ErrInvalid.
func (e *AmbiguousError) Unwrap() error { return ErrInvalid }

// UnreadableError is a record that is there and cannot be read. It is never an
// ErrNotFound.
type UnreadableError struct {
	ID   string // best guess from the record's name
	Path string // where it lies; empty where the twin has no files
	Err  error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("issue %s is unreadable (%s): %v", e.ID, e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *UnreadableError) Unwrap() error { return e.Err }

// UnreadableSchemaError is a board (columns, fields, views) that is there and
// cannot be read, or not be worked with. It is no ErrInvalid, whatever is wrong
// with the record: nobody's input was bad.
type UnreadableSchemaError struct {
	Path string // where it lies; empty where the twin has no files
	Err  error
}

func (e *UnreadableSchemaError) Error() string {
	return fmt.Sprintf("board %s is unreadable: %v", e.Path, e.Err)
}
