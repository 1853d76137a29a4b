package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// clockRun makes the run of a schedule, as whoever reserved its slot does.
func (b *bed) clockRun(id string, s script) {
	b.t.Helper()
	b.runs.set(func(f *fakeRuns) { f.plan = func(Launch) script { return s } })
	b.ok(b.runs.Launch(b.t.Context(), Launch{RunID: id, Bot: Bot{Slug: "nightly"}}))
	b.runs.edit(id, func(r *run.Record) {
		r.Name = "Nightly audit"
		r.Source = run.Source{Kind: run.SourceSchedule, ScheduleID: "s1", ScheduleName: "nightly"}
	})
}

var nightly = Direct{RunID: "r1", Title: "Nightly audit", Bot: "nightly", By: "schedule nightly"}

func (b *bed) heldBack(err error, guard string) {
	b.t.Helper()
	var held *HeldBackError
	if !errors.As(err, &held) || held.Guard != guard || held.Reason == "" {
		b.t.Fatalf("reserve: %v, want it held back by %s", err, guard)
	}
}

func TestReservedRunHasItsSlotUntilItEnds(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		l := b.start()
		synctest.Wait()
		b.ok(l.Reserve(t.Context(), nightly))
		b.ok(l.Reserve(t.Context(), nightly)) // asked again, it has it
		synctest.Wait()
		if r := l.Snapshot().Running; len(r) != 1 || r[0].RunID != "r1" || r[0].Title != "Nightly audit" ||
			r[0].By != "schedule nightly" || r[0].Phase != PhaseLaunching {
			t.Fatalf("running %+v", r)
		}
		b.heldBack(l.Reserve(t.Context(), Direct{RunID: "r2"}), GuardSlots)
		b.clockRun("r1", finishes(time.Minute))
		l.Launched("r1", nil)
		b.runs.set(func(f *fakeRuns) { f.plan = func(Launch) script { return finishes(time.Second) } })
		card := b.card()
		l.later(30 * time.Second)
		b.launches(card, 0)
		l.slots(1)
		l.later(40 * time.Second)
		b.launches(card, 1)
		b.settledIn(card, board.StateReview)
		l.slots(0)
	})
}

// With more cards than slots a clock gets the next slot that is free, and then a card
// does: neither starves the other.
func TestReserveAndCardsTakeTurnsWhenSlotsAreScarce(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		b.runs.plan = func(Launch) script { return finishes(20 * time.Second) }
		for range 4 {
			b.card()
		}
		l := b.start()
		synctest.Wait()
		taken := func() string {
			r := l.Snapshot().Running
			switch {
			case len(r) == 0:
				return "nobody"
			case r[0].IssueID == "":
				return r[0].RunID
			}
			return "card"
		}
		var turns []string
		for i := range 6 {
			turns = append(turns, taken())
			id := fmt.Sprint("r", i)
			if turns[i] == "card" {
				b.heldBack(l.Reserve(t.Context(), Direct{RunID: id}), GuardSlots)
				l.later(21 * time.Second) // asks again only when the slot has been free for a while
				l.Refresh()
				synctest.Wait()
				b.ok(l.Reserve(t.Context(), Direct{RunID: id}))
			} else {
				b.heldBack(l.Reserve(t.Context(), Direct{RunID: id}), GuardSlots)
				l.Launched(turns[i], errors.New("nothing came of it"))
				synctest.Wait()
			}
			synctest.Wait()
		}
		if want := []string{"card", "r0", "card", "r2", "card", "r4"}; !slices.Equal(turns, want) {
			t.Fatalf("turns %v, want %v", turns, want)
		}
	})
}

// A slot is not kept for ever for somebody who does not come back.
func TestSlotIsNotKeptForWhoDoesNotAskAgain(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		b.runs.plan = func(Launch) script { return finishes(time.Second) }
		b.card()
		l := b.start()
		synctest.Wait()
		next := b.card()
		b.heldBack(l.Reserve(t.Context(), nightly), GuardSlots)
		l.later(5 * time.Second)
		b.launches(next, 0)
		l.refusedBy(next, GuardSlots)
		l.later(askAgain - 5*time.Second)
		b.launches(next, 1)
	})
}

func TestReservedSlotIsFreeAtOnceWhenNoRunWasMade(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		l := b.start()
		synctest.Wait()
		b.ok(l.Reserve(t.Context(), nightly))
		l.Launched("r1", errors.New("no such bot"))
		synctest.Wait()
		l.slots(0)
		b.ok(l.Reserve(t.Context(), nightly))
		l.slots(1)
	})
}

// A run that pauses has no process and no slot; it takes one again to go on.
func TestReservedRunThatPausesFreesItsSlot(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.goOn = func(Resume) script { return finishes(time.Minute) }
		l := b.start()
		synctest.Wait()
		b.ok(l.Reserve(t.Context(), nightly))
		b.clockRun("r1", asks(time.Second))
		l.Launched("r1", nil)
		l.later(2 * time.Second)
		l.slots(0)
		b.runs.answer("r1")
		b.ok(l.ResumeRun(t.Context(), "r1", "alice"))
		l.later(time.Second)
		l.slots(1)
		l.Launched("r1", errors.New("told twice, long after")) // changes nothing
		l.later(time.Second)
		l.slots(1)
	})
}

func TestReserveIsHeldBack(t *testing.T) {
	for name, c := range map[string]struct {
		set   func(b *bed, l *life)
		guard string
	}{
		"by a pause":                        {func(b *bed, l *life) { b.ok(l.Pause(b.t.Context(), "maintenance", "alice")) }, GuardPaused},
		"at the day's cap":                  {func(b *bed, l *life) { b.spend.set(Spending{CapUSD: 5, TotalUSD: 5, Reached: true}, nil); l.look() }, GuardSpend},
		"by spending that cannot be read":   {func(b *bed, l *life) { b.spend.set(Spending{}, errors.New("bad JSON")); l.look() }, GuardSpend},
		"after trouble of the world around": {func(b *bed, l *life) { b.spaces.breakWith(errors.New("disk full")); b.card(); l.look() }, GuardPaused},
		"while the runs are being stopped":  {func(b *bed, l *life) { b.ok(l.StopRuns(b.t.Context(), "alice")) }, GuardPaused},
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				l := b.start()
				synctest.Wait()
				c.set(b, l)
				b.heldBack(l.Reserve(t.Context(), nightly), c.guard)
				l.slots(0)
			})
		})
	}
}

// Before the first look at the board nobody knows what is spent, nor what is left of
// an earlier daemon.
func TestReserveIsHeldBackWhileTheDaemonStarts(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		var slow atomic.Bool
		slow.Store(true)
		b.board.Before = func(verb, _ string) error {
			if verb == "List" && slow.Load() {
				time.Sleep(time.Minute)
			}
			return nil
		}
		l := b.start()
		synctest.Wait()
		b.heldBack(l.Reserve(t.Context(), nightly), GuardPaused)
		slow.Store(false)
		l.later(2 * time.Minute)
		b.ok(l.Reserve(t.Context(), nightly))
	})
}

// Who gives up asking leaves no slot behind.
func TestReserveThatIsGivenUpTakesNoSlot(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		l := b.start()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 { // the question may be answered before the end of ctx is seen
			err := l.Reserve(ctx, nightly)
			if err == nil {
				l.Launched("r1", errors.New("no use for it"))
			}
			synctest.Wait()
			l.slots(0)
		}
	})
}

func TestLiveClockRunsKeepTheirSlotsOverARestart(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		first := b.start()
		synctest.Wait()
		b.ok(first.Reserve(t.Context(), nightly))
		b.clockRun("r1", finishes(time.Minute))
		first.kill() // before it was told that the run is there
		b.runs.set(func(f *fakeRuns) { f.plan = func(Launch) script { return finishes(time.Second) } })
		card := b.card()
		l := b.start()
		l.later(time.Second)
		b.launches(card, 0)
		if r := l.Snapshot().Running; len(r) != 1 || r[0].RunID != "r1" || r[0].By != "schedule nightly" {
			t.Fatalf("running %+v", r)
		}
		b.heldBack(l.Reserve(t.Context(), Direct{RunID: "r2"}), GuardSlots)
		b.ok(l.Reserve(t.Context(), nightly)) // whoever finishes an old intention finds it
		l.Launched("r1", nil)
		l.later(time.Minute)
		b.settledIn(card, board.StateReview)
		l.slots(0)
	})
}

func TestTakeOverRunsCountsWhatSomebodyElseStarted(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		l := b.start()
		synctest.Wait()
		b.clockRun("r1", finishes(time.Minute))
		for range 2 {
			l.TakeOverRuns()
			synctest.Wait()
			l.slots(1)
		}
		l.later(2 * time.Minute)
		l.slots(0)
	})
}

// A run that is just being made when all are to end is ended, too.
func TestStopRunsEndsAReservedRunThatIsJustBeingMade(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		l := b.start()
		synctest.Wait()
		b.ok(l.Reserve(t.Context(), nightly))
		ended := make(chan error, 1)
		go func() { ended <- l.StopRuns(t.Context(), "alice") }()
		synctest.Wait()
		b.clockRun("r1", never)
		l.Launched("r1", nil)
		b.ok(<-ended)
		if rec := b.runs.view("r1").Record; rec.Status != run.Cancelled {
			t.Fatalf("run %+v", rec)
		}
		if p := l.Snapshot().Errors; len(p) != 0 {
			t.Fatalf("troubles %+v", p)
		}
	})
}
