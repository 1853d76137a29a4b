package dispatch

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

func TestDisposition_Completed_MovesTheCardToReview(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := b.card()
		l := b.start()
		l.later(500 * time.Millisecond)
		if is := b.get(id); is.State != board.StateInProgress || is.Claim == "" || is.LastRunID == "" {
			t.Fatalf("while it runs the card is %s, claimed by %q, last run %q", is.State, is.Claim, is.LastRunID)
		}
		l.later(time.Second)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
		if !l.Snapshot().Idle {
			t.Fatalf("not idle: %+v", l.Snapshot())
		}
	})
}

func TestDisposition_GaveUp_AfterTheLastAttempt(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxAttempts = 3
		b.runs.plan = func(Launch) script { return fails(time.Second, "") }
		id := b.card()
		l := b.start()
		l.later(5 * time.Minute)
		b.settledIn(id, board.StateBlocked)
		b.launches(id, 3)
		if g := b.get(id).GivenUp(); g == nil || g.Attempts != 3 || g.Reason != "it broke" {
			t.Fatalf("give-up stamp is %+v", g)
		}
		if e := b.ledger.of(id); e.Attempts != 0 {
			t.Fatalf("the ledger still counts %+v", e)
		}
	})
}

func TestDisposition_GaveUp_AtOnceOnAPermanentFailure(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return fails(time.Second, run.CodePermanent) }
		id := b.card()
		b.start().later(2 * time.Second)
		b.settledIn(id, board.StateBlocked)
		b.launches(id, 1)
	})
}

func TestDisposition_GaveUp_AtOnceWhenTheLaunchIsRefused(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.refuse = func(Launch) error { return ErrLaunchRefused }
		id := b.card()
		b.start().later(2 * time.Second)
		b.settledIn(id, board.StateBlocked)
		if g := b.get(id).GivenUp(); g == nil || !g.Launch {
			t.Fatalf("give-up stamp is %+v", g)
		}
	})
}

func TestDisposition_Revert_GoesBackAndTriesAgain(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(l Launch) script {
			if l.Attempt == 1 {
				return fails(time.Second, "")
			}
			return finishes(time.Second)
		}
		id := b.card()
		l := b.start()
		l.later(3 * time.Second)
		b.settledIn(id, board.StateReady)
		if r := l.Snapshot().Retries; len(r) != 1 || r[0].Attempts != 1 || l.Snapshot().Idle {
			t.Fatalf("retries %+v, idle %v", r, l.Snapshot().Idle)
		}
		l.later(15 * time.Second)
		b.settledIn(id, board.StateReview)
		b.launches(id, 2)
	})
}

func TestDisposition_Parked_KeepsTheClaimAndSettlesWhenTheRunEnds(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return becomes(run.PausedHuman) }
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		is := b.get(id)
		if is.State != board.StateAwaitingInput || !is.AwaitingInput || is.Claim == "" {
			t.Fatalf("parked card is in %s, flag %v, claim %q", is.State, is.AwaitingInput, is.Claim)
		}
		if s := l.Snapshot(); len(s.Parked) != 1 || s.SlotsUsed != 0 || !s.Idle {
			t.Fatalf("snapshot %+v", s)
		}
		l.later(time.Hour) // far beyond the lease: the heartbeat goes on
		if until := b.get(id).ClaimLeaseUntil; until.Before(time.Now()) {
			t.Fatalf("the lease of a parked card ran out at %s", until)
		}
		b.runs.edit(is.LastRunID, func(r *run.Record) { r.Status = run.Finished })
		l.look()
		b.settledIn(id, board.StateReview)
		if b.get(id).AwaitingInput {
			t.Fatal("the flag is still set")
		}
	})
}

func TestDisposition_Held_AfterACancelUntilThePointerIsCleared(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		b.ok(l.CancelRun(t.Context(), b.get(id).LastRunID, "alice"))
		l.later(time.Minute)
		is := b.get(id)
		if is.State != board.StateInProgress || is.Claim == "" {
			t.Fatalf("held card is in %s, claim %q", is.State, is.Claim)
		}
		if s := l.Snapshot(); len(s.Held) != 1 || s.SlotsUsed != 0 {
			t.Fatalf("snapshot %+v", s)
		}
		b.launches(id, 1)
		_, err := b.board.Update(t.Context(), id, board.Patch{ClearLastRun: true}, board.Cause{})
		b.ok(err)
		b.runs.set(func(f *fakeRuns) { f.plan = func(Launch) script { return finishes(time.Second) } })
		l.look()
		l.later(3 * time.Second)
		b.settledIn(id, board.StateReview)
		b.launches(id, 2)
	})
}

func TestDisposition_Held_AfterACancelUntilThePersonMovesTheCard(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		b.ok(l.CancelRun(t.Context(), b.get(id).LastRunID, "alice"))
		l.later(time.Minute)
		b.move(id, board.StateBacklog, board.Cause{})
		l.look()
		b.settledIn(id, board.StateBacklog)
		b.launches(id, 1)
	})
}

func TestDisposition_Held_WhenTheKillIsUnconfirmed(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return fails(time.Second, run.CodeKillUnconfirmed) }
		id := b.card()
		l := b.start()
		l.later(10 * time.Minute)
		if s := l.Snapshot(); len(s.Held) != 1 || b.get(id).Claim == "" {
			t.Fatalf("snapshot %+v", s)
		}
		b.launches(id, 1)
	})
}

func TestDisposition_Held_WhileTheRunIsUnreadable(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := b.card()
		b.runs.plan = func(Launch) script { return never }
		l := b.start()
		l.later(time.Second)
		runID := b.get(id).LastRunID
		b.runs.set(func(f *fakeRuns) { f.inspect = func(string) error { return errDead } })
		b.runs.edit(runID, func(r *run.Record) { r.Status = run.Finished })
		l.later(time.Minute)
		if s := l.Snapshot(); len(s.Held) != 1 {
			t.Fatalf("snapshot %+v", s)
		}
		b.runs.set(func(f *fakeRuns) { f.inspect = nil })
		l.later(time.Minute)
		b.settledIn(id, board.StateReview)
	})
}

func TestDisposition_Held_UnreadableRunEndsWhenThePointerIsCleared(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := b.card()
		b.runs.plan = func(Launch) script { return never }
		l := b.start()
		l.later(time.Second)
		broken := b.get(id).LastRunID
		b.runs.set(func(f *fakeRuns) {
			f.inspect = func(id string) error {
				if id == broken {
					return errDead
				}
				return nil
			}
			f.plan = func(Launch) script { return finishes(time.Second) }
		})
		b.runs.edit(broken, func(r *run.Record) { r.Status = run.Finished })
		l.later(time.Minute)
		if s := l.Snapshot(); len(s.Held) != 1 {
			t.Fatalf("snapshot %+v", s)
		}
		_, err := b.board.Update(t.Context(), id, board.Patch{ClearLastRun: true}, board.Cause{})
		b.ok(err)
		l.later(time.Minute)
		b.launches(id, 2)
		b.settledIn(id, board.StateReview)
	})
}

func TestDisposition_Completed_CleanExitWithoutACompletedStateDoesNotHotLoop(t *testing.T) {
	for _, completed := range []string{None, "no-such-column"} {
		t.Run(completed, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.cfg.CompletedState = completed
				id := b.card()
				l := b.start()
				l.later(10 * time.Minute)
				b.settledIn(id, board.StateInProgress)
				b.launches(id, 1)
				l.refusedBy(id, "last run")
				if w := l.Snapshot().Warnings; len(w) != 1 {
					t.Fatalf("warnings %q", w)
				}
				b.move(id, board.StateReady, board.Cause{}) // a person wants it again
				l.look()
				l.later(3 * time.Second)
				b.launches(id, 2)
			})
		})
	}
}

func TestDisposition_GaveUp_WithoutAFailedStateTheLadderGoesOn(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.FailedState, b.cfg.MaxAttempts = None, 2
		b.runs.plan = func(Launch) script { return fails(time.Second, "") }
		id := b.card()
		l := b.start()
		l.later(30 * time.Minute)
		if n := len(b.runs.launched(id)); n < 6 || n > 12 {
			t.Fatalf("%d launches in half an hour", n)
		}
		if w := l.Snapshot().Warnings; len(w) != 1 {
			t.Fatalf("warnings %q", w)
		}
	})
}

func TestBotThatMovesItsCardIsSettledThere(t *testing.T) {
	for _, to := range []string{board.StateDone, board.StateReview, board.StateInbox, board.StateReady} {
		t.Run(to, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.runs.plan = func(Launch) script { return finishes(time.Minute) }
				id := b.card()
				l := b.start()
				l.later(time.Second)
				b.move(id, to, board.Cause{RunID: b.get(id).LastRunID})
				l.look()
				if p := l.Snapshot().Running; len(p) != 1 || p[0].Phase != PhaseRunning {
					t.Fatalf("running %+v", p)
				}
				l.later(10 * time.Minute)
				b.settledIn(id, to)
				b.launches(id, 1)
			})
		})
	}
}

func TestPersonTakesARunningCardAway(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		b.move(id, board.StateBacklog, board.Cause{Actor: "alice"})
		l.look()
		l.later(time.Second)
		b.settledIn(id, board.StateBacklog)
		if v, _ := b.runs.Inspect(t.Context(), b.get(id).LastRunID); v.Record.FailureCode != run.CodeInterrupted {
			t.Fatalf("the run is %+v", v.Record)
		}
		if e := b.ledger.of(id); e.Attempts != 0 {
			t.Fatalf("a move spent an attempt: %+v", e)
		}
	})
}

func TestPersonMovesARunningCardWithinEligibleColumns(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(time.Minute) }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		b.move(id, board.StateReady, board.Cause{Actor: "alice"})
		l.look()
		if p := l.Snapshot().Running; len(p) != 1 || p[0].Phase != PhaseRunning {
			t.Fatalf("running %+v", p)
		}
		l.later(2 * time.Minute)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
	})
}

func TestDeletedCardStopsItsRun(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		b.ok(b.board.Delete(t.Context(), id, true, board.Cause{}))
		l.look()
		l.later(time.Second)
		if s := l.Snapshot(); s.SlotsUsed != 0 || len(s.Running) != 0 {
			t.Fatalf("snapshot %+v", s)
		}
		if _, ok := b.journal.entry(id); ok {
			t.Fatal("the journal still names the card")
		}
	})
}

func TestSupervisorLostSpendsNoAttempt(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		lost := 3
		b.runs.plan = func(l Launch) script {
			if l.Attempt != 1 {
				t.Errorf("attempt %d", l.Attempt)
			}
			if lost--; lost >= 0 {
				return fails(time.Second, run.CodeSupervisorLost)
			}
			return finishes(time.Second)
		}
		id := b.card()
		l := b.start()
		l.later(3 * time.Minute)
		b.settledIn(id, board.StateReview)
		b.launches(id, 4)
		if len(l.Snapshot().Errors) != 3 {
			t.Fatalf("errors %+v", l.Snapshot().Errors)
		}
	})
}

func TestRetryWaitsAsLongAsTheBotAsked(t *testing.T) {
	for name, c := range map[string]struct{ asked, want time.Duration }{
		"longer than the backoff":  {time.Hour, time.Hour},
		"shorter than the backoff": {time.Second, firstBackoff},
		"for ever":                 {1000 * 24 * time.Hour, longestRetryWait},
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.runs.plan = func(l Launch) script {
					if l.Attempt > 1 {
						return finishes(0)
					}
					return script{0, func(r *run.Record) {
						r.Status, r.FailureCode, r.RetryAt = run.Failed, run.CodeTransient, time.Now().Add(c.asked)
					}}
				}
				id := b.card()
				l := b.start()
				l.later(c.want - 100*time.Millisecond)
				b.launches(id, 1)
				l.later(2 * time.Second) // the spread of retries
				b.launches(id, 2)
				b.settledIn(id, board.StateReview)
			})
		})
	}
}

// A card that goes back or is given up without a run says so: nothing failed that a
// trigger could wait for.
func TestI9_FilingWithoutARunIsAMachines(t *testing.T) {
	for name, c := range map[string]struct {
		refuse error
		state  string
	}{
		"trouble of the world":      {errors.New("disk full"), board.StateReady},
		"a launch that never works": {fmt.Errorf("no prompt: %w", ErrLaunchRefused), board.StateBlocked},
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.runs.refuse = func(Launch) error { return c.refuse }
				id := b.card()
				l := b.start()
				l.later(time.Second)
				b.settledIn(id, c.state)
				if is := b.get(id); is.StateReason != board.ReasonLaunchRefused {
					t.Errorf("filed with reason %q", is.StateReason)
				}
			})
		})
	}
}
