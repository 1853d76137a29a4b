package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// ErrStopped is returned by the verbs of a dispatcher whose Run has ended.
var ErrStopped = errors.New("the dispatcher has stopped")

// Options join a dispatcher to its world.
type Options struct {
	Board      Board
	Runs       Runs
	Bots       Bots
	Workspaces Workspaces
	Tracker    Tracker // nil: none that could answer
	Spend      Spend   // nil: there is no ledger, and so no cap
	Journal    Journal
	Ledger     Ledger
	Intent     Intent
	Config     Config

	Owner  string        // uuid of the daemon's owner lock
	NewID  func() string // of runs; must be time-ordered and unique
	Log    *slog.Logger  // nil: nothing is logged
	Marker string        // of claims; "": "dispatcher:" + Owner
	Fault  func(string)  // tests: called at the Fault points; nil in production
}

// Points at which Options.Fault is called, each right after the write that it
// is named for, except settling, which comes before the first write of a
// settlement.
const (
	FaultJournalled = "journalled"
	FaultClaimed    = "claimed"
	FaultRecorded   = "recorded"
	FaultMoved      = "moved"
	FaultPrepared   = "prepared"
	FaultLaunched   = "launched"
	FaultStamped    = "stamped"
	FaultSettling   = "settling"
	FaultCounted    = "counted"
	FaultFiled      = "filed"
	FaultReleased   = "released"
)

// Dispatcher is the handle on one actor. Its methods may be called from any
// goroutine; those that ask the actor something wait until Run serves them.
type Dispatcher struct {
	opts   Options
	log    *slog.Logger
	inbox  chan message
	kicked chan struct{}
	done   chan struct{} // closed when Run has ended

	snapshot atomic.Pointer[Snapshot]
	watchers watchers
	hints    hints
	ledger   ledgerWriter

	st      *state
	beats   map[string]context.CancelFunc // by issue id; the actor's
	starts  map[string]context.CancelFunc // by issue id; the actor's
	workers sync.WaitGroup
}

// New returns a dispatcher that does nothing until Run.
func New(o Options) *Dispatcher {
	o.Config = o.Config.withDefaults()
	if o.Marker == "" {
		o.Marker = "dispatcher:" + o.Owner
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.NewID == nil {
		o.NewID = run.NewID
	}
	d := &Dispatcher{
		opts: o, log: o.Log,
		inbox:  make(chan message, 64),
		kicked: make(chan struct{}, 1),
		done:   make(chan struct{}),
		st:     newState(o.Config, o.Owner, o.Marker),
		beats:  map[string]context.CancelFunc{},
		starts: map[string]context.CancelFunc{},
	}
	d.ledger.init(o.Ledger)
	d.snapshot.Store(&Snapshot{SlotsMax: o.Config.MaxConcurrent})
	return d
}

// Snapshot returns the newest published state. It never waits. The caller must
// not change it.
func (d *Dispatcher) Snapshot() Snapshot { return *d.snapshot.Load() }

// Subscribe returns a channel that holds a token whenever the snapshot has
// changed since the last receive, and a function that ends the subscription.
func (d *Dispatcher) Subscribe() (<-chan struct{}, func()) { return d.watchers.add() }

// Refresh asks for a look at the whole board at once and forgets why cards were
// refused. It does not wait.
func (d *Dispatcher) Refresh() { d.kick("") }

// Nudge says that a card may have changed: the board is looked at at once. It
// does not wait; nudges coalesce.
func (d *Dispatcher) Nudge(issueID string) { d.kick(issueID) }

func (d *Dispatcher) kick(issueID string) {
	d.hints.add(issueID)
	d.wakeUp()
}

func (d *Dispatcher) wakeUp() {
	select {
	case d.kicked <- struct{}{}:
	default:
	}
}

// Pause stops the start of new runs, at once, and returns when that is durable.
// When it cannot be made durable the pause holds until Run ends, and the error
// says so.
func (d *Dispatcher) Pause(ctx context.Context, reason, by string) error {
	return d.desire(ctx, Desired{Desired: DesiredPaused, Reason: reason, By: by})
}

// Unpause lets runs start again, once that is durable.
func (d *Dispatcher) Unpause(ctx context.Context, by string) error {
	return d.desire(ctx, Desired{Desired: DesiredRunning, By: by})
}

func (d *Dispatcher) desire(ctx context.Context, want Desired) error {
	reply := make(chan error, 1)
	want.At = time.Now().UTC()
	return d.ask(ctx, setDesired{want: want, reply: reply}, reply)
}

// CancelRun asks for the end of a run in a person's name. It returns once the
// request is durable; the card is held when the run has ended.
func (d *Dispatcher) CancelRun(ctx context.Context, runID, by string) error {
	if err := d.opts.Runs.Stop(ctx, runID, run.VerbCancel, by, ""); err != nil {
		return err
	}
	return d.post(ctx, cancelAsked{runID: runID})
}

// StopRuns cancels every running card's run in a person's name, starts nothing
// more, and returns when all of them are settled or ctx ends.
func (d *Dispatcher) StopRuns(ctx context.Context, by string) error {
	reply := make(chan error, 1)
	return d.ask(ctx, stopRuns{by: by, reply: reply}, reply)
}

// Why returns every row of the guard table as it stands for a card.
func (d *Dispatcher) Why(ctx context.Context, issueID string) ([]Verdict, error) {
	reply := make(chan world, 1)
	if err := d.post(ctx, worldAsked{issueID: issueID, reply: reply}); err != nil {
		return nil, err
	}
	select {
	case w := <-reply:
		return explain(ctx, d.opts, w, issueID)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-d.done:
		return nil, ErrStopped
	}
}

func (d *Dispatcher) ask(ctx context.Context, m message, reply <-chan error) error {
	if err := d.post(ctx, m); err != nil {
		return err
	}
	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-d.done:
		return ErrStopped
	}
}

func (d *Dispatcher) post(ctx context.Context, m message) error {
	select {
	case <-d.done:
		return ErrStopped
	default:
	}
	select {
	case d.inbox <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-d.done:
		return ErrStopped
	}
}

// tell is a worker's post: it gives up only when nobody listens any more.
func (d *Dispatcher) tell(m message) {
	select {
	case d.inbox <- m:
	case <-d.done:
	}
}

func (d *Dispatcher) fault(point string) {
	if d.opts.Fault != nil {
		d.opts.Fault(point)
	}
}

// by is the cause of the dispatcher's own writes.
func by(reason string) board.Cause { return board.Cause{Actor: Actor, Reason: reason} }

// Actor is who the dispatcher's own writes are by.
const Actor = "dispatcher"
