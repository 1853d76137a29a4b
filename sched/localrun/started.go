package localrun

import (
	"context"
	"slices"
	"time"

	"iterion/bots/supervise"
	"iterion/native/proctree"
	"iterion/native/run"
)

// How long to see a bot start, and how often to look.
const (
	startWait = 5 * time.Second
	startLook = 50 * time.Millisecond
)

// started waits until the bot runs or could not be started. Whoever will not wait
// longer has a run all the same.
func (h *Host) started(ctx context.Context, proc *supervise.Process) (run.Record, error) {
	over := time.After(startWait)
	for pause := time.Millisecond; ; pause = min(2*pause, startLook) {
		rec, err := h.Runs.Get(proc.RunID)
		if err != nil {
			return run.Record{ID: proc.RunID}, nil // it was made, and is not ours any more
		}
		if !needsSupervisor(rec.Status) || rec.Status == run.Running && atWork(rec) {
			return rec, Unstarted(rec)
		}
		select {
		case <-proc.Done(): // it may have written its last word just now
			if rec, err = h.Outcome(ctx, proc.RunID); err == nil {
				return rec, Unstarted(rec)
			}
			return rec, nil
		case <-over:
			return rec, nil
		case <-ctx.Done():
			return rec, nil
		case <-time.After(pause):
		}
	}
}

// atWork reports whether the supervisor of a running run has a child that is
// another program. The record says running before that: a program that the system
// refuses to execute is a launch that failed.
func atWork(rec run.Record) bool {
	if rec.Owner == nil {
		return false
	}
	tree, err := proctree.Descendants(rec.Owner.PID, nil)
	if err != nil {
		return false
	}
	own, err := proctree.Argv(rec.Owner.PID)
	return slices.ContainsFunc(tree, func(p proctree.Process) bool {
		argv, aerr := proctree.Argv(p.PID)
		if err != nil || aerr != nil { // nobody tells command lines here
			return aerr != nil && err != nil
		}
		return !slices.Equal(argv, own)
	})
}
