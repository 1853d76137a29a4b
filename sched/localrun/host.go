// Package localrun is what the gate and the effect worker see of the runs of one
// store on this machine: which of a schedule's runs are live, how one is ended with
// proof, and how one is launched at most once.
package localrun

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"iterion/bots"
	"iterion/bots/manifest"
	"iterion/native/run"
	"iterion/sched/gate"
)

// Host starts and ends the runs of one store.
type Host struct {
	Runs     *run.Dir
	StoreDir string
	NoFsync  bool
	Exe      string                          // to start as supervisor; empty: the running one
	Bots     func() *bots.Registry           // as the places are now
	Cap      func(ctx context.Context) error // why nothing may start, or nil; may be nil
	Log      *slog.Logger                    // nil: silent
}

// Launch is one run to start.
type Launch struct {
	RunID, BotID, Name string
	Source             run.Source
	Vars               map[string]string
	Workdir            string        // empty: the run's own folder
	Timeout            time.Duration // 0: the manifest's
	ChainDepth         int
	By                 string            // person or program that asks
	Env                map[string]string // ITERION_* variables that only the caller knows
	Retry              manifest.Retry
}

// RefusedError says that a launch will never work as it is: trying again is of no
// use.
type RefusedError struct {
	BotID string
	Err   error
}

func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// UnstartedError is a run that exists and whose bot was never started.
type UnstartedError struct{ Record run.Record }

func (e *UnstartedError) Error() string {
	return "run " + e.Record.ID + " could not be started: " + e.Record.Error
}

// Live returns the runs of a schedule that have not ended, oldest first.
func (h *Host) Live(ctx context.Context, scheduleID string) ([]gate.Live, error) {
	return nil, errors.ErrUnsupported
}

// End ends a run and returns once that is proven.
func (h *Host) End(ctx context.Context, runID string, stale bool, reason string) error {
	return errors.ErrUnsupported
}

// Launch starts a run. When one of that id exists its record is returned, and no
// error.
func (h *Host) Launch(ctx context.Context, l Launch) (run.Record, error) {
	return run.Record{}, errors.ErrUnsupported
}

// Outcome returns the record of a run as it is now, settled if its supervisor is
// lost.
func (h *Host) Outcome(ctx context.Context, runID string) (run.Record, error) {
	return run.Record{}, errors.ErrUnsupported
}
