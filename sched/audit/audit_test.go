package audit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"iterion/sched/gate"
)

func TestWhatIsAppendedIsReadInOrderOverRotations(t *testing.T) {
	l := newLog(t)
	fill(t, l, "nightly", 0, 100)
	got, stats := read(t, l, Filter{})
	if !slices.Equal(got, ids("nightly", 0, 100)) || stats != (Stats{}) {
		t.Errorf("read %d records, %+v", len(got), stats)
	}
	all, err := l.rotatedLogs()
	must(t, err)
	if len(all) < 10 {
		t.Errorf("%d rotated logs: the test shows nothing", len(all))
	}
	for _, r := range all {
		if info, err := os.Stat(r.path); err != nil || info.Size() > 2000 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", r.path, info, err)
		}
	}
	if info, err := os.Stat(filepath.Dir(l.Path())); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v %v", info, err)
	}
}

func TestNoLogIsAnEmptyOne(t *testing.T) {
	l := newLog(t)
	if got, stats := read(t, l, Filter{Tail: 5}); len(got) != 0 || stats != (Stats{}) {
		t.Errorf("read %v, %+v", got, stats)
	}
	if _, err := os.Stat(filepath.Dir(l.Path())); !os.IsNotExist(err) {
		t.Error("reading made a folder")
	}
}

func TestRecordsComeBackAsTheyWere(t *testing.T) {
	l := newLog(t)
	exit := 3
	want := tick(`a "name" <&> ü`, 1)
	want.TenantID, want.Decision, want.Reason, want.GuardExit, want.GuardDuration = "t", gate.GuardBlocked, "no", &exit, time.Second
	want.StdoutTail, want.StderrTail, want.Error, want.BlockingRunID = "a\nb\x00", "<e>", "err", "run-0"
	must(t, l.Append(t.Context(), want))
	var got []gate.Record
	_, err := l.Read(Filter{Name: want.ScheduleName}, func(r gate.Record) error { got = append(got, r); return nil })
	must(t, err)
	if len(got) != 1 || *got[0].GuardExit != 3 {
		t.Fatalf("read %+v", got)
	}
	got[0].GuardExit, want.GuardExit = nil, nil
	if got[0] != want {
		t.Errorf("read  %+v\nwrote %+v", got[0], want)
	}
}

func TestOldestRotatedLogsGo(t *testing.T) {
	l := newLog(t)
	l.o.Keep = 3
	fill(t, l, "n", 0, 100)
	all, err := l.rotatedLogs()
	must(t, err)
	got, _ := read(t, l, Filter{})
	if len(all) != 3 || len(got) < 15 || !slices.Equal(got, ids("n", 100-len(got), 100)) {
		t.Errorf("%d rotated logs, %d records", len(all), len(got))
	}
}

func TestFilters(t *testing.T) {
	l := newLog(t)
	decisions := []gate.Decision{gate.Fired, gate.SkippedOverlap, gate.GuardError}
	surfaces := []gate.Surface{gate.HostCron, gate.Trigger}
	var all []gate.Record
	for i := range 60 {
		r := tick([]string{"a", "b", "b&b"}[i%3], i)
		r.Decision, r.Surface = decisions[i/3%3], surfaces[i/9%2]
		all = append(all, r)
		must(t, l.Append(t.Context(), r))
	}
	at := func(i int) time.Time { return all[i].At }
	tests := map[string]struct {
		f    Filter
		want func(i int, r gate.Record) bool
	}{
		"name":                {Filter{Name: "b"}, func(_ int, r gate.Record) bool { return r.ScheduleName == "b" }},
		"name of odd letters": {Filter{Name: "b&b"}, func(_ int, r gate.Record) bool { return r.ScheduleName == "b&b" }},
		"id":                  {Filter{ID: "id-a"}, func(_ int, r gate.Record) bool { return r.ScheduleID == "id-a" }},
		"surface":             {Filter{Surface: gate.Trigger}, func(_ int, r gate.Record) bool { return r.Surface == gate.Trigger }},
		"decisions": {Filter{Decisions: []gate.Decision{gate.Fired, gate.GuardError}}, func(_ int, r gate.Record) bool {
			return r.Decision != gate.SkippedOverlap
		}},
		"since":       {Filter{Since: at(20)}, func(i int, _ gate.Record) bool { return i >= 20 }},
		"until":       {Filter{Until: at(20)}, func(i int, _ gate.Record) bool { return i < 20 }},
		"span":        {Filter{Since: at(10), Until: at(12)}, func(i int, _ gate.Record) bool { return i == 10 || i == 11 }},
		"all at once": {Filter{Name: "a", Surface: gate.HostCron, Since: at(10)}, func(i int, r gate.Record) bool { return i >= 10 && i%3 == 0 && r.Surface == gate.HostCron }},
		"nothing":     {Filter{Name: "c"}, func(int, gate.Record) bool { return false }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var want []string
			for i, r := range all {
				if tt.want(i, r) {
					want = append(want, r.RunID)
				}
			}
			got, _ := read(t, l, tt.f)
			if !slices.Equal(got, want) {
				t.Errorf("read %v, want %v", got, want)
			}
			tt.f.Tail = 4
			got, _ = read(t, l, tt.f)
			if want = want[max(0, len(want)-4):]; !slices.Equal(got, want) {
				t.Errorf("tail %v, want %v", got, want)
			}
		})
	}
}

func TestWhatIsNoRecordIsCountedAndHidesNothing(t *testing.T) {
	l := newLog(t)
	l.o.MaxBytes = 1 << 20
	fill(t, l, "n", 0, 1)
	f, err := os.OpenFile(l.Path(), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	lines := []string{
		`{"schema":1,"surface":"host-cr`, "", "no JSON", "{}", `{"schema":7,"decision":"fired","at":[1]}`, `{"schema":2,"decision":"fired"}`,
		`{"schema":1,"surface":"host-cron","schedule_id":"x","schedule_name":"n","decision":"fired","run_id":"foreign","later":{"k":[1]},"at":"2026-03-01T12:00:00Z"}`,
		`{"schedule_name":"n","decision":"fired","run_id":"torn`,
	}
	_, err = f.WriteString(strings.Join(lines, "\n"))
	must(t, err)
	must(t, f.Close())
	fill(t, l, "n", 1, 2) // closes the torn one off
	want := []string{"run-n-0", "foreign", "run-n-1"}
	for name, tt := range map[string]struct {
		f    Filter
		want Stats
	}{
		"forward":           {Filter{}, Stats{Torn: 4, Unknown: 2, Newest: 7}},
		"backward":          {Filter{Tail: 10}, Stats{Torn: 4, Unknown: 2, Newest: 7}},
		"with a name":       {Filter{Name: "n"}, Stats{Torn: 3}}, // what cannot be of that name is not decoded
		"with another name": {Filter{Name: "other"}, Stats{Torn: 3}},
	} {
		got, stats := read(t, l, tt.f)
		if stats != tt.want {
			t.Errorf("%s: %+v, want %+v", name, stats, tt.want)
		}
		if tt.f.Name != "other" && !slices.Equal(got, want) {
			t.Errorf("%s: read %v, want %v", name, got, want)
		}
	}
}

func TestUnterminatedLastLineIsNotReadYet(t *testing.T) {
	l := newLog(t)
	fill(t, l, "n", 0, 1)
	f, err := os.OpenFile(l.Path(), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteString(`{"schema":1,`)
	must(t, err)
	must(t, f.Close())
	if got, stats := read(t, l, Filter{}); len(got) != 1 || stats != (Stats{}) {
		t.Errorf("read %v, %+v", got, stats)
	}
}

func TestTornTailSurvivesARotationAsALineOfItsOwn(t *testing.T) {
	l := newLog(t)
	fill(t, l, "n", 0, 6)
	f, err := os.OpenFile(l.Path(), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteString(strings.Repeat("x", 2000))
	must(t, err)
	must(t, f.Close())
	fill(t, l, "n", 6, 7)
	if got, stats := read(t, l, Filter{}); !slices.Equal(got, ids("n", 0, 7)) || stats.Torn != 1 {
		t.Errorf("read %v, %+v", got, stats)
	}
}

func TestI7_OneRecordOfAKey(t *testing.T) {
	l := newLog(t)
	once := func(r gate.Record, want bool) {
		t.Helper()
		written, err := l.AppendOnce(t.Context(), r)
		must(t, err)
		if written != want {
			t.Errorf("%s %s: written is %v", r.ScheduleName, r.Slot, written)
		}
	}
	for i := range 50 {
		once(tick("n", i), true)
		once(tick("m", i), true)
	}
	once(tick("n", 49), false)
	again := tick("n", 10) // many rotations ago, by somebody who came later
	again.At, again.Decision = again.At.Add(time.Hour), gate.LaunchFailed
	once(again, false)
	other := tick("n", 10)
	other.Surface = gate.Trigger
	once(other, true)
	byHand := tick("n", 10)
	byHand.Slot = time.Time{}
	once(byHand, true)
	once(byHand, false)
	if got, _ := read(t, l, Filter{}); len(got) != 102 {
		t.Errorf("%d records, want 102", len(got))
	}
}

func TestI7_AppendersThatRaceWriteAKeyOnce(t *testing.T) {
	l := newLog(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			mine := Open(l.Path(), l.o)
			for i := range 50 {
				if _, err := mine.AppendOnce(context.Background(), tick("n", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, _ := read(t, l, Filter{})
	slices.Sort(got)
	if len(got) != 50 || len(slices.Compact(got)) != 50 {
		t.Errorf("%d records, want 50 different ones", len(got))
	}
}

func TestNoAppenderLosesALineToAnother(t *testing.T) {
	l := newLog(t)
	const processes, each = 4, 100
	ctx, stop := context.WithCancel(t.Context())
	seen := make(chan string, processes*each)
	followed := make(chan error, 1)
	go func() {
		followed <- Open(l.Path(), Options{}).Follow(ctx, Filter{}, func(r gate.Record) error { seen <- r.RunID; return nil })
	}()
	var wg sync.WaitGroup
	for p := range processes {
		wg.Go(func() { appender(t, l, fmt.Sprint("p", p), each, func(string) bool { return true }) })
	}
	wg.Wait()
	got, stats := read(t, l, Filter{})
	if len(got) != processes*each || stats != (Stats{}) {
		t.Errorf("read %d records, %+v", len(got), stats)
	}
	for i, want := range got { // a follower sees them all, once, in order
		select {
		case id := <-seen:
			if id != want {
				t.Fatalf("the follower's record %d is %s, want %s", i, id, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("the follower saw %d of %d", i, len(got))
		}
	}
	stop()
	must(t, <-followed)
	if len(seen) > 0 {
		t.Errorf("the follower saw %d records too many", len(seen))
	}
	slices.Sort(got)
	if len(slices.Compact(got)) != processes*each {
		t.Error("records are there twice")
	}
}

func TestI4_AcknowledgedRecordsSurviveAKill(t *testing.T) {
	l := newLog(t)
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	var wg sync.WaitGroup
	for p := range 8 {
		wg.Go(func() {
			left := 3 + 5*p
			appender(t, l, fmt.Sprint("p", p), 1000, func(id string) bool {
				mu.Lock()
				defer mu.Unlock()
				acknowledged[id] = true
				left--
				return left > 0
			})
		})
	}
	wg.Wait()
	got, _ := read(t, l, Filter{})
	for _, id := range got {
		delete(acknowledged, id)
	}
	if len(acknowledged) > 0 {
		t.Errorf("%d acknowledged records are gone", len(acknowledged))
	}
}

// follow follows a log until the test ends.
func follow(t *testing.T, l *Log, f Filter) <-chan string {
	t.Helper()
	seen := make(chan string, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Open(l.Path(), l.o).Follow(ctx, f, func(r gate.Record) error { seen <- r.RunID; return nil })
	}()
	t.Cleanup(func() {
		cancel()
		must(t, <-done)
	})
	return seen
}

func want(t *testing.T, seen <-chan string, ids []string) {
	t.Helper()
	for _, id := range ids {
		select {
		case got := <-seen:
			if got != id {
				t.Fatalf("followed %s, want %s", got, id)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%s did not come", id)
		}
	}
}

func TestFollowBeginsWithTheTailAndGoesOn(t *testing.T) {
	for _, tail := range []int{0, 3} {
		l := newLog(t)
		fill(t, l, "n", 0, 30)
		seen := follow(t, l, Filter{Tail: tail, Name: "n"})
		first := 0
		if tail > 0 {
			first = 30 - tail
		}
		want(t, seen, ids("n", first, 30))
		fill(t, l, "other", 0, 10)
		fill(t, l, "n", 30, 35)
		want(t, seen, ids("n", 30, 35))
	}
}

func TestFollowOfWhatIsNewOnly(t *testing.T) {
	l := newLog(t)
	fill(t, l, "n", 0, 30)
	seen := follow(t, l, Filter{Tail: -1})
	for i := 30; ; i++ { // until it has begun
		fill(t, l, "n", i, i+1)
		select {
		case first := <-seen:
			if slices.Contains(ids("n", 0, 30), first) {
				t.Fatalf("%s was there before", first)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
		if i > 2000 {
			t.Fatal("nothing was followed")
		}
	}
}

func TestFollowWaitsForALogAndOutlivesOneThatIsRemoved(t *testing.T) {
	l := newLog(t)
	seen := follow(t, l, Filter{})
	fill(t, l, "n", 0, 3)
	want(t, seen, ids("n", 0, 3))
	must(t, os.Remove(l.Path()))
	fill(t, l, "n", 3, 5)
	want(t, seen, ids("n", 3, 5))
	must(t, os.Truncate(l.Path(), 0)) // as by a log rotator that copies
	time.Sleep(2 * pollEvery)         // a log that is cut and at once as long as before cannot be told
	fill(t, l, "n", 5, 6)
	want(t, seen, ids("n", 5, 6))
}

func TestFollowEndsWhenItsReaderHasEnough(t *testing.T) {
	l := newLog(t)
	fill(t, l, "n", 0, 5)
	n := 0
	must(t, l.Follow(t.Context(), Filter{}, func(gate.Record) error {
		if n++; n == 2 {
			return ErrStop
		}
		return nil
	}))
	if n != 2 {
		t.Errorf("read on to %d", n)
	}
}

func TestSpanFromLongAgoLeavesOldLogsClosed(t *testing.T) {
	l := newLog(t)
	fill(t, l, "n", 0, 40)
	all, err := l.rotatedLogs()
	must(t, err)
	for i, r := range all { // as if the older half had been written days before the rest
		when := noon
		if i < len(all)/2 {
			when = noon.Add(-72 * time.Hour)
		}
		must(t, os.Chtimes(r.path, when, when))
	}
	snap, err := l.snapshot()
	must(t, err)
	defer snap.close()
	parts := len(snap.parts)
	snap.since(noon)
	if len(snap.parts) != parts-len(all)/2 {
		t.Errorf("%d of %d parts are left", len(snap.parts), parts)
	}
}
