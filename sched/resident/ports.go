package resident

import (
	"context"
	"log/slog"
	"time"

	"iterion/native/atomicfile"
	"iterion/sched/audit"
	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// Options join a scheduler to its world. Everything here but Now is called off the
// scheduler's own goroutine and may block.
type Options struct {
	Path     string                 // schedule-intents.json
	File     atomicfile.Options     // how it is written
	LockPath func(id string) string // the lock of one schedule; its folder exists
	Audit    Audit
	Runs     Runs
	Slots    Slots
	// Rows reads the subscriptions. It is asked at the start, now and then, and
	// whenever Reload was called.
	Rows func(ctx context.Context) (Rows, error)
	// Verdict notes the last error of a subscription's binding, empty for none. It is
	// called when that changed. Nil: nobody is told.
	Verdict func(ctx context.Context, id, lastError string)

	// Changed is called when the health has changed, but for the time of the last tick.
	// It must not wait. Nil: nobody is told.
	Changed func()

	Workdir string   // of rows that name none
	Env     []string // of guards
	Now     func() time.Time
	Host    *time.Location // zone of expressions that name none; nil: time.Local
	Log     *slog.Logger   // nil: silent
	NewID   func() string  // of runs
}

// Rows are the clock subscriptions of a store, those that are not in force among them.
type Rows struct {
	Clocks []trigger.Subscription
	// Unknown reports whether nobody can say at the moment what became of an id that is
	// not among them: it is then left as it is. Nil: all that is missing is gone.
	Unknown  func(id string) bool
	Problems []string // for people
}

// Audit is the tick audit.
type Audit interface {
	Append(ctx context.Context, r gate.Record) error
	AppendOnce(ctx context.Context, r gate.Record) (written bool, err error)
	Read(f audit.Filter, fn func(gate.Record) error) (audit.Stats, error)
}

// Runs are the runs of the store.
type Runs interface {
	Live(ctx context.Context, scheduleID string) ([]gate.Live, error)
	End(ctx context.Context, runID string, stale bool, reason string) error
	// Made reports whether there is a run of that id, and if its bot could not be
	// started, why.
	Made(ctx context.Context, runID string) (made bool, unstarted error, err error)
	// Launch makes the run. One of that id that exists is success.
	Launch(ctx context.Context, l Launch) error
}

// Launch is one run to start.
type Launch struct {
	RunID   string
	Row     trigger.Subscription
	Vars    map[string]string
	Workdir string
	Slot    time.Time // zero: by hand
	By      string
}

// Slots are the dispatcher's, shared with the cards.
type Slots interface {
	// Reserve takes one for a run. A *HeldError means that nothing may start now.
	Reserve(ctx context.Context, runID string, row trigger.Subscription) error
	// Launched tells what came of it, in any case.
	Launched(runID string, err error)
}

// HeldError says that nothing may be started now.
type HeldError struct {
	Guard  string // the dispatch guard that refused
	Reason string // for people
	Remedy string
	Slots  bool // only a free slot is missing
	Err    error
}

func (e *HeldError) Error() string { return e.Err.Error() }

// Unwrap returns what the dispatcher said.
func (e *HeldError) Unwrap() error { return e.Err }
