package dispatch

import (
	"iterion/native/board"
)

// openBlockers returns the hard blockers of a card that are not satisfied.
func openBlockers(is *board.Issue, find func(id string) *board.Issue) []string {
	if len(is.Blockers) == 0 {
		return nil
	}
	var open []string
	for _, id := range is.Blockers {
		b := find(id)
		if b == nil || b.State != board.StateDone {
			open = append(open, id)
		}
	}
	return open
}
