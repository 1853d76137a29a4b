package hostcron

import (
	"context"
	"errors"
	"time"

	"iterion/native/filelock"
	"iterion/sched/audit"
	"iterion/sched/gate"
)

// Window is how far back a tick looks for a slot.
const Window = 10 * time.Minute

// Audit is the log that takes the records; *audit.Log is one.
type Audit interface {
	AppendOnce(ctx context.Context, r gate.Record) (written bool, err error)
	Read(f audit.Filter, fn func(gate.Record) error) (audit.Stats, error)
}

// Job is what the caller knows of one schedule's store and runs.
type Job struct {
	StoreDir string // absolute; noted, so that a later tick asks the same store
	// Lock is native.Layout.ScheduleLock of the schedule. Its folder is made.
	Lock    string
	Vars    map[string]string // of the launch
	Workdir string            // the guard runs there
	Env     []string          // of the guard
	Ports   gate.Ports
}

// Clock decides the slots of one schedule.
type Clock struct {
	Paths Paths
	Name  string
	Host  *time.Location
	Audit Audit
	// NewRunID names the run that may start.
	NewRunID func() string
	// Prepare opens the row's store. It is called under the schedule's lock, with the
	// row as it is then. An error becomes the slot's launch_failed.
	Prepare func(ctx context.Context, s Schedule) (Job, error)
	// RunExists tells whether a store has a run, for a decider that died. An error
	// means that it cannot be told.
	RunExists func(ctx context.Context, storeDir, runID string) (bool, error)
	// Waiting is told who holds the lock that is waited for; may be nil.
	Waiting func(*filelock.HeldError)
	NoFsync bool
	Now     func() time.Time // nil: time.Now
}

// Outcome is what a tick or a run by hand came to.
type Outcome struct {
	Schedule Schedule      // as it was decided
	Record   *gate.Record  // of the slot, or of the run by hand; nil: nothing was due
	Missed   *gate.Record  // of the slots before it that nobody decided
	Settled  []gate.Record // of deciders that died
	Disabled bool          // a tick of a schedule that is switched off
}

// Tick decides the newest slot of the last ten minutes that nobody decided. Errors:
// *UnknownError, *Error for a row whose expression cannot be read,
// *filelock.HeldError when the lock did not come free, and what keeps a decision
// from being durable. Whatever else goes wrong is in the record.
func (c Clock) Tick(ctx context.Context) (Outcome, error) {
	return Outcome{}, errors.ErrUnsupported
}

// RunNow takes a run by hand through the gate, also of a schedule that is disabled.
// Errors as Tick, and any *Error of the row.
func (c Clock) RunNow(ctx context.Context) (Outcome, error) {
	return Outcome{}, errors.ErrUnsupported
}
