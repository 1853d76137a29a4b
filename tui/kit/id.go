package kit

import (
	"strings"

	"iterion/native/run"
)

// Short is a card id as people meet it: the first eight characters of the part
// after the colon.
func Short(id string) string {
	if _, rest, ok := strings.Cut(id, ":"); ok {
		id = rest
	}
	return Clean(first(id, 8))
}

// ShortRun is a run id as people meet it, here and in what commands print and
// take.
func ShortRun(id string) string { return Clean(run.Short(id)) }

func first(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
