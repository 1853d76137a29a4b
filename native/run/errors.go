package run

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels of the runs of a store.
var (
	ErrNotFound = errors.New("run not found")
	ErrExists   = errors.New("run already exists")
	ErrInvalid  = errors.New("invalid run reference")
)

// UnreadableError names a run whose record cannot be read.
type UnreadableError struct {
	ID  string
	Err error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("record of run %s is unreadable: %v", e.ID, e.Err)
}

// Unwrap returns the reason.
func (e *UnreadableError) Unwrap() error { return e.Err }

// AmbiguousError is a reference that names several runs. It is an ErrInvalid.
type AmbiguousError struct {
	Ref string
	IDs []string // newest first
}

func (e *AmbiguousError) Error() string {
	shown := e.IDs[:min(len(e.IDs), 10)]
	return fmt.Sprintf("run %s is ambiguous, it names %d runs: %s", e.Ref, len(e.IDs), strings.Join(shown, ", "))
}

// Unwrap makes every AmbiguousError an ErrInvalid.
func (e *AmbiguousError) Unwrap() error { return ErrInvalid }

// TransitionError refuses a change of status that the machine does not know.
type TransitionError struct{ From, To Status }

func (e *TransitionError) Error() string {
	return fmt.Sprintf("a run cannot go from %s to %s", e.From, e.To)
}
