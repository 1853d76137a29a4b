package hostcron

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/filelock"
	"iterion/sched/audit"
	"iterion/sched/gate"
)

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

	fault    func(step string) // tests die here
	patience time.Duration     // for a lock; 0: as usual
}

// Outcome is what a tick or a run by hand came to.
type Outcome struct {
	Schedule Schedule      // as it was decided
	Record   *gate.Record  // of the slot, or of the run by hand; nil: nothing was due
	Missed   *gate.Record  // of the slots before it that nobody decided
	Settled  []gate.Record // of deciders that died
	Disabled bool          // a tick of a schedule that is switched off
}

// locked runs fn under the schedule's lock with its row as it is then.
func (c Clock) locked(ctx context.Context, fn func(Row) (Outcome, error)) (Outcome, error) {
	row, err := c.row()
	if err != nil {
		return Outcome{}, err
	}
	lock, waited, err := c.acquire(ctx, c.Paths.StateLock(c.Name))
	if err != nil {
		return Outcome{}, fmt.Errorf("schedule %s: %w", c.Name, err)
	}
	defer lock.Release()
	if waited { // it may have been edited
		if row, err = c.row(); err != nil {
			return Outcome{}, err
		}
	}
	return fn(row)
}

func (c Clock) row() (Row, error) {
	if err := CheckName(c.Name); err != nil {
		return Row{}, &UnknownError{Name: c.Name, Manifest: c.Paths.Manifest}
	}
	m, err := Load(c.Paths.Manifest, c.Host)
	if err != nil {
		return Row{}, err
	}
	return m.Find(c.Name)
}

// acquire waits as long as a slot stays of interest. A holder that is stopped will
// not let go by itself, so it is not waited for as long.
func (c Clock) acquire(ctx context.Context, path string) (lock *filelock.Lock, waited bool, err error) {
	if err := folder(path); err != nil {
		return nil, false, err
	}
	lock, err = filelock.TryAcquire(path)
	var held *filelock.HeldError
	if !errors.As(err, &held) {
		return lock, false, err
	}
	if c.Waiting != nil {
		c.Waiting(held)
	}
	wait := cmp.Or(c.patience, Window)
	if held.Stopped && c.patience == 0 {
		wait = filelock.DefaultWait
	}
	lock, err = filelock.Acquire(ctx, path, filelock.Options{Wait: wait})
	return lock, true, err
}
