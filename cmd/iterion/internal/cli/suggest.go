package cli

import (
	"fmt"
	"strings"

	"iterion/bots/manifest"
)

// didYouMean returns `, did you mean "x"?` for the candidate that word begins, else
// for the nearest one, or nothing when none is near.
func didYouMean(word string, candidates []string) string {
	for _, c := range candidates {
		if len(word) > 1 && strings.HasPrefix(c, word) {
			return fmt.Sprintf(", did you mean %q?", c)
		}
	}
	if near := manifest.Nearest(strings.ToLower(word), candidates); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}
