package dispatch

import (
	"context"
	"time"

	"iterion/native/board"
)

// effect is something that a step wants done. An effect with a do method runs
// as a worker in a goroutine of its own; the loop does the others itself,
// without waiting.
type effect any

// worker is an effect that reads, writes or waits.
type worker interface {
	do(ctx context.Context, d *Dispatcher)
}

// starter is a worker that takes a card from its slot to its run's end. take ends
// when no new work is to be taken or the claim is lost, live with the dispatcher.
type starter interface {
	id() string
	within(take, live context.Context) worker
}

// Effects that the loop does itself.
type (
	replyError struct {
		to  chan<- error // buffered
		err error
	}
	replyWorld struct {
		to chan<- world // buffered
		w  world
	}
	startBeat struct {
		issueID string
		fence   board.Fence
	}
	endBeat    struct{ issueID string }
	abortStart struct{ issueID string } // the claim is lost: do not launch any more
	startCard  struct{ job starter }
	logWarning struct{ what string }
	logInfo    struct {
		what string
		args []any
	}
)

// Workers with nothing more to them than one call.
type (
	saveDesired struct {
		want  Desired
		reply chan<- error
	}
	sendStop struct {
		issueID, runID string
		request        stopRequest
	}
	saveLedger struct {
		version int64
		entries map[string]RetryEntry
	}
)

func (e saveDesired) do(ctx context.Context, d *Dispatcher) {
	err := d.opts.Intent.Save(ctx, e.want)
	d.tell(desiredSaved{want: e.want, reply: e.reply, err: err})
}

func (e sendStop) do(ctx context.Context, d *Dispatcher) {
	r := e.request
	err := d.opts.Runs.Stop(ctx, e.runID, r.verb, r.by, r.note)
	d.tell(stopTried{issueID: e.issueID, err: err})
}

func (e saveLedger) do(ctx context.Context, d *Dispatcher) {
	if err := d.ledger.save(ctx, e.version, e.entries); err != nil {
		d.tell(troubled{"save the retry ledger: " + err.Error()})
	}
}

// ledgerWriter keeps saves of the ledger in order: an older version of an entry never
// overwrites a newer one. Only workers wait for it.
type ledgerWriter struct {
	port  Ledger
	turn  chan struct{}
	saved map[string]int64 // newest version by card
}

func (l *ledgerWriter) init(port Ledger) {
	l.port, l.turn, l.saved = port, make(chan struct{}, 1), map[string]int64{}
}

func (l *ledgerWriter) save(ctx context.Context, version int64, entries map[string]RetryEntry) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	newer := map[string]RetryEntry{}
	for id, e := range entries {
		if version > l.saved[id] {
			newer[id] = e
		}
	}
	if len(newer) == 0 {
		return nil
	}
	if err := l.port.Save(ctx, newer); err != nil {
		return err
	}
	for id := range newer {
		l.saved[id] = version
	}
	return nil
}

// backoff is min(first * 2^(n-1), most) for n from 1.
func backoff(first time.Duration, n int, most time.Duration) time.Duration {
	d := first
	for ; n > 1 && d < most; n-- {
		d *= 2
	}
	return min(d, most)
}
