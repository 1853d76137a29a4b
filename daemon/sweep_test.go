package daemon

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

// oracle is the lab's store as a watchdog of the daemon "me" sees it.
func (b *lab) oracle() oracle {
	d, err := New(b.options())
	b.must(err)
	d.store = b.store
	d.openRuns()
	ports := d.ports()
	return oracle{runs: ports.Runs, dir: d.runs, journal: ports.Journal, owner: "me", retries: &ledger{path: b.l.Retries()}}
}

// held is a card that a dead holder left.
func (b *lab) held(last string) board.Issue {
	b.Helper()
	is, err := b.store.Claim(b.Context(), b.card("true"), "holder", time.Minute, board.Cause{})
	b.must(err)
	if last != "" {
		is, err = b.store.SetLastRun(b.Context(), is.ID, is.Fence(), board.RunRef{RunID: last}, board.Cause{})
		b.must(err)
	}
	return is
}

// record makes a run's folder as a supervisor leaves it that is gone.
func (b *lab) record(s run.Status, card string) string {
	b.Helper()
	rec := run.Record{ID: run.NewID(), Bot: "shell", Status: s, CreatedAt: time.Now().UTC(),
		Source: run.Source{Kind: run.SourceIssue, IssueID: card}}
	lock, err := b.runs.Create(b.Context(), rec, nil)
	b.must(err)
	b.must(lock.Release())
	return rec.ID
}

func (b *lab) note(is board.Issue, owner, runID string) {
	b.Helper()
	b.must(b.oracle().journal.Put(b.Context(), dispatch.JournalEntry{IssueID: is.ID, Marker: is.Claim, Epoch: is.ClaimEpoch,
		Owner: owner, RunID: runID, SourceState: board.StateReady}))
}

func TestOracleFindsTheRunThatCounts(t *testing.T) {
	b := newLab(t)
	is := b.held("last")
	look := func() (id string, gone bool) {
		f, err := b.oracle().Recorded(t.Context(), is, is.Fence())
		b.must(err)
		return f.RunID, f.Gone
	}
	want := func(id string, gone bool) {
		t.Helper()
		if got, isGone := look(); got != id || isGone != gone {
			t.Errorf("run %q, gone %t; want %q, %t", got, isGone, id, gone)
		}
	}
	want("last", true)
	b.note(is, "other", "never-launched")
	want("last", true)
	noted := b.record(run.Finished, "")
	b.note(is, "other", noted)
	want(noted, false)
	live := b.record(run.PausedOperator, is.ID)
	want(live, false)
	b.must(os.RemoveAll(b.runs.Path(live)))
	b.must(os.WriteFile(filepath.Join(b.runs.Path(noted), "run.json"), []byte("{"), 0o600))
	if _, err := b.oracle().Recorded(t.Context(), is, is.Fence()); err == nil {
		t.Error("a run that cannot be read is taken for another")
	}
}

func TestOracleKnowsWhoseClaimItIsAndWhatIsArmed(t *testing.T) {
	b := newLab(t)
	is := b.held("")
	b.note(is, "me", "")
	o := b.oracle()
	f, err := o.Recorded(t.Context(), is, is.Fence())
	b.must(err)
	if !f.Tended || f.Source != board.StateReady || f.RunID != "" || f.Armed {
		t.Errorf("found %+v", f)
	}
	f, err = o.Recorded(t.Context(), is, board.Fence{Marker: "holder", Epoch: is.ClaimEpoch + 1})
	b.must(err)
	if f.Tended {
		t.Error("a note about an earlier hold counts for this one")
	}
	for due, armed := range map[time.Time]bool{time.Now().Add(time.Hour): true, time.Now().Add(-time.Hour): false} {
		b.must((&ledger{path: b.l.Retries(), store: b.store}).Save(context.Background(),
			map[string]dispatch.RetryEntry{is.ID: {IssueID: is.ID, Attempts: 2, DueAt: due}}))
		f, err = o.Recorded(t.Context(), is, is.Fence())
		b.must(err)
		if f.Armed != armed || f.Attempts != 2 {
			t.Errorf("due at %v: found %+v", due, f)
		}
	}
}

// A supervisor that died before its bot started leaves a run that is queued, with a
// lock that nobody holds.
func TestPromotionGivesALostRunItsEnd(t *testing.T) {
	b := newLab(t)
	id := b.record(run.Queued, "")
	b.must(b.oracle().Promote(t.Context(), id))
	rec, err := b.runs.Get(id)
	b.must(err)
	if rec.Status != run.Failed || rec.FailureCode != run.CodeSupervisorLost {
		t.Errorf("the run is %s, %s", rec.Status, rec.FailureCode)
	}
}

func TestWatchdogIsSwitchedOnByEitherWay(t *testing.T) {
	for text, want := range map[string]bool{"": false, "0": false, "off": false, "maybe": false, "1": true, "true": true, "on": true} {
		t.Setenv(reaperEnv, text)
		if got := (&Daemon{}).reaps(); got != want {
			t.Errorf("%s=%s: %t", reaperEnv, text, got)
		}
		if d := (&Daemon{cfg: Config{Watchdog: WatchdogConfig{Enabled: true}}}); !d.reaps() {
			t.Errorf("%s=%s overrules the config", reaperEnv, text)
		}
	}
}
