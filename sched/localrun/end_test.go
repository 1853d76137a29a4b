package localrun

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/native/run"
)

func (b *lab) readJSON(path string, v any) {
	b.Helper()
	data, err := os.ReadFile(path)
	b.must(err)
	b.must(json.Unmarshal(data, v))
}

// stubborn ignores TERM, and so do two children that went their own ways.
const stubborn = `trap '' TERM
setsid sleep 600 &
(sleep 600 &)
touch up
while :; do sleep 1; done`

func TestI10_EndedRunLeavesNoProcess(t *testing.T) {
	tests := map[string]struct {
		stale  bool
		resume bool
		want   run.Status
	}{
		"stale":                                 {true, true, run.FailedResumable},
		"stale, of a bot that cannot go on":     {true, false, run.FailedResumable},
		"superseded":                            {false, false, run.Cancelled},
		"superseded, of a bot that could go on": {false, true, run.Cancelled},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := newLab(t)
			more := "run:"
			if tt.resume {
				more += "\n  resume: true"
			}
			b.bot("stubborn", stubborn, more)
			l := of("stubborn", "s")
			l.Workdir = b.root
			b.launch(l)
			b.eventually("the bot is up", func() bool { _, err := os.Stat(filepath.Join(b.root, "up")); return err == nil })
			b.must(b.h.End(t.Context(), l.RunID, tt.stale, "silent for at least 5m"))
			if left := b.processes(l.RunID); len(left) > 0 {
				t.Errorf("processes left: %v", left)
			}
			rec, err := b.h.Runs.Get(l.RunID)
			b.must(err)
			if rec.Status != tt.want || !strings.Contains(rec.Error, "by scheduler: silent for at least 5m") {
				t.Errorf("%s: %s", rec.Status, rec.Error)
			}
			if tt.stale && rec.FailureCode != run.CodeInterrupted {
				t.Errorf("code %s", rec.FailureCode)
			}
			b.wantLive("s")
		})
	}
}

func TestEndOfWhatHasNoProcess(t *testing.T) {
	b := newLab(t)
	paused := b.put(run.PausedOperator, "s")
	b.must(b.h.End(t.Context(), paused, false, "superseded"))
	if rec, err := b.h.Runs.Get(paused); err != nil || rec.Status != run.Cancelled {
		t.Errorf("%s %v", rec.Status, err)
	}
	b.must(b.h.End(t.Context(), b.put(run.Finished, "s"), false, ""))
	b.must(b.h.End(t.Context(), run.NewID(), true, ""))
	lost := b.put(run.Running, "s") // its supervisor died
	b.must(b.h.End(t.Context(), lost, true, ""))
	if rec, err := b.h.Runs.Get(lost); err != nil || rec.Status != run.FailedResumable {
		t.Errorf("%s %v", rec.Status, err)
	}
}

func TestRunThatWithstandsIsAnError(t *testing.T) {
	b := newLab(t)
	id := b.put(run.Running, "s")
	lock, err := b.h.Runs.TryLock(id) // a supervisor that does not listen
	b.must(err)
	b.h.patience = 50 * time.Millisecond
	if err := b.h.End(t.Context(), id, true, ""); err == nil || !strings.Contains(err.Error(), "did not end within 50ms") {
		t.Errorf("%v", err)
	}
	b.must(lock.Release())
	broken := b.put(run.Running, "s")
	b.breakRecord(broken)
	var unreadable *run.UnreadableError
	if err := b.h.End(t.Context(), broken, false, ""); !errors.As(err, &unreadable) {
		t.Errorf("%v, want an UnreadableError", err)
	}
}

func TestRunThatIsPausedByNowHasNotEnded(t *testing.T) {
	b := newLab(t)
	id := b.put(run.PausedHuman, "s")
	if err := b.h.End(t.Context(), id, true, ""); err == nil || !strings.Contains(err.Error(), "paused_waiting_human by now") {
		t.Errorf("%v", err)
	}
}

func TestOutcomeIsSettled(t *testing.T) {
	b := newLab(t)
	lost := b.put(run.Running, "s")
	if rec, err := b.h.Outcome(t.Context(), lost); err != nil || rec.Status != run.FailedResumable {
		t.Errorf("%s %v", rec.Status, err)
	}
	if _, err := b.h.Outcome(t.Context(), run.NewID()); !errors.Is(err, run.ErrNotFound) {
		t.Errorf("%v", err)
	}
}
