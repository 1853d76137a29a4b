package resident

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// The bubble's clock starts at midnight UTC on 1 January 2000.

func TestFirstSightArmsAndNeverFiresForWhatWasBefore(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		l := b.start()
		b.wants()
		l.later(59*time.Minute + 59*time.Second)
		b.wants()
		l.later(2 * time.Second)
		b.wants("fired 01 01:00:00")
		rec := b.last()
		if rec.Surface != gate.Trigger || rec.ScheduleID != "hourly" || rec.BotID != "audit" || rec.RunID == "" || rec.Cron != "0 * * * *" {
			t.Fatalf("record %+v", rec)
		}
		b.ends(rec.RunID)
		l.later(time.Hour)
		b.wants("fired 01 01:00:00", "fired 01 02:00:00")
	})
}

func TestEditedClockIsArmedAnew(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		l := b.start()
		l.later(30 * time.Minute)
		b.set(func() { b.rows[0].Cron = "10 * * * *" })
		l.Reload()
		l.later(35 * time.Minute) // 01:05
		b.wants()
		l.later(10 * time.Minute)
		b.wants("fired 01 01:10:00")
	})
}

func TestOtherEditsLeaveTheClockAlone(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		l := b.start()
		l.quit()
		b.jump(65 * time.Minute)
		b.rows[0].Vars = map[string]string{"depth": "2"}
		b.start()
		b.wants("fired 01 01:00:00")
		if v := b.runs[b.last().RunID].vars["depth"]; v != "2" {
			t.Fatalf("vars %q", v)
		}
	})
}

func TestRowsThatCannotBeReadStayAsTheyWere(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		l := b.start()
		b.set(func() { b.rows, b.bad = nil, errors.New("triggers.yaml: line 3: bad indentation") })
		l.Reload()
		l.later(time.Hour)
		b.wants("fired 01 01:00:00")
		if h := l.Health(); len(h.Problems) != 1 || !strings.Contains(h.Problems[0], "line 3") || h.Armed != 1 {
			t.Fatalf("health %+v", h)
		}
	})
}

func TestRowThatIsSwitchedOffAndOnIsArmedAnew(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		l := b.start()
		b.set(func() { b.rows[0].Enabled = false })
		l.Reload()
		l.later(2*time.Hour + time.Minute)
		if rows, err := l.List(t.Context()); err != nil || len(rows) != 1 || rows[0].Enabled || !rows[0].Next.IsZero() {
			t.Fatalf("rows %+v, %v", rows, err)
		}
		b.set(func() { b.rows[0].Enabled = true })
		l.Reload()
		l.later(58 * time.Minute)
		b.wants()
		l.later(2 * time.Minute)
		b.wants("fired 01 03:00:00")
	})
}

// The lid was closed over the slot: the wall clock jumps, timers do not.
func TestI7_SleepOverASlotIsOneCatchUpWithin30s(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		l := b.start()
		l.later(50 * time.Minute)
		b.jump(15 * time.Minute) // 01:05
		l.later(30 * time.Second)
		b.wants("fired 01 01:00:00")
		if r := b.last(); !strings.Contains(r.Reason, "catch-up, 5m") || !strings.Contains(r.Reason, "slept") || !r.At.After(r.Slot.Add(5*time.Minute)) {
			t.Fatalf("record %+v", r)
		}
		l.later(20 * time.Minute)
		b.wants("fired 01 01:00:00")
	})
}

func TestI7_SleepOverManySlotsIsOneCatchUpAndOneMissedRecord(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		l := b.start()
		b.jump(7*24*time.Hour + 5*time.Minute)
		l.later(30 * time.Second)
		b.wants("missed 07 23:00:00", "fired 08 00:00:00")
		if r := b.record(0).Reason; !strings.Contains(r, "167 slots from 2000-01-01T01:00:00Z to 2000-01-07T23:00:00Z") {
			t.Fatalf("reason %q", r)
		}
	})
}

func TestI7_TooLateForACatchUpIsOneMissedRecord(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		l := b.start()
		b.jump(7*24*time.Hour + 11*time.Minute)
		l.later(30 * time.Second)
		b.wants("missed 08 00:00:00")
		if r := b.last().Reason; !strings.Contains(r, "168 slots") {
			t.Fatalf("reason %q", r)
		}
		l.later(49 * time.Minute)
		b.wants("missed 08 00:00:00", "fired 08 01:00:00")
	})
}

func TestI7_DownOverManySlotsIsOneMissedRecordAndAtMostOneCatchUp(t *testing.T) {
	for late, want := range map[time.Duration][]string{
		5 * time.Minute:  {"missed 07 23:00:00", "fired 08 00:00:00"},
		20 * time.Minute: {"missed 08 00:00:00"},
	} {
		inBed(t, func(t *testing.T, b *bed) {
			b.rows = []trigger.Subscription{hourly()}
			b.start().quit()
			b.jump(7*24*time.Hour + late)
			l := b.start()
			b.wants(want...)
			if r := b.record(0).Reason; !strings.Contains(r, "no daemon was there") {
				t.Fatalf("reason %q", r)
			}
			l.quit()
			b.start()
			b.wants(want...)
		})
	}
}

func TestI7_ClockThatIsSetBackDecidesNothingTwice(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly(func(s *trigger.Subscription) { s.Overlap = gate.Allow })}
		l := b.start()
		l.later(3*time.Hour + time.Minute)
		three := []string{"fired 01 01:00:00", "fired 01 02:00:00", "fired 01 03:00:00"}
		b.wants(three...)
		b.jump(-2 * time.Hour)
		l.later(time.Hour)
		b.wants(three...)
		if h := l.Health(); len(h.Problems) != 1 || !strings.Contains(h.Problems[0], "clock stands before") {
			t.Fatalf("health %+v", h)
		}
		l.quit()
		l = b.start()
		l.later(time.Hour)
		b.wants(three...)
		l.later(time.Hour)
		b.wants(append(three, "fired 01 04:00:00")...)
	})
}

func TestCatchUpOfARow(t *testing.T) {
	span := func(d time.Duration) *trigger.Duration { c := trigger.Duration(d); return &c }
	for name, c := range map[string]struct {
		row  trigger.Subscription
		want string
	}{
		"none for a cron kind":   {hourly(func(s *trigger.Subscription) { s.CatchUp = span(0) }), "missed"},
		"a day for a cron kind":  {hourly(func(s *trigger.Subscription) { s.CatchUp = span(24 * time.Hour) }), "fired"},
		"none for a keepalive":   {keepalive(time.Hour), "missed"},
		"some for a keepalive":   {func() trigger.Subscription { s := keepalive(time.Hour); s.CatchUp = span(time.Hour); return s }(), "fired"},
		"the default of crons":   {hourly(), "fired"},
		"an interval in a cron":  {hourly(func(s *trigger.Subscription) { s.Cron = "@every 1h" }), "fired"},
		"a zone that is not UTC": {hourly(func(s *trigger.Subscription) { s.TZ = "Asia/Tokyo" }), "fired"},
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.rows = []trigger.Subscription{c.row}
				b.start().quit()
				b.jump(65 * time.Minute)
				b.start()
				b.wants(c.want + " 01 01:00:00")
			})
		})
	}
}

func TestKeepaliveReplacesARunThatHasGoneSilent(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{keepalive(time.Minute)}
		b.slots = 1 // the silent run has the only one
		l := b.start()
		l.later(time.Minute)
		b.wants("fired 01 00:01:00")
		first := b.last().RunID
		l.later(4 * time.Minute)
		if r := b.last(); r.Decision != gate.SkippedOverlap || r.BlockingRunID != first {
			t.Fatalf("record %+v", r)
		}
		l.later(time.Minute)
		r := b.last()
		if r.Decision != gate.Fired || !strings.Contains(r.Reason, "stale") || b.endOf(first) != "failed_resumable" {
			t.Fatalf("record %+v, first run %s", r, b.endOf(first))
		}
		b.once()
	})
}

func TestSupersedeEndsTheLiveRunFirst(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly(func(s *trigger.Subscription) { s.Overlap = gate.Supersede })}
		l := b.start()
		l.later(2*time.Hour + time.Second)
		b.wants("fired 01 01:00:00", "fired 01 02:00:00")
		if b.endOf(b.launched()[0]) != "cancelled" || b.endOf(b.launched()[1]) != "" {
			t.Fatal("the runs did not end as they should")
		}
	})
}

func TestRunInTheWayIsNamedAlsoWhenAllSlotsAreTaken(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		b.slots = 1
		l := b.start()
		l.later(2*time.Hour + time.Second)
		b.wants("fired 01 01:00:00", "skipped_overlap 01 02:00:00")
		if r := b.last(); r.BlockingRunID != b.launched()[0] {
			t.Fatalf("record %+v", r)
		}
		if rows, _ := l.List(t.Context()); rows[0].Blocking != b.launched()[0] {
			t.Fatalf("row %+v", rows[0])
		}
	})
}

func TestPauseHoldsOneIntention(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		b.held = paused
		l := b.start()
		l.later(3*time.Hour + 5*time.Minute)
		b.wants()
		rows, err := l.List(t.Context())
		if err != nil || rows[0].Due == nil || rows[0].Due.Held == nil || rows[0].Due.Held.Reason != paused.Reason {
			t.Fatalf("row %+v, %v", rows[0], err)
		}
		if next := rows[0].Next.Format("15:04"); next != "04:00" {
			t.Fatalf("the next slot is at %s", next)
		}
		if h := l.Health(); h.Held != 1 || h.HeldWhy != paused.Reason {
			t.Fatalf("health %+v", h)
		}
		b.set(func() { b.held = nil })
		l.Nudge()
		l.later(0)
		b.wants("missed 01 02:00:00", "fired 01 03:00:00")
		if r := b.record(0).Reason; !strings.Contains(r, "2 slots") || !strings.Contains(r, "held back since") || !strings.Contains(r, "alice") {
			t.Fatalf("reason %q", r)
		}
		if r := b.record(1).Reason; !strings.Contains(r, "catch-up, 5m") {
			t.Fatalf("reason %q", r)
		}
	})
}

func TestPauseThatLastedTooLongIsMissed(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		b.held = paused
		l := b.start()
		l.later(time.Hour + 30*time.Minute)
		b.set(func() { b.held = nil })
		l.Nudge()
		l.later(0)
		b.wants("missed 01 01:00:00")
		if b.taken() > 0 {
			t.Fatal("a slot is left taken")
		}
	})
}

// A machine that is busy is no reason to lose a slot.
func TestWaitForAFreeSlotLastsAsLongAsItTakes(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly(func(s *trigger.Subscription) { s.Cron = "0 2 * * *" })}
		b.slots = 0
		l := b.start()
		l.later(4 * time.Hour)
		b.wants()
		b.set(func() { b.slots = 1 })
		l.Nudge()
		l.later(0)
		b.wants("fired 01 02:00:00")
		if r := b.last().Reason; !strings.Contains(r, "2h0m0s late") || !strings.Contains(r, "slots") {
			t.Fatalf("reason %q", r)
		}
	})
}

func TestHeldIntentionOutlivesARestart(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		b.held = paused
		l := b.start()
		l.later(time.Hour + time.Minute)
		l.quit()
		b.held = nil
		l = b.start()
		b.wants("fired 01 01:00:00")
		l.quit()
	})
}

// Who is held tries again by itself, in case nobody tells that the way is free.
func TestHeldIntentionIsTriedAgainUnasked(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		b.held = paused
		l := b.start()
		l.later(time.Hour + time.Minute)
		b.set(func() { b.held = nil })
		l.later(heldRetry)
		b.wants("fired 01 01:00:00")
	})
}

func TestManyThatAreHeldGoInTheOrderOfTheirSlots(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		for _, id := range []string{"d", "a", "c", "b"} {
			minute := map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}[id]
			b.rows = append(b.rows, hourly(func(s *trigger.Subscription) { s.ID, s.Cron = id, minute+" * * * *" }))
		}
		b.slots = 0
		l := b.start()
		l.later(10 * time.Minute)
		for range 4 {
			b.set(func() { b.slots = 1 })
			l.Nudge()
			l.later(0)
		}
		b.wants("fired 01 00:01:00", "fired 01 00:02:00", "fired 01 00:03:00", "fired 01 00:04:00")
	})
}

// A hundred schedules that are held ask as seldom as one does.
func TestManyThatAreHeldAskOneForAll(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		for i := range 100 {
			b.rows = append(b.rows, hourly(func(s *trigger.Subscription) { s.ID = fmt.Sprintf("s%02d", i) }))
		}
		asked := 0
		b.stall = func() { b.set(func() { asked++ }) }
		b.held = paused
		l := b.start()
		l.later(time.Hour)
		b.set(func() {
			if asked != 100 {
				t.Errorf("%d questions at the slot", asked)
			}
			asked = 0
		})
		l.later(5 * time.Minute)
		b.set(func() {
			if asked < 15 || asked > 25 {
				t.Errorf("%d questions in five minutes", asked)
			}
			b.held = nil
		})
		l.later(heldRetry)
		if n := len(b.launched()); n != 100 {
			t.Fatalf("%d launches once the pause is over", n)
		}
	})
}

func TestRowThatHangsDelaysNoOther(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		for _, id := range []string{"a", "poisoned", "z"} {
			b.rows = append(b.rows, hourly(func(s *trigger.Subscription) { s.ID = id }))
		}
		stuck := make(chan struct{})
		b.hang = func(id string) {
			if id == "poisoned" {
				<-stuck
			}
		}
		l := b.start()
		l.later(2*time.Hour + time.Second)
		for _, id := range b.launched() {
			b.ends(id)
		}
		if got := b.decided(); len(got) != 4 {
			t.Fatalf("the audit has %v", got)
		}
		if h := l.Health(); h.Deciding != 1 {
			t.Fatalf("health %+v", h)
		}
		close(stuck)
		l.later(time.Second)
		if got := b.decided(); len(got) != 6 { // its second slot came due while it hung
			t.Fatalf("the audit has %v", got)
		}
		b.once()
	})
}

func TestRowThatCannotBeArmedIsNamedAndStopsNoOther(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly(), hourly(func(s *trigger.Subscription) { s.ID, s.Cron = "bad", "61 * * * *" })}
		l := b.start()
		l.later(time.Hour)
		b.wants("fired 01 01:00:00")
		rows, _ := l.List(t.Context())
		if i := slices.IndexFunc(rows, func(r Row) bool { return r.ID == "bad" }); i < 0 || rows[i].Problem == "" {
			t.Fatalf("rows %+v", rows)
		}
	})
}

func TestRunsThatCannotBeListedFireNothing(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		b.liveErr = errors.New("input/output error")
		l := b.start()
		l.later(time.Hour)
		b.wants("launch_failed 01 01:00:00")
		if r := b.last(); !strings.Contains(r.Error, "input/output") || len(b.launched()) != 0 {
			t.Fatalf("record %+v", r)
		}
		if b.taken() != 0 {
			t.Fatal("the slot was not given back")
		}
		b.set(func() { b.liveErr = nil })
		l.later(time.Hour)
		b.wants("launch_failed 01 01:00:00", "fired 01 02:00:00")
		if v := b.told(); !slices.Equal(v, []string{"hourly: " + b.record(0).Error, "hourly: "}) {
			t.Fatalf("verdicts %q", v)
		}
	})
}

// What was launched is written down as soon as the audit takes it, and nothing is
// launched in the meantime for the same slot.
func TestI7_AuditThatCannotBeWrittenIsToldLater(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		b.deaf = errors.New("no space left on device")
		l := b.start()
		l.later(time.Hour + 5*time.Minute)
		if len(b.launched()) != 1 {
			t.Fatalf("launched %v", b.launched())
		}
		if h := l.Health(); len(h.Problems) != 1 || !strings.Contains(h.Problems[0], "no space") {
			t.Fatalf("health %+v", h)
		}
		b.set(func() { b.deaf = nil })
		l.later(30 * time.Second)
		b.wants("fired 01 01:00:00")
	})
}

func TestI7_NothingIsLaunchedThatIsNotDurable(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		l := b.start()
		l.later(time.Second)
		if err := os.Rename(b.dir, b.dir+"-away"); err != nil {
			t.Fatal(err)
		}
		l.later(time.Hour + time.Minute)
		if len(b.launched()) > 0 {
			t.Fatalf("launched %v", b.launched())
		}
		if err := os.Rename(b.dir+"-away", b.dir); err != nil {
			t.Fatal(err)
		}
		l.later(30 * time.Second)
		b.wants("fired 01 01:00:00")
	})
}

func TestI5_UnreadableCalendarIsNeverAnEmptyOne(t *testing.T) {
	for name, content := range map[string]string{
		"torn":              `{"version":1,"schedules":{"hourly":{"clock":"0 * *`,
		"of a newer format": `{"version":2,"schedules":{}}`,
		"without a version": `{}`,
		"with a bad entry":  `{"version":1,"schedules":{"hourly":{"clock":"0 * * * *"}}}`,
		"with a bad intent": `{"version":1,"schedules":{"hourly":{"through":"2000-01-01T00:00:00Z","intent":{"slot":"2000-01-01T01:00:00Z"}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.rows = []trigger.Subscription{hourly()}
				path := filepath.Join(b.dir, "schedule-intents.json")
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				l := b.start()
				l.later(2 * time.Hour)
				b.wants()
				if h := l.Health(); len(h.Problems) == 0 || !strings.Contains(h.Problems[0], path) {
					t.Fatalf("health %+v", h)
				}
				if got, _ := os.ReadFile(path); string(got) != content {
					t.Fatalf("the file was changed to %s", got)
				}
				if err := os.Remove(path); err != nil { // moved away by a person
					t.Fatal(err)
				}
				l.later(90 * time.Minute)
				b.wants("fired 01 03:00:00")
			})
		})
	}
}

func TestKeysOfANewerVersionStayInTheCalendar(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	content := `{"version":1,"schedules":{"a":{"clock":"x","armed_at":"2000-01-01T00:00:00Z","through":"2000-01-01T00:00:00Z","mood":{"good":true}}}}`
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.write(path, newBed(t, "").options().File); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != content+"\n" {
		t.Fatalf("written as %s", got)
	}
}

func TestRunByHandCrossesTheSameGate(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly(func(s *trigger.Subscription) { s.Enabled = false })}
		l := b.start()
		rec, err := l.RunNow(t.Context(), "hourly", "alice")
		if err != nil || rec.Decision != gate.Fired || rec.RunID == "" || !strings.Contains(rec.Reason, "by hand, alice") {
			t.Fatalf("record %+v, %v", rec, err)
		}
		for range 2 {
			if rec, err = l.RunNow(t.Context(), "hourly", "alice"); err != nil || rec.Decision != gate.SkippedOverlap || rec.BlockingRunID != b.launched()[0] {
				t.Fatalf("record %+v, %v", rec, err)
			}
		}
		b.wants("fired by hand", "skipped_overlap by hand", "skipped_overlap by hand")
		b.held = paused
		var held *HeldError
		if _, err = l.RunNow(t.Context(), "hourly", "alice"); !errors.As(err, &held) {
			t.Fatalf("while paused: %v", err)
		}
		if _, err = l.RunNow(t.Context(), "nightly", "alice"); !errors.Is(err, ErrNoSchedule) {
			t.Fatalf("of nothing: %v", err)
		}
		b.wants("fired by hand", "skipped_overlap by hand", "skipped_overlap by hand")
	})
}

// What is being decided when the scheduler ends is decided to its end, or left as an
// intention that the next one finishes.
func TestI7_EndOfTheSchedulerLosesNoSlot(t *testing.T) {
	for name, takes := range map[string]time.Duration{"a decision that ends soon": time.Second, "one that does not": time.Hour} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.rows = []trigger.Subscription{hourly()}
				first := true
				b.stall = func() {
					if first {
						first = false
						time.Sleep(takes)
					}
				}
				l := b.start()
				l.later(time.Hour)
				b.wants()
				l.quit()
				l = b.start()
				l.later(time.Second)
				b.wants("fired 01 01:00:00")
				l.quit()
				synctest.Wait()
				time.Sleep(2 * time.Hour) // what was left behind comes to nothing
				b.wants("fired 01 01:00:00")
			})
		})
	}
}
