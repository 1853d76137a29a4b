package trigger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/run"
)

// FeedInbox is the name of the inbox among an outbox's cursors.
const FeedInbox = "inbox"

// Inbox takes the events that no log tells of (run outcomes, manual and custom
// ones) until the evaluator has read them. It is safe for concurrent use, over
// processes where the twin is shared between them. What Put returned for is
// durable.
type Inbox interface {
	// Put appends events in their order and returns how many were new: one whose id
	// is among the last InboxLookback is there already. An event without an id is
	// refused with ErrNoEventID.
	Put(ctx context.Context, events ...Event) (added int, err error)
	// Events returns at most limit (0: all) entries with Seq > after, oldest first.
	Events(ctx context.Context, after int64, limit int) ([]Posted, error)
	// Tip returns the highest Seq so far, or -1.
	Tip(ctx context.Context) (int64, error)
	// Told returns the id of the last outcome of each run that was put, also of those
	// that were trimmed. ok is false while Baseline was never called.
	Told(ctx context.Context) (last map[string]string, ok bool, err error)
	// Baseline notes outcomes, by run id, as told without making events of them: what
	// had happened before anybody listened.
	Baseline(ctx context.Context, last map[string]string) error
	// Trim may forget the entries up to a place that all readers have passed, and what
	// was told of runs that keep says are gone. Seq goes on.
	Trim(ctx context.Context, upto int64, keep func(runID string) bool) error
}

// InboxLookback is over how many of the newest entries an id counts once.
const InboxLookback = 1000

// ErrNoEventID refuses an event that a repeat could not be told from.
var ErrNoEventID = errors.New("an event without an id")

// ErrTooLarge refuses an event that no entry can hold.
var ErrTooLarge = errors.New("too large")

// Posted is one entry of an Inbox.
type Posted struct {
	Seq   int64     `json:"seq"`
	At    time.Time `json:"timestamp"`
	Event Event     `json:"event"`
}

// OutcomeID names what became of a run: the same for whoever tells it, and another
// one for the next outcome of the same run. It is empty for a run that is at work.
func OutcomeID(rec run.Record) string {
	switch {
	case rec.Status.Final():
		return fmt.Sprintf("run:%s:%d", rec.ID, rec.OutcomeSeq)
	case rec.Status.Paused():
		// A pause counts in no outcome_seq; each follows a start of its own.
		return fmt.Sprintf("run:%s:%d:paused:%d", rec.ID, rec.OutcomeSeq, rec.StartedAt.UnixNano())
	}
	return ""
}
