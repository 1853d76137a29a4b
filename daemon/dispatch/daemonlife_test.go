package dispatch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

func faultPoints() []string {
	return []string{
		FaultJournalled, FaultClaimed, FaultRecorded, FaultMoved, FaultPrepared, FaultLaunched,
		FaultStamped, FaultSettling, FaultCounted, FaultFiled, FaultReleased,
	}
}

// A daemon that dies right after any write leaves a card that the next one
// brings to its end, with one run.
func TestI6_CrashAtEveryPointIsSettledByTheNextDaemon(t *testing.T) {
	for _, point := range faultPoints() {
		t.Run(point, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				id := b.card()
				first := b.start(point)
				<-first.ended
				if _, ok := b.journal.entry(id); !ok {
					t.Fatal("nothing was left behind: the fault was not reached")
				}
				second := b.start()
				second.later(5 * time.Second)
				b.settledIn(id, board.StateReview)
				b.launches(id, 1)
			})
		})
	}
}

// The same for a run that fails: its attempt is counted once.
func TestI6_CrashWhileSettlingAFailureCountsItOnce(t *testing.T) {
	for _, point := range []string{FaultSettling, FaultCounted, FaultFiled, FaultReleased} {
		t.Run(point, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.runs.plan = func(Launch) script { return fails(time.Second, "") }
				id := b.card()
				<-b.start(point).ended
				second := b.start()
				synctest.Wait()
				b.settledIn(id, board.StateReady)
				if e := b.ledger.of(id); e.Attempts != 1 {
					t.Fatalf("ledger %+v", e)
				}
				second.later(20 * time.Second)
				if e := b.ledger.of(id); e.Attempts != 2 {
					t.Fatalf("ledger %+v", e)
				}
			})
		})
	}
}

func TestI6_CrashWhileGivingUpStillGivesUp(t *testing.T) {
	for _, point := range []string{FaultSettling, FaultCounted, FaultFiled, FaultReleased} {
		t.Run(point, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.cfg.MaxAttempts = 1
				b.runs.plan = func(Launch) script { return fails(time.Second, "") }
				id := b.card()
				<-b.start(point).ended
				b.start().later(time.Minute)
				b.settledIn(id, board.StateBlocked)
				if g := b.get(id).GivenUp(); g == nil || g.Attempts != 1 {
					t.Fatalf("stamp %+v", g)
				}
			})
		})
	}
}

func TestI3_NextDaemonReAdoptsALiveRun(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(time.Hour) }
		id := b.card()
		first := b.start()
		first.later(time.Minute)
		first.kill()
		second := b.start()
		second.later(time.Minute)
		if r := second.Snapshot().Running; len(r) != 1 || r[0].Phase != PhaseRunning || r[0].Bot != "hello" {
			t.Fatalf("running %+v", r)
		}
		second.later(57 * time.Minute)
		if until := b.get(id).ClaimLeaseUntil; until.Before(time.Now()) {
			t.Fatal("nobody renewed the claim")
		}
		second.later(2 * time.Minute)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
	})
}

func TestI3_RunThatEndedWhileNobodyWatchedIsSettled(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(time.Minute) }
		id := b.card()
		first := b.start()
		first.later(time.Second)
		first.quit()
		time.Sleep(time.Hour)
		b.start()
		synctest.Wait()
		b.settledIn(id, board.StateReview)
	})
}

func TestSupervisorThatDiedWithItsDaemonIsRecovered(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		first := b.start()
		first.later(time.Second)
		first.kill()
		b.runs.orphan(b.get(id).LastRunID)
		b.start()
		synctest.Wait()
		b.settledIn(id, board.StateReady)
		if e := b.ledger.of(id); e.Attempts != 1 {
			t.Fatalf("ledger %+v", e)
		}
	})
}

func TestHoldsSurviveARestart(t *testing.T) {
	for _, status := range []run.Status{run.PausedHuman, run.Cancelled} {
		t.Run(string(status), func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.runs.plan = func(Launch) script { return becomes(status) }
				id := b.card()
				first := b.start()
				first.later(time.Minute)
				first.kill()
				second := b.start()
				second.later(time.Minute)
				if s := second.Snapshot(); len(s.Parked)+len(s.Held) != 1 {
					t.Fatalf("snapshot %+v", s)
				}
				if b.get(id).Claim == "" {
					t.Fatal("the claim is gone")
				}
				b.launches(id, 1)
			})
		})
	}
}

func TestHoldLiftedWhileNoDaemonRan(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return becomes(run.Cancelled) }
		id := b.card()
		first := b.start()
		first.later(time.Minute)
		first.kill()
		_, err := b.board.Update(t.Context(), id, board.Patch{ClearLastRun: true}, board.Cause{})
		b.ok(err)
		b.runs.plan = func(Launch) script { return finishes(time.Second) }
		b.start().later(5 * time.Second)
		b.settledIn(id, board.StateReview)
		b.launches(id, 2)
	})
}

// A card that a dead dispatcher claimed without a journal entry is not ours to
// touch.
func TestForeignMarkerWithoutAnEntryIsLeftAlone(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := b.card()
		_, err := b.board.Claim(t.Context(), id, "dispatcher:long-gone", time.Second, board.Cause{})
		b.ok(err)
		b.start().later(time.Hour)
		if b.get(id).Claim != "dispatcher:long-gone" {
			t.Fatal("the claim was touched")
		}
	})
}

func TestEntryOfACardThatWasTakenOverIsForgotten(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		first := b.start()
		first.later(time.Second)
		first.kill()
		_, err := b.board.ForceRelease(t.Context(), id, board.Cause{})
		b.ok(err)
		_, err = b.board.Claim(t.Context(), id, "alice", time.Hour, board.Cause{})
		b.ok(err)
		l := b.start()
		l.later(time.Second)
		if _, ok := b.journal.entry(id); ok || l.Snapshot().SlotsUsed != 0 {
			t.Fatalf("snapshot %+v", l.Snapshot())
		}
		if v, _ := b.runs.Inspect(t.Context(), b.get(id).LastRunID); v.Record.FailureCode != run.CodeInterrupted {
			t.Fatalf("the old run goes on: %+v", v.Record)
		}
		if b.get(id).Claim != "alice" {
			t.Fatal("the new claim was touched")
		}
	})
}

func TestBackoffLadderAndAttemptsSurviveRestarts(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return fails(time.Second, "") }
		id := b.card()
		l := b.start()
		for n, want := range []time.Duration{10, 20, 40, 80, 160, 300, 300} {
			for b.ledger.of(id).Attempts != n+1 {
				l.later(100 * time.Millisecond)
			}
			ended := b.runs.view(b.get(id).LastRunID).Record.FinishedAt
			if got := b.ledger.of(id).DueAt.Sub(ended); got != want*time.Second {
				t.Fatalf("after attempt %d the next is due in %s, want %ds", n+1, got, want)
			}
			l.kill()
			l = b.start()
		}
		l.later(time.Hour)
		b.settledIn(id, board.StateBlocked)
		b.launches(id, 10)
		if g := b.get(id).GivenUp(); g == nil || g.Attempts != 10 || g.RunID != b.get(id).LastRunID {
			t.Fatalf("stamp %+v", b.get(id).GaveUp)
		}
	})
}

func TestClearingTheLastRunStartsOver(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return fails(time.Second, "") }
		id := b.card()
		l := b.start()
		l.later(2 * time.Minute)
		_, err := b.board.Update(t.Context(), id, board.Patch{ClearLastRun: true}, board.Cause{})
		b.ok(err)
		before := len(b.runs.launched(id))
		l.look()
		b.launches(id, before+1)
		if last := b.runs.all()[before]; last.Attempt != 1 {
			t.Fatalf("attempt %d", last.Attempt)
		}
	})
}

func TestPauseSurvivesARestart(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		l := b.start()
		synctest.Wait()
		b.ok(l.Pause(t.Context(), "lunch", "alice"))
		id := b.card()
		l.look()
		l.refusedBy(id, guardPaused)
		l.quit()
		l = b.start()
		l.later(time.Hour)
		b.launches(id, 0)
		if d := l.Snapshot().Desired; d.Reason != "lunch" || d.By != "alice" {
			t.Fatalf("desired %+v", d)
		}
		b.ok(l.Unpause(t.Context(), "alice"))
		l.later(2 * time.Second)
		b.settledIn(id, board.StateReview)
	})
}

func TestPauseLetsRunsSettle(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(time.Minute) }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		b.ok(l.Pause(t.Context(), "", "alice"))
		l.later(time.Minute)
		b.settledIn(id, board.StateReview)
	})
}

func TestPauseThatCannotBeSavedHoldsAndSaysSo(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.intent.fail = errors.New("disk full")
		l := b.start()
		synctest.Wait()
		if err := l.Pause(t.Context(), "", "alice"); err == nil {
			t.Fatal("no error")
		}
		id := b.card()
		l.look()
		b.launches(id, 0)
	})
}

func TestStopRunsCancelsAndWaits(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		ids := []string{b.card(), b.card(), b.card()}
		l := b.start()
		l.later(time.Second)
		b.ok(l.StopRuns(t.Context(), "alice"))
		if s := l.Snapshot(); s.SlotsUsed != 0 || len(s.Held) != 3 {
			t.Fatalf("snapshot %+v", s)
		}
		for _, id := range ids {
			if v, _ := b.runs.Inspect(t.Context(), b.get(id).LastRunID); v.Record.Status != run.Cancelled || v.By != "alice" {
				t.Fatalf("run %+v", v)
			}
		}
	})
}

func TestStopRunsIsBounded(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		b.runs.onStop = func(string) error { return errors.New("disk full") }
		b.card()
		l := b.start()
		l.later(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := l.StopRuns(ctx, "alice"); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
	})
}

func TestShutdownLeavesRunsAlone(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		began := time.Now()
		l.quit()
		if took := time.Since(began); took > time.Second {
			t.Fatalf("it took %s", took)
		}
		if e, ok := b.journal.entry(id); !ok || e.RunID != b.get(id).LastRunID {
			t.Fatalf("journal %+v", e)
		}
		if v, _ := b.runs.Inspect(t.Context(), b.get(id).LastRunID); v.Record.Status != run.Running {
			t.Fatalf("run %+v", v.Record)
		}
		if err := l.Pause(t.Context(), "", ""); !errors.Is(err, ErrStopped) {
			t.Fatalf("a verb after the end: %v", err)
		}
	})
}

// A daemon that dies beside a living one: the living one takes its cards over, with
// the run that is live and the one that ended meanwhile.
func TestI6_CardsOfADeadDaemonAreTakenOverByALivingOne(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 3
		ends, asked := b.card(), b.card()
		b.runs.plan = func(l Launch) script {
			switch l.Issue.ID {
			case ends:
				return finishes(10 * time.Second)
			case asked:
				return asks(time.Second)
			}
			return finishes(time.Hour)
		}
		works := b.card()
		first := b.start()
		first.later(2 * time.Second)
		second := b.start()
		second.later(time.Minute)
		if s := second.Snapshot(); len(s.Running)+len(s.Parked) != 0 {
			t.Fatalf("the second took what a living one holds: %+v", s)
		}
		third := b.card()
		first.kill()
		b.runs.edit(b.get(works).LastRunID, func(*run.Record) {})
		second.later(time.Minute)
		s := second.Snapshot()
		if len(s.Parked) != 1 || s.Parked[0].IssueID != asked {
			t.Fatalf("parked %+v", s.Parked)
		}
		b.settledIn(ends, board.StateReview)
		b.launches(third, 1)
		second.later(time.Hour)
		b.settledIn(works, board.StateReview)
		for _, id := range []string{ends, asked, works, third} {
			b.launches(id, 1)
		}
	})
}

// A dead daemon that had come too late for a card leaves an entry; whoever adopts it
// leaves the run of the card's real holder alone.
func TestI3_EntryOfADaemonThatCameTooLateStopsNobodysRun(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(time.Minute) }
		id := b.card()
		first := b.start()
		first.later(time.Second)
		late := JournalEntry{IssueID: id, Marker: "dispatcher:late", Owner: "late", Phase: PhaseClaiming, SourceState: board.StateReady}
		b.ok(b.journal.Put(t.Context(), late))
		b.journal.bury("late")
		second := b.start() // adopts it at its start; the first one would at its next look
		second.later(time.Second)
		first.look()
		first.later(time.Minute)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
		if rec := b.runs.view(b.get(id).LastRunID).Record; rec.Status != run.Finished {
			t.Fatalf("run %+v", rec)
		}
	})
}
