package hostcron

import (
	"errors"
	"fmt"
	"strings"
)

// What the refusals of this package are.
var (
	ErrInvalid  = errors.New("invalid")        // a value, a row or a file is wrong
	ErrUnknown  = errors.New("no schedule")    // of that name
	ErrExists   = errors.New("already exists") // a schedule of that name
	ErrConflict = errors.New("changed meanwhile")
	// ErrNoCrontab: there is no crontab program to be found.
	ErrNoCrontab = errors.New("no crontab program")
	// ErrDamaged: the managed block of a crontab is not whole.
	ErrDamaged = errors.New("damaged block")
)

// Problem is one thing that is wrong with a manifest, or only odd.
type Problem struct {
	File string
	Line int    // from 1
	Name string // of the schedule, if it is known
	Key  string // of the row; empty for the row or the file as a whole
	What string // what is wrong and what is right
	Odd  bool   // a warning: the row works all the same
}

func (p Problem) String() string {
	at := ""
	if p.File != "" {
		at = fmt.Sprintf("%s:%d: ", p.File, max(p.Line, 1))
	}
	if p.Name != "" {
		at += p.Name + ": "
	}
	if p.Key != "" {
		at += p.Key + ": "
	}
	return at + p.What
}

// Error is everything that is wrong with one manifest or row.
type Error struct{ Problems []Problem }

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Is makes every Error an ErrInvalid.
func (e *Error) Is(target error) bool { return target == ErrInvalid }

// UnknownError says that the manifest has no schedule of a name.
type UnknownError struct {
	Name, Manifest string
	Near           string // what may have been meant
}

func (e *UnknownError) Error() string {
	s := fmt.Sprintf("no schedule %q in %s", e.Name, e.Manifest)
	if e.Near != "" {
		return s + fmt.Sprintf(", did you mean %s?", e.Near)
	}
	return s + ": `iterion schedule list` shows them"
}

// Is makes every UnknownError an ErrUnknown.
func (e *UnknownError) Is(target error) bool { return target == ErrUnknown }
