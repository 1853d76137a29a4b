package dispatch

import (
	"strings"
	"time"

	"iterion/native/board"
)

func clearRemedy(is board.Issue) string {
	return "iterion issue update " + board.ShortID(is.ID) + " --clear-last-run"
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
		names = append(names, board.ShortID(id))
	}
	return strings.Join(names, ", ")
}
