package cronspec

import (
	"errors"
	"fmt"
	"strings"
)

// ErrInvalid is what all refusals of this package are.
var ErrInvalid = errors.New("invalid cron expression")

// Error is a refused expression. Fix holds an example in backquotes, the first of
// which can be taken as it stands wherever the expression is at fault.
type Error struct {
	Expr  string // as given
	Field string // the part that is wrong: "hour", "time zone", "expression"
	What  string // what is wrong with it
	Fix   string // what to write instead
}

func (e *Error) Error() string {
	if e.Expr == "" {
		return fmt.Sprintf("cron expression: %s; %s", e.What, e.Fix)
	}
	return fmt.Sprintf("cron expression %q: %s: %s; %s", e.Expr, e.Field, e.What, e.Fix)
}

// Is makes every refusal ErrInvalid.
func (e *Error) Is(target error) bool { return target == ErrInvalid }

// nearest returns the word that takes the fewest edits, if it is near enough to be
// what was meant.
func nearest(word string, words []string) (string, bool) {
	best, found := len(word)/3+1, ""
	for _, w := range words {
		if d := edits(strings.ToLower(word), strings.ToLower(w)); d < best || d == best && found == "" {
			best, found = d, w
		}
	}
	return found, found != ""
}

// edits is the Levenshtein distance of two words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
