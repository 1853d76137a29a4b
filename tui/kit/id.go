package kit

import "strings"

// Short is a card id as people meet it: the first eight characters of the part
// after the colon.
func Short(id string) string {
	if _, rest, ok := strings.Cut(id, ":"); ok {
		id = rest
	}
	return Clean(first(id, 8))
}

// ShortRun is a run id as people meet it. Its first 13 characters are the
// millisecond of its making; fewer are often shared between runs.
func ShortRun(id string) string { return Clean(first(id, 13)) }

func first(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
