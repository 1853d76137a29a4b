package cli

import (
	"fmt"
	"strings"
)

// didYouMean returns `, did you mean "x"?` for the candidate nearest to word,
// or nothing when none is near.
func didYouMean(word string, candidates []string) string {
	best, bestDist := "", len(word)/3+2
	for _, c := range candidates {
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if len(word) > 1 && strings.HasPrefix(c, word) {
			d = min(d, 1)
		}
		if d < bestDist {
			best, bestDist = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// distance is the Levenshtein distance in runes.
func distance(a, b string) int {
	ra, rb := []rune(a), []rune(b)
	row := make([]int, len(rb)+1)
	for j := range row {
		row[j] = j
	}
	for i := range ra {
		diag := row[0]
		row[0] = i + 1
		for j := range rb {
			cost := 1
			if ra[i] == rb[j] {
				cost = 0
			}
			diag, row[j+1] = row[j+1], min(diag+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(rb)]
}
