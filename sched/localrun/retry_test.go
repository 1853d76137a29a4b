package localrun

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"iterion/bots/manifest"
	"iterion/native"
	"iterion/native/filelock"
	"iterion/native/run"
)

// limited fails once for want of an allowance that comes back at an instant.
func (b *lab) limited(name string, reset time.Time, more string) {
	b.bot(name, `if [ "$ITERION_RESUME" = 0 ]; then
  echo '{"type":"fail","class":"quota","message":"used up","retry_at":"`+reset.UTC().Format(time.RFC3339)+`"}' >> $ITERION_EVENTS
else
  echo "gone on" > `+filepath.Join(b.root, name)+`
fi`, "retry:\n  max_attempts: 3\n"+more+"run:\n  resume: true")
}

func (b *lab) goOn(now time.Time, want ...string) {
	b.Helper()
	got, err := b.host().GoOn(b.Context(), now)
	b.must(err)
	if !slices.Equal(got, want) {
		b.Errorf("went on with %v, want %v", got, want)
	}
}

func TestRunGoesOnWhenItsAllowanceIsBack(t *testing.T) {
	b := newLab(t)
	reset := time.Now().Add(time.Hour).Truncate(time.Second)
	b.limited("limited", reset, "")
	l := of("limited", "s")
	b.launch(l)
	if rec := b.await(l.RunID); rec.Status != run.FailedResumable || !rec.RetryAt.Equal(reset) {
		t.Fatalf("%s, to be tried again %s", rec.Status, rec.RetryAt)
	}
	b.goOn(reset.Add(-time.Second))
	path := native.Layout{Root: b.root}.ScheduleLock("s")
	b.must(os.MkdirAll(filepath.Dir(path), 0o700))
	lock, err := filelock.TryAcquire(path)
	b.must(err)
	b.goOn(reset) // a slot is being decided
	b.must(lock.Release())
	full := b.host()
	full.Cap = func(context.Context) error { return errors.New("the cap is reached") }
	if ids, err := full.GoOn(t.Context(), reset); err != nil || len(ids) > 0 {
		t.Errorf("past the cap: %v %v", ids, err)
	}
	b.goOn(reset, l.RunID)
	if rec := b.await(l.RunID); rec.Status != run.Finished || rec.Attempt != 2 {
		t.Errorf("%s after attempt %d: %s", rec.Status, rec.Attempt, rec.Error)
	}
	b.goOn(reset.Add(time.Hour))
}

func TestRunThatIsNotToGoOnWaitsForItsSlot(t *testing.T) {
	b := newLab(t)
	reset := time.Now().Add(time.Hour).Truncate(time.Second)
	b.limited("limited", reset, "  max_wait: 2h\n")
	tests := map[string]func(l *Launch){
		"fresh":                 func(l *Launch) { l.Retry.UsageWindow = manifest.UsageFresh },
		"off":                   func(l *Launch) { l.Retry.UsageWindow = manifest.UsageOff },
		"too far away":          func(l *Launch) { l.Retry.MaxWait = time.Minute },
		"started by a person":   func(l *Launch) { l.Source = run.Source{Kind: run.SourceManual} },
		"that of a card":        func(l *Launch) { l.Source = run.Source{Kind: run.SourceIssue, IssueID: "native:1"} },
		"with a jitter to come": func(l *Launch) { l.Retry.Jitter = 1000 * time.Hour },
	}
	for name, tune := range tests {
		t.Run(name, func(t *testing.T) {
			l := of("limited", "s-"+name)
			tune(&l)
			b.launch(l)
			b.await(l.RunID)
			b.goOn(reset)
		})
	}
}

func TestRunWhosePlaceWasTakenDoesNotGoOn(t *testing.T) {
	b := newLab(t)
	reset := time.Now().Add(time.Hour).Truncate(time.Second)
	b.limited("limited", reset, "")
	old := of("limited", "s")
	b.launch(old)
	b.await(old.RunID)
	b.put(run.Finished, "another")
	b.put(run.Finished, "s")
	b.goOn(reset)
}

func TestAttemptsAreBounded(t *testing.T) {
	b := newLab(t)
	reset := time.Now().Add(time.Hour).Truncate(time.Second)
	b.limited("limited", reset, "")
	l := of("limited", "s")
	b.launch(l)
	rec := b.await(l.RunID)
	for attempt, want := range map[int]bool{1: true, 3: true, 4: false} {
		rec.Attempt = attempt
		if b.h.due(rec, reset) != want {
			t.Errorf("due after attempt %d: %v", attempt, !want)
		}
	}
}
