package dispatch

import (
	"strings"
	"time"

	"iterion/native/board"
)

// identifier is the short form of an issue id, for people: the first eight
// characters of what follows the scheme.
func identifier(id string) string {
	if _, rest, ok := strings.Cut(id, ":"); ok {
		id = rest
	}
	if len(id) > 8 {
		return id[:8]
	}
	return id
}

func clearRemedy(is board.Issue) string {
	return "iterion issue update " + identifier(is.ID) + " --clear-last-run"
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func byName(who string) string {
	if who == "" {
		return ""
	}
	return " by " + who
}

func byWhom(d Desired) string { return byName(d.By) + because(d.Reason) }

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func ofRun(id string) string {
	if id == "" {
		return ""
	}
	return ", run " + id
}

func list(ids []string) string {
	const shown = 3
	names := make([]string, 0, shown)
	for i, id := range ids {
		if i == shown {
			names = append(names, "…")
			break
		}
		names = append(names, identifier(id))
	}
	return strings.Join(names, ", ")
}
