package trigger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"iterion/native/board"
)

// WorkerBoard is what the worker needs of a board.Store.
type WorkerBoard interface {
	Get(ctx context.Context, id string) (board.Issue, error)
	Update(ctx context.Context, id string, p board.Patch, by board.Cause) (board.Issue, error)
	Events(ctx context.Context, after int64, limit int) ([]board.Event, error)
	Tip(ctx context.Context) (int64, error)
}

// Launcher starts the runs of direct effects.
type Launcher interface {
	// Exists reports whether a run of that id was made.
	Exists(ctx context.Context, runID string) (bool, error)
	// Admit takes a slot for the run that is about to be launched. A *HeldError says
	// that nothing may start now. After nil, Launched is told what came of it.
	Admit(ctx context.Context, l Launch) error
	// Launch makes the run. One that exists is success. An error that is ErrRefused
	// says that it can never work as it is. A launch that has returned starts nothing
	// later.
	Launch(ctx context.Context, l Launch) error
	// Launched gives the slot back when there is no such run, and err says so.
	Launched(runID string, err error)
}

// Launch is a run that an event owes a subscription.
type Launch struct {
	RunID        string // fixed in the row
	Subscription Subscription
	Event        Event
	Vars         map[string]string
	ChainDepth   int
}

// HeldError says that nothing may be launched now. It is no failure.
type HeldError struct{ Reason string }

func (e *HeldError) Error() string { return e.Reason }

// ErrRefused says that an effect can never be carried out as it is.
var ErrRefused = errors.New("refused")

// Worker carries out the effects of an outbox. One process at a time runs it on a
// store; should two do so for a while, claims keep them apart.
//
// Each row that it claims is carried out by a goroutine of its own, at most Parallel
// at a time; claims of long ones are renewed. Whoever finds that its claim is lost
// lets go. When the context ends nothing more is claimed; what is under way gets Grace
// to come to its end, and what has not is given back unspent.
type Worker struct {
	Outbox   Outbox
	Board    WorkerBoard
	Launcher Launcher
	// Subscription returns one as it is now. ErrNoSubscription; any other error means
	// that nobody can say, and the row waits.
	Subscription func(ctx context.Context, id string) (Subscription, error)
	// Nudge tells the dispatcher of a card that was stamped; may be nil.
	Nudge func(issueID string)
	// Verdict notes what is wrong with a subscription's binding, "" for nothing. It is
	// called only when that is news. May be nil.
	Verdict func(ctx context.Context, id, text string) error

	Parallel int           // 0: 8
	Poll     time.Duration // between looks that nobody asked for; 0: 5 s
	Grace    time.Duration // 0: 5 s
	HoldFor  time.Duration // until a held launch that nobody woke is tried again; 0: a minute
	Log      *slog.Logger  // nil: silent

	once   sync.Once
	nudges chan struct{}
	ended  chan struct{} // one for each row that has come to its end
	pruned time.Time

	mu       sync.Mutex
	freed    int // slots, since the last look
	working  int
	lastErr  string
	lastErrd time.Time
}

// WorkerHealth is how a worker fares.
type WorkerHealth struct {
	Working int `json:"working"` // rows that are being carried out
	// LastError is what keeps the worker from going on; empty once it does.
	LastError   string    `json:"last_error,omitempty"`
	LastErrorAt time.Time `json:"last_error_at,omitzero"`
}

// Health returns how the worker fares.
func (w *Worker) Health() WorkerHealth {
	w.mu.Lock()
	defer w.mu.Unlock()
	return WorkerHealth{Working: w.working, LastError: w.lastErr, LastErrorAt: w.lastErrd}
}

func (w *Worker) init() {
	w.once.Do(func() {
		w.nudges = make(chan struct{}, 1)
		w.Parallel = orDefault(w.Parallel, 8)
		w.Poll = orDefault(w.Poll, 5*time.Second)
		w.Grace = orDefault(w.Grace, 5*time.Second)
		w.HoldFor = orDefault(w.HoldFor, time.Minute)
		w.ended = make(chan struct{}, w.Parallel)
		if w.Log == nil {
			w.Log = slog.New(slog.DiscardHandler)
		}
	})
}

func orDefault[T comparable](v, d T) T {
	var zero T
	if v == zero {
		return d
	}
	return v
}

// Wake asks for a look at the outbox now. It never blocks.
func (w *Worker) Wake() {
	w.init()
	select {
	case w.nudges <- struct{}{}:
	default:
	}
}

// Freed says that so many launches may start that could not before, because slots
// are free or a pause is over. It never blocks.
func (w *Worker) Freed(slots int) {
	w.mu.Lock()
	w.freed = max(w.freed, slots)
	w.mu.Unlock()
	w.Wake()
}

// Run carries out effects until ctx ends, and returns once nothing is under way.
func (w *Worker) Run(ctx context.Context) error {
	w.init()
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	flying := 0
	for ctx.Err() == nil {
		flying += w.round(ctx, work, w.Parallel-flying)
		timer := time.NewTimer(w.pause(ctx, flying))
		select {
		case <-ctx.Done():
		case <-w.nudges:
		case <-w.ended:
			flying--
		case <-timer.C:
		}
		timer.Stop()
	}
	grace := time.AfterFunc(w.Grace, cancel)
	defer grace.Stop()
	for ; flying > 0; flying-- {
		<-w.ended
	}
	return nil
}

// pause returns how long there is nothing to do.
func (w *Worker) pause(ctx context.Context, flying int) time.Duration {
	if flying >= w.Parallel || w.Health().LastError != "" {
		return w.Poll // whoever ends wakes us, and trouble takes its time
	}
	at, ok, err := w.Outbox.NextDue(ctx)
	if err != nil || !ok {
		return w.Poll
	}
	// What is due and was not claimed just now, something is wrong with.
	return min(max(time.Until(at), 100*time.Millisecond), w.Poll)
}

// round claims at most free rows, begins to carry them out, and returns how many.
func (w *Worker) round(ctx, work context.Context, free int) int {
	if free <= 0 {
		return 0
	}
	rows, err := w.take(ctx, free)
	if ctx.Err() == nil || err == nil {
		w.note(err)
	}
	for _, row := range rows {
		w.count(1)
		go func() {
			defer func() { w.count(-1); w.ended <- struct{}{} }()
			w.carryOut(work, row)
		}()
	}
	return len(rows)
}

// pruneEvery is how often done rows are looked at.
const pruneEvery = time.Hour

func (w *Worker) take(ctx context.Context, free int) ([]Effect, error) {
	now := time.Now().UTC()
	if now.Sub(w.pruned).Abs() >= pruneEvery {
		if _, err := w.Outbox.Prune(ctx, now.Add(-KeepDone)); err != nil {
			return nil, err
		}
		w.pruned = now
	}
	w.mu.Lock()
	freed := w.freed
	w.freed = 0
	w.mu.Unlock()
	if freed > 0 {
		if _, err := w.Outbox.Wake(ctx, now, freed); err != nil {
			return nil, err
		}
	}
	return w.Outbox.Claim(ctx, now, free)
}

func (w *Worker) count(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.working += n
}

// note tells once of what is wrong with the outbox.
func (w *Worker) note(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if text == w.lastErr {
		return
	}
	w.lastErr, w.lastErrd = text, time.Time{}
	if err == nil {
		w.Log.Info("effects are carried out again")
		return
	}
	w.lastErrd = time.Now().UTC()
	w.Log.Error("no effects are carried out, they wait", "err", fmt.Errorf("claim effects: %w", err))
}
