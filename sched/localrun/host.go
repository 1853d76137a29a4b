package localrun

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"iterion/bots"
	"iterion/bots/supervise"
	"iterion/native/run"
)

// Host starts and ends the runs of one store. It is safe for concurrent use.
type Host struct {
	Runs     *run.Dir
	StoreDir string
	NoFsync  bool
	Exe      string                          // to start as supervisor; empty: the running one
	Bots     func() *bots.Registry           // as the places are now
	Cap      func(ctx context.Context) error // why nothing may start, or nil; may be nil
	Log      *slog.Logger                    // nil: silent

	patience time.Duration // 0: EndWait
	grace    time.Duration // of runs that are started; 0: the supervisor's

	mu      sync.Mutex
	sources *sources // nil until it was needed
}

// Outcome returns the record of a run as it is now. One that has lost its supervisor
// is settled first. Errors: run.ErrNotFound, *run.UnreadableError.
func (h *Host) Outcome(ctx context.Context, runID string) (run.Record, error) {
	rec, err := h.Runs.Get(runID)
	if err != nil || !needsSupervisor(rec.Status) {
		return rec, err
	}
	held, err := h.Runs.Locked(runID)
	if err != nil {
		return rec, fmt.Errorf("look at run %s: %w", runID, err)
	}
	if held {
		return rec, nil
	}
	return supervise.Recover(ctx, h.Runs, runID)
}

func (h *Host) launcher() *supervise.Launcher {
	return &supervise.Launcher{Runs: h.Runs, StoreDir: h.StoreDir, NoFsync: h.NoFsync, Exe: h.Exe, Log: h.Log, Grace: h.grace}
}

func needsSupervisor(s run.Status) bool { return s == run.Queued || s == run.Running }

func (h *Host) log() *slog.Logger {
	if h.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return h.Log
}
