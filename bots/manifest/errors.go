package manifest

import (
	"errors"
	"fmt"
	"strings"
)

// ErrInvalid is what all refusals of this package are.
var ErrInvalid = errors.New("invalid")

// Error is everything that is wrong with one manifest.
type Error struct {
	Problems []Problem // by line
}

// Problem is one thing that is wrong.
type Problem struct {
	File string
	Line int    // from 1
	Key  string // dotted, e.g. run.timeout; empty for the file as a whole
	What string // what is wrong and what is right
}

func (p Problem) String() string {
	at := fmt.Sprintf("%s:%d: ", p.File, p.Line)
	if p.Key == "" {
		return at + p.What
	}
	return at + p.Key + ": " + p.What
}

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes every Error an ErrInvalid.
func (e *Error) Unwrap() error { return ErrInvalid }
