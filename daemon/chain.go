package daemon

import (
	"context"
	"slices"

	"iterion/daemon/dispatch"
	"iterion/native/board"
)

// boardLog is what is read of the board's log to find who moved a card.
type boardLog interface {
	Events(ctx context.Context, after int64, limit int) ([]board.Event, error)
	Tip(ctx context.Context) (int64, error)
}

// longestWalk bounds how many events are looked at for the launch of one card. A card
// that waited longer than that begins a chain anew.
const longestWalk = 1 << 14

// depth returns the chain depth of a run that a card is launched for: one more than
// that of the run which filed the card where it is, or made it. What people do begins
// a chain anew; the dispatcher's own filings do not.
//
// So bots that send a card to each other form a chain like those that launch each
// other. A log that cannot be read keeps no card from its run.
func (p *runsPort) depth(ctx context.Context, is board.Issue) int {
	by, err := lastFiler(ctx, p.log, is)
	if err != nil && p.launcher.Log != nil {
		p.launcher.Log.Warn("how long a chain of runs is cannot be said", "issue_id", is.ID, "err", err)
	}
	if by == "" {
		return 0
	}
	rec, err := p.dir.Get(by)
	if err != nil {
		return 0 // pruned, or it cannot be read
	}
	return rec.ChainDepth + 1
}

// lastFiler returns the run whose bot filed a card where it is, empty when it was none.
func lastFiler(ctx context.Context, log boardLog, is board.Issue) (runID string, err error) {
	to, err := log.Tip(ctx)
	if err != nil {
		return "", err
	}
	for window, seen := int64(256), int64(0); to >= 0 && seen < longestWalk; window *= 2 {
		from := max(to-window, -1)
		events, err := log.Events(ctx, from, int(to-from))
		if err != nil {
			return "", err
		}
		for _, e := range slices.Backward(events) {
			if e.Seq <= to && e.IssueID == is.ID && files(e) && e.Payload.ByActor != dispatch.Actor {
				return e.Payload.ByRun, nil
			}
		}
		to, seen = from, seen+window
	}
	return "", nil
}

// files reports whether an event brought its card into a column.
func files(e board.Event) bool {
	switch e.Type {
	case board.EventIssueCreated, board.EventIssueStateChanged, board.EventIssueUnblocked:
		return true
	}
	return false
}
