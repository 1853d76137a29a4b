package daemon

import (
	"context"
	"time"

	"iterion/daemon/dispatch"
	"iterion/daemon/watchdog"
	"iterion/native/board"
)

// watchdogRow is where the watchdog stands behind the rows of the dispatch guards.
const watchdogRow = 16

// watchdogVerdict adds to what the dispatch guards say of a card what the watchdog
// says of its claim. A claim that this daemon looks after itself is none of its
// business.
func watchdogVerdict(ctx context.Context, w *watchdog.Watchdog, b dispatch.Board, id string, rows []dispatch.Verdict) ([]dispatch.Verdict, error) {
	is, err := b.Get(ctx, id)
	if err != nil {
		return rows, err
	}
	o, ok, err := w.Opinion(ctx, is)
	if err != nil || !ok || o.Tended {
		return rows, err
	}
	return append(rows, dispatch.Verdict{
		Row: watchdogRow, Guard: "watchdog", Answer: dispatch.AnswerActs,
		Reason: o.Verdict(time.Now()), Remedy: o.Remedy(board.ShortID(id)),
	}), nil
}
