package board

import (
	"fmt"
	"strings"
)

// unknownName refuses a name that is not one of the valid ones, and says which
// are and which was probably meant.
func unknownName(what, name string, valid []string) error {
	msg := fmt.Sprintf("unknown %s %q", what, name)
	if near := nearest(name, valid); near != "" {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	if len(valid) == 0 {
		return fmt.Errorf("%w: %s (this board has none)", ErrInvalid, msg)
	}
	return fmt.Errorf("%w: %s (valid: %s)", ErrInvalid, msg, strings.Join(valid, ", "))
}

// nearest returns the valid name that differs least from name, or "" when none
// is close enough to be a slip.
func nearest(name string, valid []string) string {
	best, least := "", 1+max(1, len(name)/3)
	for _, v := range valid {
		if d := distance(strings.ToLower(name), strings.ToLower(v)); d < least {
			best, least = v, d
		}
	}
	return best
}

// distance counts the single-byte edits, and the swaps of two neighbours, between
// two names.
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
