package localrun

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"iterion/bots/supervise"
	"iterion/native/run"
	"iterion/sched/gate"
)

// Live returns the runs of a schedule that have not ended, oldest first, and those
// that cannot be read and may be its. What has lost its supervisor is settled.
func (h *Host) Live(ctx context.Context, scheduleID string) ([]gate.Live, error) {
	if scheduleID == "" {
		return nil, errors.New("the schedule has no id")
	}
	ids, err := h.Runs.IDs()
	if err != nil {
		return nil, err
	}
	known := h.known()
	defer h.keep(known, ids)
	var live []gate.Live
	for _, id := range slices.Backward(ids) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if known.rules(id, scheduleID) {
			continue
		}
		if l := h.look(ctx, known, id, scheduleID); l != nil {
			live = append(live, *l)
		}
	}
	slices.SortStableFunc(live, func(a, b gate.Live) int { return a.Started.Compare(b.Started) })
	return live, nil
}

// look returns the run if it is one of the schedule's, or may be, and has not ended.
func (h *Host) look(ctx context.Context, known *sources, id, scheduleID string) *gate.Live {
	rec, err := h.Runs.Get(id)
	switch {
	case errors.Is(err, run.ErrNotFound): // removed since the folder was read
		return nil
	case err != nil:
		return h.unreadable(id, err)
	}
	known.learn(rec)
	if rec.Source.ScheduleID != scheduleID || rec.Status.Final() {
		return nil
	}
	if needsSupervisor(rec.Status) {
		held, err := h.Runs.Locked(id)
		if err == nil && !held {
			if rec, err = h.settle(ctx, rec); err == nil {
				known.learn(rec)
			}
		}
		if rec.Status.Final() {
			return nil
		}
	}
	return &gate.Live{RunID: id, Started: rec.CreatedAt, LastSign: h.lastSign(rec), Running: rec.Status == run.Running,
		Status: string(rec.Status)}
}

// settle ends a run that has lost its supervisor. What cannot be proven to have
// ended stays as it is.
func (h *Host) settle(ctx context.Context, rec run.Record) (run.Record, error) {
	settled, err := supervise.Recover(ctx, h.Runs, rec.ID)
	if settled.ID == "" { // it could not even be read
		settled = rec
	}
	if err != nil {
		h.log().Warn("a run has lost its supervisor and cannot be settled", "run_id", rec.ID, "err", err)
	}
	return settled, err
}

// unreadable judges a run by its lock.
func (h *Host) unreadable(id string, why error) *gate.Live {
	held, err := h.Runs.Locked(id)
	if err == nil && !held {
		return nil
	}
	l := &gate.Live{RunID: id, Unreadable: why.Error()}
	if info, err := os.Stat(h.Runs.Path(id)); err == nil {
		l.Started = info.ModTime() // the best that is left
	}
	return l
}

// lastSign is when a run last said something useful: it printed, it reported, it
// told how far it is. A run that has said nothing counts from its start.
func (h *Host) lastSign(rec run.Record) time.Time {
	last := rec.CreatedAt
	later := func(t time.Time) {
		if t.After(last) {
			last = t
		}
	}
	later(rec.StartedAt)
	if rec.Progress != nil {
		later(rec.Progress.At)
	}
	for _, name := range []string{run.LogFile, run.ReportsFile} {
		if info, err := os.Stat(filepath.Join(h.Runs.Path(rec.ID), name)); err == nil && info.Size() > 0 {
			later(info.ModTime())
		}
	}
	return last
}
