package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/board"
)

// beat renews one claim every third of its lease until its context ends. A
// failed renewal is tried again at the next beat; a conflict is told once and is
// the end of it.
type beat struct {
	issueID string
	fence   board.Fence
	lease   time.Duration
}

func (e beat) do(ctx context.Context, d *Dispatcher) {
	every := e.lease / 3
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		err := e.renew(ctx, d.opts.Board, every)
		switch {
		case err == nil, ctx.Err() != nil:
		case errors.Is(err, board.ErrConflict), errors.Is(err, board.ErrNotFound):
			d.tell(claimLost{issueID: e.issueID, fence: e.fence})
			return
		default:
			d.tell(troubled{fmt.Sprintf("renew the claim on %s: %v", board.ShortID(e.issueID), err)})
		}
	}
}

// renew gives up before the next beat is due, so that one call that hangs does
// not cost the lease.
func (e beat) renew(ctx context.Context, b Board, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within/2)
	defer cancel()
	return b.Renew(ctx, e.issueID, e.fence, e.lease)
}
