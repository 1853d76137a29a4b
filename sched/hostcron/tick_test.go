package hostcron

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"iterion/native/filelock"
	"iterion/sched/gate"
)

func at(day, hour, minute int) time.Time {
	return time.Date(2031, 3, day, hour, minute, 0, 300_000_000, time.UTC)
}

func TestTickFiresItsSlotAndLeavesOneRecord(t *testing.T) {
	l := newLab(t, row("nightly", "0 2 * * *", ""))
	out := l.tickAt(t, "nightly", at(10, 2, 0))
	r := out.Record
	if r == nil || r.Decision != gate.Fired || r.Surface != gate.HostCron || r.ScheduleID != "nightly" || r.BotID != "b" ||
		r.Cron != "0 2 * * *" || !r.Slot.Equal(at(10, 2, 0).Truncate(time.Minute)) || !r.At.Equal(l.now) || r.RunID == "" {
		t.Fatalf("%+v", r)
	}
	s, known, err := ReadState(l.Paths, "nightly")
	if err != nil || !known || !s.Slot.Equal(r.Slot) || s.RunID != r.RunID || s.Decision != gate.Fired || len(s.Pending) != 0 {
		t.Errorf("state %+v, %v", s, err)
	}
	for range 3 {
		if out := l.tickAt(t, "nightly", l.now.Add(20*time.Second)); out.Record != nil || out.Missed != nil {
			t.Errorf("again: %+v", out)
		}
	}
	l.wantTold(t, "fired 10T02:00")
	l.checkOnce(t)
}

func TestTickOfAMinuteWithoutASlotLeavesNoRecord(t *testing.T) {
	l := newLab(t, row("nightly", "0 2 * * *", ""))
	if out := l.tickAt(t, "nightly", at(10, 1, 0)); out.Record != nil || out.Missed != nil {
		t.Errorf("%+v", out)
	}
	l.wantTold(t, "")
}

func TestTickCatchesUpWithinTenMinutes(t *testing.T) {
	l := newLab(t, row("nightly", "0 2 * * *", ""))
	l.tickAt(t, "nightly", at(10, 2, 0))
	if r := l.tickAt(t, "nightly", at(11, 2, 9)).Record; r.Reason != "catch-up, 9m0s late" {
		t.Errorf("reason %q", r.Reason)
	}
	l.tickAt(t, "nightly", at(12, 2, 11)) // too late, but told
	l.wantTold(t, "fired 10T02:00, fired 11T02:00, missed 12T02:00")
	l.tickAt(t, "nightly", at(12, 2, 12))
	l.tickAt(t, "nightly", at(13, 2, 0))
	l.wantTold(t, "fired 10T02:00, fired 11T02:00, missed 12T02:00, fired 13T02:00")
	l.checkOnce(t)
}

func TestI7_AWeekOfMissedSlotsIsOneRecordAndOneCatchUp(t *testing.T) {
	l := newLab(t, row("hourly", "0 * * * *", "    tz: Europe/Berlin\n"))
	l.tickAt(t, "hourly", at(3, 12, 0))
	out := l.tickAt(t, "hourly", at(10, 12, 4))
	l.wantTold(t, "fired 03T12:00, missed 10T11:00, fired 10T12:00")
	if want := "167 slots passed undecided, from 2031-03-03T14:00:00+01:00 to 2031-03-10T12:00:00+01:00: no tick came within 10m"; out.Missed.Reason != want {
		t.Errorf("reason %q, want %q", out.Missed.Reason, want)
	}
	l.tickAt(t, "hourly", at(17, 12, 30)) // nothing to catch up with
	l.wantTold(t, "fired 03T12:00, missed 10T11:00, fired 10T12:00, missed 17T12:00")
	l.checkOnce(t)
}

func TestTickTakesTheNewestSlotAndTellsOfTheOthers(t *testing.T) {
	l := newLab(t, row("often", "* * * * *", ""))
	l.tickAt(t, "often", at(10, 2, 0))
	out := l.tickAt(t, "often", at(10, 2, 4))
	l.wantTold(t, "fired 10T02:00, missed 10T02:03, fired 10T02:04")
	if want := "3 slots passed undecided, from 2031-03-10T02:01:00Z to 2031-03-10T02:03:00Z: no tick came before the next one was due"; out.Missed.Reason != want {
		t.Errorf("reason %q", out.Missed.Reason)
	}
}

func TestI7_AClockThatIsSetBackFiresNothingTwice(t *testing.T) {
	for name, back := range map[string]time.Duration{"two hours": 2 * time.Hour, "thirty hours": 30 * time.Hour} {
		l := newLab(t, row("hourly", "0 * * * *", ""))
		begin := at(10, 0, 0)
		for n := range 48 {
			l.tickAt(t, "hourly", begin.Add(time.Duration(n)*time.Hour))
		}
		before := len(l.records(t))
		turned := l.now.Add(-back)
		for n := 0; n <= int(back/time.Hour); n++ {
			l.tickAt(t, "hourly", turned.Add(time.Duration(n)*time.Hour))
		}
		if n := len(l.records(t)) - before; n != 0 {
			t.Errorf("%s: %d records of the second time", name, n)
		}
		l.tickAt(t, "hourly", l.now.Add(time.Hour))
		if n := len(l.records(t)) - before; n != 1 {
			t.Errorf("%s: %d records, the next slot has one", name, n)
		}
		l.checkOnce(t)
	}
}

func TestAClockThatWasFarAheadDoesNotKillTheSchedule(t *testing.T) {
	l := newLab(t, row("hourly", "0 * * * *", ""))
	l.tickAt(t, "hourly", at(10, 1, 0))
	l.tickAt(t, "hourly", at(10, 1, 0).AddDate(30, 0, 0))
	l.tickAt(t, "hourly", at(10, 2, 0))
	l.tickAt(t, "hourly", at(10, 2, 1))
	l.tickAt(t, "hourly", at(10, 3, 0))
	if got, want := l.told(t), "fired 10T02:00, fired 10T03:00"; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s at the end", got, want)
	}
	l.checkOnce(t)
}

func TestFirstSightArmsAndNeverFiresBack(t *testing.T) {
	l := newLab(t, row("often", "*/5 * * * *", ""))
	l.tickAt(t, "often", at(10, 2, 3)) // 02:00 was before anybody knew of it
	l.wantTold(t, "")
	l.tickAt(t, "often", at(10, 2, 5))
	l.wantTold(t, "fired 10T02:05")
}

func TestAddArmsBeforeTheFirstTick(t *testing.T) {
	l := newLab(t, row("other", "0 2 * * *", ""))
	e := editorOf(l.Paths)
	e.Now = func() time.Time { return at(10, 1, 59).Add(31 * time.Second) }
	if err := e.Add(t.Context(), Schedule{Name: "a", Cron: "*/2 * * * *", Bot: "b"}); err != nil {
		t.Fatal(err)
	}
	l.tickAt(t, "a", at(10, 1, 59).Add(40*time.Second)) // 01:58 passed before
	l.wantTold(t, "")
	l.tickAt(t, "a", at(10, 2, 7))
	l.wantTold(t, "missed 10T02:04, fired 10T02:06")
}

func TestADisabledScheduleHasNoSlots(t *testing.T) {
	l := newLab(t, row("often", "*/5 * * * *", ""))
	l.tickAt(t, "often", at(10, 2, 0))
	l.set(t, row("often", "*/5 * * * *", "    disabled: true\n"))
	if out := l.tickAt(t, "often", at(10, 3, 1)); !out.Disabled || out.Record != nil || out.Missed != nil {
		t.Errorf("%+v", out)
	}
	l.set(t, row("often", "*/5 * * * *", ""))
	l.tickAt(t, "often", at(10, 3, 5))
	l.wantTold(t, "fired 10T02:00, fired 10T03:05")
}

func TestEnableArms(t *testing.T) {
	l := newLab(t, row("often", "*/5 * * * *", ""))
	l.tickAt(t, "often", at(10, 2, 0))
	e := editorOf(l.Paths)
	e.Now = func() time.Time { return l.now }
	for _, off := range []bool{true, false} {
		l.now = l.now.Add(time.Hour)
		if _, err := e.SetDisabled(t.Context(), "often", off); err != nil {
			t.Fatal(err)
		}
	}
	l.tickAt(t, "often", at(10, 4, 5))
	l.wantTold(t, "fired 10T02:00, fired 10T04:05")
}

func TestAnotherExpressionIsArmedAnew(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", ""))
	l.tickAt(t, "a", at(10, 2, 0))
	l.set(t, row("a", "*/5 * * * *", ""))
	l.tickAt(t, "a", at(10, 3, 30))
	l.set(t, row("a", "*/5 * * * *", "    tz: Asia/Kolkata\n"))
	l.tickAt(t, "a", at(10, 4, 0))
	l.wantTold(t, "fired 10T02:00, fired 10T03:30, fired 10T04:00")
}

func TestTickInAnotherZoneTakesOnlyMinutesThatMatch(t *testing.T) {
	l := newLab(t, row("a", "30 2 * * *", "    tz: Asia/Kolkata\n")) // 21:00 UTC
	for hour := range 24 {
		l.tickAt(t, "a", at(10, hour, 0))
	}
	l.wantTold(t, "fired 10T21:00")
	if r := l.records(t)[0]; r.Cron != "TZ=Asia/Kolkata 30 2 * * *" || r.Reason != "" {
		t.Errorf("%+v", r)
	}
}

func TestTickSkipsWhileARunIsLive(t *testing.T) {
	l := newLab(t, row("often", "* * * * *", ""))
	first := l.tick(t, "often").Record
	l.now = l.now.Add(time.Minute)
	r := l.tick(t, "often").Record
	if r.Decision != gate.SkippedOverlap || r.BlockingRunID != first.RunID || r.RunID != "" {
		t.Errorf("%+v", r)
	}
	s, _, err := ReadState(l.Paths, "often")
	if err != nil || s.Decision != gate.SkippedOverlap || s.RunID != "" {
		t.Errorf("state %+v, %v", s, err)
	}
	l.checkOnce(t)
}

func TestARowThatCannotBeUsedLeavesItsReasonInTheAudit(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", "    timeout: soon\n")+row("b", "0 2 * *", ""))
	r := l.tick(t, "a").Record
	if r == nil || r.Decision != gate.LaunchFailed || !strings.Contains(r.Error, `timeout: is "soon"`) {
		t.Errorf("%+v", r)
	}
	if _, err := l.clock("b").Tick(t.Context()); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "cron") {
		t.Errorf("no expression: %v", err)
	}
	if _, err := l.clock("a").RunNow(t.Context()); !errors.Is(err, ErrInvalid) {
		t.Errorf("by hand: %v", err)
	}
	for _, name := range []string{"c", "../a", ""} {
		if _, err := l.clock(name).Tick(t.Context()); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
	l.wantTold(t, "launch_failed 10T02:00")
}

func TestAStoreThatCannotBeOpenedSpendsTheSlot(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", ""))
	c := l.clock("a")
	c.Prepare = func(context.Context, Schedule) (Job, error) { return Job{}, errors.New("no store there") }
	out, err := c.Tick(t.Context())
	if err != nil || out.Record.Decision != gate.LaunchFailed || out.Record.Error != "no store there" {
		t.Errorf("%+v, %v", out.Record, err)
	}
	if out := l.tick(t, "a"); out.Record != nil {
		t.Errorf("decided again: %+v", out.Record)
	}
}

func TestAHeldStoreLockIsNamedInTheRecord(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", ""))
	c := l.clock("a")
	c.patience = time.Millisecond
	job, _ := c.Prepare(t.Context(), Schedule{Name: "a"})
	if err := folder(job.Lock); err != nil {
		t.Fatal(err)
	}
	lock, err := filelock.TryAcquire(job.Lock)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	out, err := c.Tick(t.Context())
	if err != nil || out.Record.Decision != gate.LaunchFailed || !strings.Contains(out.Record.Error, "is held by pid") {
		t.Errorf("%+v, %v", out.Record, err)
	}
	l.checkOnce(t)
}

func TestAHeldScheduleLockIsToldAndDecidesNothing(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", ""))
	if err := folder(l.StateLock("a")); err != nil {
		t.Fatal(err)
	}
	lock, err := filelock.TryAcquire(l.StateLock("a"))
	if err != nil {
		t.Fatal(err)
	}
	c := l.clock("a")
	c.patience = time.Millisecond
	var told *filelock.HeldError
	c.Waiting = func(h *filelock.HeldError) { told = h }
	var held *filelock.HeldError
	if _, err := c.Tick(t.Context()); !errors.As(err, &held) || told == nil || told.Holder.PID != os.Getpid() {
		t.Errorf("%v, told %v", err, told)
	}
	lock.Release()
	l.tick(t, "a")
	l.wantTold(t, "fired 10T02:00")
}

func TestAStateThatCannotBeReadFiresNothing(t *testing.T) {
	for name, text := range map[string]string{"torn": `{"slot":`, "newer": `{"format_version": 2}`} {
		l := newLab(t, row("a", "0 2 * * *", ""))
		if err := folder(l.State("a")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(l.State("a"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			l.tick(t, "a")
		}
		l.wantTold(t, "launch_failed 10T02:00")
		if r := l.records(t)[0]; !strings.Contains(r.Error, l.State("a")) || !strings.Contains(r.Reason, "remove it") {
			t.Errorf("%s: %+v", name, r)
		}
		if _, err := l.clock("a").RunNow(t.Context()); err == nil {
			t.Errorf("%s: it ran by hand", name)
		}
		if got, _ := os.ReadFile(l.State("a")); string(got) != text || len(l.runs()) != 0 {
			t.Errorf("%s: the state is now %s, runs %v", name, got, l.runs())
		}
	}
}

func TestStatesKeepWhatANewerVersionWrote(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", ""))
	if err := folder(l.State("a")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.State("a"), []byte(`{"format_version":1,"run_id":"old","mood":{"a":[1]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l.tick(t, "a")
	data, err := os.ReadFile(l.State("a"))
	var got map[string]any
	if err != nil || json.Unmarshal(data, &got) != nil || got["mood"] == nil || got["slot"] == nil {
		t.Fatalf("%s, %v", data, err)
	}
	if s, _, err := ReadState(l.Paths, "a"); err != nil || s.RunID == "old" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestRunByHandCrossesTheGateWithoutASlot(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", "    disabled: true\n"))
	l.now = at(10, 1, 0)
	for n, want := range []gate.Decision{gate.Fired, gate.SkippedOverlap, gate.SkippedOverlap} {
		l.now = l.now.Add(time.Second)
		out, err := l.clock("a").RunNow(t.Context())
		if err != nil || out.Record.Decision != want || !out.Record.Slot.IsZero() {
			t.Errorf("%d: %+v, %v", n, out.Record, err)
		}
	}
	l.wantTold(t, "fired by hand, skipped_overlap by hand, skipped_overlap by hand")
	l.checkOnce(t)
}

func TestRunByHandSpendsNoSlot(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", ""))
	if _, err := l.clock("a").RunNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.end(t)
	l.tick(t, "a")
	l.wantTold(t, "fired by hand, fired 10T02:00")
}

func TestTwoRunsByHandAtOnceFireOnce(t *testing.T) {
	for range 30 {
		l := newLab(t, row("a", "0 2 * * *", ""))
		var both sync.WaitGroup
		outs := make([]Outcome, 2)
		for i := range outs {
			both.Go(func() {
				var err error
				if outs[i], err = l.clock("a").RunNow(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if t.Failed() {
			return
		}
		a, b := outs[0].Record, outs[1].Record
		if a.Decision != gate.Fired {
			a, b = b, a
		}
		if a.Decision != gate.Fired || b.Decision != gate.SkippedOverlap || b.BlockingRunID != a.RunID {
			t.Fatalf("%+v and %+v", a, b)
		}
		l.checkOnce(t)
	}
}

func TestTwoTicksInTheSameSecondDecideOnce(t *testing.T) {
	for range 30 {
		l := newLab(t, row("a", "0 2 * * *", "    overlap: allow\n"))
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, err := l.clock("a").Tick(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		l.wantTold(t, "fired 10T02:00")
		l.checkOnce(t)
		if t.Failed() {
			return
		}
	}
}

func TestRunByHandWaitsForATickUnderWay(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", ""))
	inLaunch, goOn := make(chan struct{}), make(chan struct{})
	l.before = sync.OnceFunc(func() { close(inLaunch); <-goOn })
	var ticked Outcome
	var both sync.WaitGroup
	both.Go(func() { ticked, _ = l.clock("a").Tick(context.Background()) })
	<-inLaunch
	c := l.clock("a")
	c.Waiting = func(*filelock.HeldError) { close(goOn) }
	out, err := c.RunNow(t.Context())
	both.Wait()
	if err != nil || ticked.Record.Decision != gate.Fired || out.Record.Decision != gate.SkippedOverlap ||
		out.Record.BlockingRunID != ticked.Record.RunID {
		t.Errorf("%+v, then %+v, %v", ticked.Record, out.Record, err)
	}
}

func TestATickThatIsToldToStopStillLeavesItsRecord(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", ""))
	ctx, cancel := context.WithCancel(t.Context())
	l.fault = func(step string) {
		if step == "pend" {
			cancel()
		}
	}
	out, err := l.clock("a").Tick(ctx)
	if err != nil || out.Record.Decision != gate.LaunchFailed {
		t.Errorf("%+v, %v", out.Record, err)
	}
	l.wantTold(t, "launch_failed 10T02:00")
	l.checkOnce(t)
}

func TestTickTrimsItsLog(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", ""))
	if err := folder(l.Log("a")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.Log("a"), make([]byte, logMost+1), 0o600); err != nil {
		t.Fatal(err)
	}
	l.tick(t, "a")
	if _, err := os.Stat(l.Log("a") + ".1"); err != nil {
		t.Error(err)
	}
}

func TestARowThatIsEditedDuringTheWaitIsReadAgain(t *testing.T) {
	l := newLab(t, row("a", "0 2 * * *", ""))
	if err := folder(l.StateLock("a")); err != nil {
		t.Fatal(err)
	}
	lock, err := filelock.TryAcquire(l.StateLock("a"))
	if err != nil {
		t.Fatal(err)
	}
	c := l.clock("a")
	c.Waiting = func(*filelock.HeldError) {
		l.set(t, row("a", "0 2 * * *", "    disabled: true\n"))
		lock.Release()
	}
	out, err := c.Tick(t.Context())
	if err != nil || !out.Disabled {
		t.Errorf("%+v, %v", out, err)
	}
}

// A state that cannot be read spends the slot. Taking the file away, as the record
// says, must not decide it once more.
func TestI7_SlotIsNotDecidedAgainWhenItsStateIsGone(t *testing.T) {
	l := newLab(t, row("n", "0 * * * *", ""))
	l.tick(t, "n")
	l.end(t)
	if err := os.Remove(l.State("n")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if out := l.tickAt(t, "n", l.now.Add(10*time.Second)); out.Record != nil || out.Missed != nil {
			t.Errorf("decided again: %+v", out)
		}
	}
	l.checkOnce(t)
	l.tickAt(t, "n", l.now.Add(time.Hour))
	l.wantTold(t, "fired 10T02:00, fired 10T03:00")
}
