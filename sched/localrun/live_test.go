package localrun

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"iterion/native/filelock"
	"iterion/native/run"
	"iterion/sched/gate"
)

func TestLiveRunsAreToldByProvenance(t *testing.T) {
	b := newLab(t)
	b.bot("sleeper", "sleep 600")
	first := b.launch(of("sleeper", "nightly"))
	b.launch(of("sleeper", "weekly"))
	second := b.launch(of("sleeper", "nightly"))
	b.put(run.Finished, "nightly")
	b.put(run.Failed, "nightly")
	b.put(run.FailedResumable, "nightly")
	b.put(run.Cancelled, "nightly")
	paused := b.put(run.PausedOperator, "nightly")
	asks := b.put(run.PausedHuman, "nightly")
	b.wantLive("nightly", first.ID, second.ID, paused, asks)
	b.wantLive("nobody's")
	live, err := b.h.Live(t.Context(), "nightly")
	b.must(err)
	if !live[0].Running || live[2].Running || live[2].Status != string(run.PausedOperator) {
		t.Errorf("%+v", live)
	}
}

func TestRunThatLostItsSupervisorIsSettledBeforeItCounts(t *testing.T) {
	b := newLab(t)
	queued, working := b.put(run.Queued, "s"), b.put(run.Running, "s")
	b.wantLive("s")
	for id, want := range map[string]run.Status{queued: run.Failed, working: run.FailedResumable} {
		if rec, err := b.h.Runs.Get(id); err != nil || rec.Status != want {
			t.Errorf("%s %v, want %s", rec.Status, err, want)
		}
	}
}

func TestQueuedRunWithALauncherIsLive(t *testing.T) {
	b := newLab(t)
	id := b.put(run.Queued, "s")
	lock, err := b.h.Runs.TryLock(id)
	b.must(err)
	b.wantLive("s", id)
	b.must(lock.Release())
}

// breakRecord makes a run's record unreadable.
func (b *lab) breakRecord(id string) {
	b.Helper()
	b.must(os.WriteFile(filepath.Join(b.h.Runs.Path(id), run.RecordFile), []byte("{"), 0o600))
}

func TestUnreadableRunIsJudgedByItsLock(t *testing.T) {
	b := newLab(t)
	free, held := b.put(run.Running, "s"), b.put(run.Running, "s")
	b.breakRecord(free)
	b.breakRecord(held)
	lock, err := b.h.Runs.TryLock(held)
	b.must(err)
	defer lock.Release()
	for _, schedule := range []string{"s", "any other"} { // nobody knows whose it is
		live, err := b.host().Live(t.Context(), schedule)
		b.must(err)
		if len(live) != 1 || live[0].RunID != held || live[0].Unreadable == "" || live[0].Running {
			t.Errorf("live of %s: %+v", schedule, live)
		}
	}
}

func TestRunThatWasReadBeforeItBrokeCountsForItsScheduleAlone(t *testing.T) {
	b := newLab(t)
	id := b.put(run.Running, "s")
	lock, err := b.h.Runs.TryLock(id)
	b.must(err)
	defer lock.Release()
	ids := func(schedule string) (all []string) {
		live, err := b.h.Live(t.Context(), schedule)
		b.must(err)
		for _, l := range live {
			all = append(all, l.RunID)
		}
		return all
	}
	if !slices.Equal(ids("s"), []string{id}) {
		t.Fatal("it is not live")
	}
	b.breakRecord(id)
	if got := ids("other"); len(got) > 0 {
		t.Errorf("it counts for another schedule: %v", got)
	}
	if got := ids("s"); !slices.Equal(got, []string{id}) {
		t.Errorf("it does not count for its own: %v", got)
	}
}

func TestRunThatGoesOnIsLiveAgain(t *testing.T) {
	b := newLab(t)
	id := b.put(run.FailedResumable, "s")
	for range sourcesNews { // enough to be written down
		b.put(run.Finished, "s")
	}
	b.wantLive("s")
	if _, err := os.Stat(b.h.Runs.Path(sourcesFile)); err != nil {
		t.Fatal(err)
	}
	lock, err := b.h.Runs.TryLock(id)
	b.must(err)
	defer lock.Release()
	rec, err := b.h.Runs.Get(id)
	b.must(err)
	b.must(rec.Become(run.Outcome{Status: run.Queued}, time.Now()))
	b.must(b.h.Runs.Save(rec))
	b.wantLive("s", id)
}

func TestWhatIsRememberedIsDisposable(t *testing.T) {
	b := newLab(t)
	paused := b.put(run.PausedOperator, "s")
	for range sourcesNews {
		b.put(run.Finished, "s")
	}
	b.wantLive("s", paused)
	path := b.h.Runs.Path(sourcesFile)
	whole, err := os.ReadFile(path)
	b.must(err)
	if n := len(decodeSources(whole).of); n != sourcesNews+1 {
		t.Errorf("%d runs are remembered", n)
	}
	for name, data := range map[string][]byte{
		"torn": whole[:len(whole)/2], "empty": {}, "zeroes": make([]byte, len(whole)), "turned": slices.Concat(whole[:60], []byte{whole[60] ^ 1}, whole[61:]),
	} {
		b.must(os.WriteFile(path, data, 0o600))
		if n := len(decodeSources(data).of); n != 0 {
			t.Errorf("%s: %d runs are believed", name, n)
		}
		b.wantLive("s", paused)
	}
}

func TestLastSignIsTheLatestUsefulOne(t *testing.T) {
	b := newLab(t)
	id := b.put(run.Running, "s")
	lock, err := b.h.Runs.TryLock(id)
	b.must(err)
	defer lock.Release()
	start := time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond)
	rec, err := b.h.Runs.Get(id)
	b.must(err)
	rec.CreatedAt, rec.StartedAt = start, start
	sign := func(want time.Time, what string) {
		t.Helper()
		b.must(b.h.Runs.Save(rec))
		live, err := b.h.Live(t.Context(), "s")
		b.must(err)
		if len(live) != 1 || !live[0].LastSign.Equal(want) || !live[0].Running {
			t.Errorf("%s: %+v, want a last sign at %s", what, live, want)
		}
	}
	file := func(name, text string, at time.Time) {
		path := filepath.Join(b.h.Runs.Path(id), name)
		b.must(os.WriteFile(path, []byte(text), 0o600))
		b.must(os.Chtimes(path, at, at))
	}
	sign(start, "one that said nothing")
	file(run.LogFile, "", start.Add(time.Minute))
	sign(start, "an empty log")
	file(run.LogFile, "x", start.Add(time.Minute))
	sign(start.Add(time.Minute), "a log")
	rec.Progress = &run.Progress{Text: "half", At: start.Add(2 * time.Minute)}
	sign(start.Add(2*time.Minute), "progress")
	file(run.ReportsFile, "{}\n", start.Add(3*time.Minute))
	sign(start.Add(3*time.Minute), "a report")
	rec.UpdatedAt = start.Add(50 * time.Minute) // the supervisor's own doing
	sign(start.Add(3*time.Minute), "a change of the record")
}

func TestLockThatCannotBeToldCounts(t *testing.T) {
	b := newLab(t)
	id := b.put(run.Running, "s")
	path := filepath.Join(b.h.Runs.Path(id), run.LockFile)
	b.must(os.Remove(path))
	b.must(os.Symlink(path, path)) // a loop
	if _, err := filelock.Probe(path); err == nil {
		t.Skip("such a lock can be told here")
	}
	b.wantLive("s", id)
	b.must(os.Remove(path))
}

func TestScheduleWithoutAnIDIsNobody(t *testing.T) {
	b := newLab(t)
	if live, err := b.h.Live(t.Context(), ""); err == nil {
		t.Errorf("live: %+v", live)
	}
}

// BenchmarkLive is bounded by 20 ms, for a fresh process in a store of 5,000 runs.
func BenchmarkLive(b *testing.B) {
	root := b.TempDir()
	dir := filepath.Join(root, "runs")
	rec := run.Record{FormatVersion: 1, Bot: "b", Status: run.Finished, Attempt: 1, CreatedAt: time.Now().UTC(),
		Source: run.Source{Kind: run.SourceSchedule, ScheduleID: "s"}, Inputs: map[string]string{"prompt": "look"}}
	for range 5000 {
		rec.ID = run.NewID()
		data, err := rec.Encode()
		if err == nil {
			err = os.MkdirAll(filepath.Join(dir, rec.ID), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, rec.ID, run.RecordFile), data, 0o600)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	look := func(h *Host) []gate.Live {
		live, err := h.Live(b.Context(), "s")
		if err != nil {
			b.Fatal(err)
		}
		return live
	}
	fresh := func() *Host { return &Host{Runs: run.Open(dir, run.Options{})} }
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			_ = os.Remove(filepath.Join(dir, sourcesFile))
			look(fresh())
		}
	})
	b.Run("fresh process", func(b *testing.B) {
		for b.Loop() {
			look(fresh())
		}
	})
	h := fresh()
	b.Run("daemon", func(b *testing.B) {
		for b.Loop() {
			look(h)
		}
	})
}
