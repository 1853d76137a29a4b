package localrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"time"

	"iterion/bots/manifest"
	"iterion/bots/supervise"
	"iterion/native"
	"iterion/native/filelock"
	"iterion/native/run"
)

// machineRetry holds where neither bot, schedule nor call says anything. It is what
// the dispatcher does for cards.
var machineRetry = manifest.Retry{UsageWindow: manifest.UsageResume, MaxAttempts: 5, MaxWait: 192 * time.Hour}

// Retry merges what is said of a used up allowance: what a later layer says counts
// before what an earlier one does. The layers are, in this order, the machine's
// default, the bot's manifest, the schedule or subscription, and the call.
func Retry(layers ...manifest.Retry) manifest.Retry {
	var r manifest.Retry
	for _, l := range layers {
		r.UsageWindow = cmp.Or(l.UsageWindow, r.UsageWindow)
		r.MaxAttempts = cmp.Or(l.MaxAttempts, r.MaxAttempts)
		r.MaxWait = cmp.Or(l.MaxWait, r.MaxWait)
		r.Jitter = cmp.Or(l.Jitter, r.Jitter)
	}
	return r
}

// resumedBy is who goes on with a run whose allowance is back.
const resumedBy = "scheduler"

// GoOn goes on with runs that a clock or an event started and that wait for an
// allowance, as soon as there is some again, and returns their ids. It is to be
// called now and then, by who owns the clocks of the store; what one caller misses
// the next finds. A run that is not gone on with for trouble of its own keeps no
// other back: that is logged.
//
// A run waits when it is failed_resumable of class quota, names the instant of the
// reset, no further away than MaxWait, and its launch says resume; so often as
// MaxAttempts says. Where it says fresh the next slot starts a new one, which needs
// nothing here. So does a run of the same schedule that came later: it has taken
// this one's place.
func (h *Host) GoOn(ctx context.Context, now time.Time) ([]string, error) {
	ids, err := h.Runs.IDs()
	if err != nil {
		return nil, err
	}
	known := h.known()
	defer h.keep(known, ids)
	var gone []string
	for _, id := range slices.Backward(ids) {
		if ctx.Err() != nil {
			return gone, ctx.Err()
		}
		if known.ended(id) {
			continue
		}
		rec, err := h.Runs.Get(id)
		if err != nil {
			continue // Live names it
		}
		known.learn(rec)
		if !h.due(rec, now) {
			continue
		}
		went, err := h.resume(ctx, rec, now)
		if err != nil {
			h.log().Warn("a run whose allowance is back cannot go on", "run_id", id, "err", err)
		}
		if went {
			gone = append(gone, id)
		}
	}
	return gone, nil
}

// due reports whether a run waits for an allowance and has it now.
func (h *Host) due(rec run.Record, now time.Time) bool {
	clocked := rec.Source.Kind == run.SourceSchedule || rec.Source.Kind == run.SourceTrigger
	if !clocked || rec.Source.IssueID != "" || rec.Status != run.FailedResumable || rec.FailureClass != run.ClassQuota || rec.RetryAt.IsZero() {
		return false
	}
	r, err := supervise.PlannedRetry(h.Runs, rec.ID)
	if err != nil {
		return false
	}
	r = Retry(machineRetry, r)
	return r.UsageWindow == manifest.UsageResume && rec.Attempt <= r.MaxAttempts &&
		rec.RetryAt.Sub(rec.FinishedAt) <= r.MaxWait && !now.Before(rec.RetryAt.Add(share(rec, r.Jitter)))
}

// share is the part of the jitter that a run waits: always the same for one wait,
// so that a restart draws no better lot.
func share(rec run.Record, jitter time.Duration) time.Duration {
	lot := crc32.ChecksumIEEE(fmt.Append(nil, rec.ID, rec.Attempt))
	return time.Duration(float64(jitter) * float64(lot) / (1 << 32))
}

// resume goes on with a run, unless another has taken its place. It holds the lock
// of the run's schedule, so that no slot is decided meanwhile; when somebody else
// does it is left for the next time.
func (h *Host) resume(ctx context.Context, rec run.Record, now time.Time) (bool, error) {
	if schedule := rec.Source.ScheduleID; schedule != "" {
		path := native.Layout{Root: h.StoreDir}.ScheduleLock(schedule)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return false, err
		}
		lock, err := filelock.TryAcquire(path)
		var held *filelock.HeldError
		if errors.As(err, &held) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		defer lock.Release()
		if taken, err := h.replaced(rec); taken || err != nil {
			return false, err
		}
	}
	if h.Cap != nil && h.Cap(ctx) != nil {
		return false, nil // it waits on
	}
	_, err := h.launcher().Resume(ctx, supervise.Continue{RunID: rec.ID, By: resumedBy, Attempt: rec.Attempt + 1})
	var moved *run.TransitionError
	var held *filelock.HeldError
	if errors.As(err, &moved) || errors.As(err, &held) {
		return false, nil // somebody was faster
	}
	return err == nil, err
}

// replaced reports whether the schedule of a run has made a later one.
func (h *Host) replaced(rec run.Record) (bool, error) {
	ids, err := h.Runs.IDs() // newest first
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if id == rec.ID {
			return false, nil
		}
		if h.known().schedule(h.Runs, id) == rec.Source.ScheduleID {
			return true, nil
		}
	}
	return false, nil
}
