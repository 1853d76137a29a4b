package dispatch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

func TestI1_TwoDispatchersNeverLaunchACardTwice(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		var ids []string
		for range 30 {
			ids = append(ids, b.card())
		}
		one, two := b.start(), b.start()
		for range 40 {
			one.Refresh()
			two.Refresh()
			one.later(time.Second)
		}
		for _, id := range ids {
			b.settledIn(id, board.StateReview)
			b.launches(id, 1)
		}
		if len(b.runs.doubled) > 0 {
			t.Fatalf("second live runs for %v", b.runs.doubled)
		}
	})
}

func TestLeaseIsRenewedThroughTheLastWrite(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(3 * time.Hour) }
		id := b.card()
		l := b.start()
		for range 30 {
			l.later(5 * time.Minute)
			if left := time.Until(b.get(id).ClaimLeaseUntil); left < 9*time.Minute {
				t.Fatalf("the lease has %s left", left)
			}
		}
	})
}

func TestRenewalThatFailsIsTriedAtTheNextBeat(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		var failing atomic.Bool
		b.board.Before = func(verb, _ string) error {
			if verb == "Renew" && failing.Load() {
				return errors.New("disk full")
			}
			return nil
		}
		b.runs.plan = func(Launch) script { return finishes(time.Hour) }
		id := b.card()
		l := b.start()
		l.later(time.Minute)
		failing.Store(true)
		l.later(8 * time.Minute)
		failing.Store(false)
		if len(l.Snapshot().Errors) != 1 {
			t.Fatalf("errors %+v", l.Snapshot().Errors)
		}
		l.later(time.Hour)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
	})
}

func TestLostClaimStopsOnlyItsRunAndIsToldOnce(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(time.Hour) }
		taken, kept := b.card(), b.card()
		l := b.start()
		l.later(time.Minute)
		_, err := b.board.ForceRelease(t.Context(), taken, board.Cause{})
		b.ok(err)
		_, err = b.board.Claim(t.Context(), taken, "alice", time.Hour, board.Cause{})
		b.ok(err)
		l.later(6 * time.Minute)
		if v, _ := b.runs.Inspect(t.Context(), b.get(taken).LastRunID); v.Record.FailureCode != run.CodeInterrupted {
			t.Fatalf("run of the lost claim: %+v", v.Record)
		}
		if is := b.get(taken); is.Claim != "alice" || is.State != board.StateInProgress {
			t.Fatalf("the lost card was written to: %s in %s", is.Claim, is.State)
		}
		if _, ok := b.journal.entry(taken); ok {
			t.Fatal("the journal still names the lost card")
		}
		if s := l.Snapshot(); len(s.Errors) != 1 || s.SlotsUsed != 1 {
			t.Fatalf("snapshot %+v", s)
		}
		l.later(time.Hour)
		b.settledIn(kept, board.StateReview)
		if e := l.Snapshot().Errors; len(e) != 1 {
			t.Fatalf("our own release was told as trouble: %+v", e)
		}
	})
}

// A claim whose answer was lost is found by our own marker and given back.
func TestClaimWithUnknownOutcomeIsReleased(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		var once atomic.Bool
		b.board.After = func(verb, _ string) error {
			if verb == "Claim" && once.CompareAndSwap(false, true) {
				return fmt.Errorf("claim: %w", board.ErrAmbiguous)
			}
			return nil
		}
		id := b.card()
		l := b.start()
		l.later(time.Minute)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
	})
}

func TestLaunchThatErrsAlthoughTheRunExistsIsAwaited(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := b.card()
		b.runs.refuse = func(l Launch) error {
			b.runs.refuse = nil
			b.runs.mu.Unlock()
			defer b.runs.mu.Lock()
			b.ok(b.runs.Launch(t.Context(), l))
			return errors.New("the answer was lost")
		}
		b.start().later(2 * time.Second)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
	})
}

func TestI12_StoreCallThatHangsDelaysNoMessage(t *testing.T) {
	for _, verb := range []string{"List", "Get", "Claim", "SetState", "Release"} {
		t.Run(verb, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				var hang atomic.Bool
				b.board.Before = func(v, _ string) error {
					if v == verb && hang.Load() {
						time.Sleep(10 * time.Second)
					}
					return nil
				}
				l := b.start()
				synctest.Wait()
				hang.Store(true)
				b.card()
				l.Refresh()
				time.Sleep(time.Second)
				began := time.Now()
				b.ok(l.Pause(t.Context(), "", "alice"))
				b.ok(l.Unpause(t.Context(), "alice"))
				if took := time.Since(began); took != 0 {
					t.Fatalf("two messages took %s", took)
				}
				hang.Store(false)
				l.later(time.Minute)
			})
		})
	}
}

func TestShutdownDoesNotWaitForAStoreThatHangs(t *testing.T) {
	for _, verb := range []string{"List", "Claim", "SetState", "Release"} {
		t.Run(verb, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.board.Before = func(v, _ string) error {
					if v == verb {
						time.Sleep(time.Minute)
					}
					return nil
				}
				b.card()
				l := b.start()
				l.later(1500 * time.Millisecond)
				began := time.Now()
				l.quit()
				if took := time.Since(began); took > time.Second {
					t.Fatalf("it took %s", took)
				}
				time.Sleep(5 * time.Minute)
			})
		})
	}
}

func TestRefreshStartsACardAtOnce(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		l := b.start()
		l.later(10 * time.Second)
		id := b.card()
		began := time.Now()
		l.look()
		b.launches(id, 1)
		if took := time.Since(began); took != 0 {
			t.Fatalf("it waited %s", took)
		}
		other := b.card()
		l.Nudge(other)
		synctest.Wait()
		b.launches(other, 1)
	})
}

func TestCardIsFoundByThePollWithoutAnyHint(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		l := b.start()
		l.later(time.Second)
		id := b.card()
		l.later(31 * time.Second)
		b.launches(id, 1)
	})
}

func TestFreedSlotIsTakenAtOnce(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 2
		for range 10 {
			b.card()
		}
		l := b.start()
		l.later(5*time.Second + time.Millisecond)
		if got := len(b.runs.all()); got != 10 {
			t.Fatalf("%d launches", got)
		}
		synctest.Wait()
		if s := l.Snapshot(); !s.Idle {
			t.Fatalf("snapshot %+v", s)
		}
	})
}

// A broken world slows the whole dispatcher down, spends no attempt, and is over
// as soon as it works again.
func TestTroublePausesDispatchAndSpendsNoAttempt(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		var tries atomic.Int64
		b.runs.refuse = func(Launch) error { tries.Add(1); return errors.New("disk full") }
		var ids []string
		for range 20 {
			ids = append(ids, b.card())
		}
		l := b.start()
		l.later(10 * time.Minute)
		if tries.Load() < 5 || tries.Load() > 20 {
			t.Fatalf("%d tries in ten minutes", tries.Load())
		}
		s := l.Snapshot()
		if len(s.Errors) == 0 || s.Idle {
			t.Fatalf("errors %+v, idle %v", s.Errors, s.Idle)
		}
		b.runs.set(func(f *fakeRuns) { f.refuse = nil })
		l.later(10 * time.Minute)
		for _, id := range ids {
			b.settledIn(id, board.StateReview)
			if e := b.ledger.of(id); e.Attempts != 0 {
				t.Fatalf("it spent an attempt: %+v", e)
			}
		}
	})
}

func TestSettlementIsTriedUntilTheStoreWorks(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		var failing atomic.Bool
		b.board.Before = func(verb, _ string) error {
			if failing.Load() && verb == "Release" {
				return errors.New("disk full")
			}
			return nil
		}
		failing.Store(true)
		id := b.card()
		l := b.start()
		l.later(2 * time.Minute)
		if is := b.get(id); is.Claim == "" || is.State != board.StateReview {
			t.Fatalf("card in %s, claim %q", is.State, is.Claim)
		}
		failing.Store(false)
		l.later(time.Minute)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
	})
}

func TestBootWaitsForAStoreThatDoesNotWork(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		var failing atomic.Bool
		failing.Store(true)
		id := b.card()
		b.board.Before = func(string, string) error {
			if failing.Load() {
				return errors.New("disk full")
			}
			return nil
		}
		l := b.start()
		l.later(time.Minute)
		if l.Snapshot().Ready || len(l.Snapshot().Errors) == 0 {
			t.Fatalf("snapshot %+v", l.Snapshot())
		}
		failing.Store(false) // it is tried again at a time of its own
		verdicts, err := l.Why(t.Context(), id)
		b.ok(err)
		if v := verdicts[1]; v.Answer != AnswerStop || !strings.Contains(v.Reason, "disk full") {
			t.Errorf("a daemon that cannot start says %+v", v)
		}
		l.later(time.Minute)
		b.settledIn(id, board.StateReview)
	})
}

func TestCancelOfARunThatNobodyKnows(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.onStop = func(string) error { return ErrRunGone }
		l := b.start()
		synctest.Wait()
		if err := l.CancelRun(t.Context(), "nobody", "alice"); !errors.Is(err, ErrRunGone) {
			t.Fatalf("got %v", err)
		}
	})
}

func TestSubscribersAreWoken(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		l := b.start()
		synctest.Wait()
		woken, end := l.Subscribe()
		defer end()
		before := l.Snapshot().Seq
		l.Refresh()
		<-woken
		if l.Snapshot().Seq <= before {
			t.Fatal("woken without a new snapshot")
		}
	})
}

func TestVerbsHeedTheirContext(t *testing.T) {
	d := New(newBed(t).options(func() error { return nil })) // nobody runs it
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := d.Pause(ctx, "", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	d.Refresh()
	d.Nudge("x")
}

func TestJournalAndSnapshotSaySinceWhenACardIsClaimed(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		began := time.Now()
		id := b.card()
		l := b.start()
		l.later(time.Second)
		if e, ok := b.journal.entry(id); !ok || e.Phase != PhaseLaunching || !e.ClaimedAt.Equal(began) {
			t.Errorf("journal entry %+v, want it claimed at %s", e, began)
		}
		if r := l.Snapshot().Running; len(r) != 1 || !r[0].Since.Equal(began) {
			t.Errorf("running %+v, want it since %s", r, began)
		}
	})
}
