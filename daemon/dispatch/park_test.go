package dispatch

import (
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// asks ends a run with a question.
func asks(after time.Duration) script {
	return script{after, func(r *run.Record) {
		r.Status, r.Awaiting = run.PausedHuman, &run.Awaiting{InteractionID: "i1", Questions: json.RawMessage(`{"question":"Ship it?"}`)}
	}}
}

// parkedIn demands that the card is parked in a column, and nothing else is.
func (l *life) parkedIn(id, state string) Hold {
	b := l.b
	b.t.Helper()
	is, s := b.get(id), l.Snapshot()
	if is.State != state || is.Claim == "" || !is.AwaitingInput {
		b.t.Fatalf("card is in %s, claimed by %q, flag %v; want it parked in %s", is.State, is.Claim, is.AwaitingInput, state)
	}
	if len(s.Parked) != 1 || s.Parked[0].IssueID != id {
		b.t.Fatalf("snapshot %+v", s)
	}
	if e, ok := b.journal.entry(id); !ok || e.Phase != PhaseParked || e.RunID != is.LastRunID {
		b.t.Fatalf("journal %+v", e)
	}
	return s.Parked[0]
}

func (l *life) slots(want int) {
	l.b.t.Helper()
	if s := l.Snapshot(); s.SlotsUsed != want {
		l.b.t.Fatalf("%d slots in use, want %d: %+v", s.SlotsUsed, want, s)
	}
}

// row returns one row of the guard table as it stands for a card.
func (l *life) row(id string, row int) Verdict {
	l.b.t.Helper()
	verdicts, err := l.Why(l.b.t.Context(), id)
	l.b.ok(err)
	for _, v := range verdicts {
		if v.Row == row {
			return v
		}
	}
	l.b.t.Fatalf("there is no row %d", row)
	return Verdict{}
}

func TestDisposition_Parked_AskedRestartedAnsweredFinished(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		if h := l.parkedIn(id, board.StateAwaitingInput); h.Question != "Ship it?" || h.Ready {
			t.Fatalf("hold %+v", h)
		}
		l.slots(0)
		l.kill()
		time.Sleep(time.Hour)
		l = b.start()
		l.later(time.Minute)
		l.parkedIn(id, board.StateAwaitingInput)
		runID := b.get(id).LastRunID
		b.runs.answer(runID)
		l.look()
		if is := b.get(id); is.State != board.StateInProgress || is.AwaitingInput {
			t.Fatalf("the card that goes on is in %s, flag %v", is.State, is.AwaitingInput)
		}
		l.slots(1)
		l.later(2 * time.Second)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
		if r := b.runs.resumed(); len(r) != 1 || r[0].RunID != runID || r[0].Attempt != 0 || r[0].Issue.ID != id {
			t.Fatalf("resumes %+v", r)
		}
	})
}

func TestDisposition_Parked_WaitsForASlotInItsTurn(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		asked := b.card()
		b.runs.plan = func(l Launch) script {
			if l.Issue.ID == asked {
				return asks(time.Second)
			}
			return finishes(time.Minute)
		}
		l := b.start()
		l.later(2 * time.Second)
		other := b.card()
		behind := b.card(func(is *board.Issue) { is.Priority = -1 })
		l.look()
		b.runs.answer(b.get(asked).LastRunID)
		l.look()
		if h := l.parkedIn(asked, board.StateAwaitingInput); !h.Ready || !strings.Contains(h.Waits, "slots") {
			t.Fatalf("hold %+v", h)
		}
		if l.Snapshot().Idle {
			t.Fatal("idle with a card that is ready")
		}
		l.later(time.Minute + 500*time.Millisecond)
		b.settledIn(other, board.StateReview)
		b.launches(behind, 0)
		l.later(time.Second)
		b.settledIn(asked, board.StateReview)
		l.later(2 * time.Minute)
		b.settledIn(behind, board.StateReview)
	})
}

func TestDisposition_Parked_WithoutTheColumnStaysAndKeepsTheFlag(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.AwaitingInputState = "no-such-column"
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		id := b.card()
		l := b.start()
		l.later(time.Minute)
		l.parkedIn(id, board.StateInProgress)
		b.launches(id, 1)
		b.runs.answer(b.get(id).LastRunID)
		l.look()
		l.later(2 * time.Second)
		b.settledIn(id, board.StateReview)
	})
}

func TestDisposition_Parked_OperatorPauseGoesOnWhenAsked(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		runID := b.get(id).LastRunID
		b.ok(l.PauseRun(t.Context(), runID, "alice"))
		l.later(time.Hour)
		if h := l.parkedIn(id, board.StateAwaitingInput); !strings.Contains(h.Reason, "paused by alice") {
			t.Fatalf("hold %+v", h)
		}
		if v := l.row(id, 5); !strings.Contains(v.Remedy, "runs resume "+runID) {
			t.Fatalf("why says %+v", v)
		}
		b.ok(l.ResumeRun(t.Context(), runID, "bob"))
		l.later(2 * time.Second)
		b.settledIn(id, board.StateReview)
		if r := b.runs.resumed(); len(r) != 1 || r[0].By != "bob" {
			t.Fatalf("resumes %+v", r)
		}
	})
}

func TestDisposition_Parked_CancelledMeanwhileIsHeld(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		b.ok(b.runs.Stop(t.Context(), b.get(id).LastRunID, run.VerbCancel, "alice", ""))
		l.later(time.Minute)
		is := b.get(id)
		if s := l.Snapshot(); len(s.Held) != 1 || is.Claim == "" || is.AwaitingInput {
			t.Fatalf("card %+v\nsnapshot %+v", is, s)
		}
		b.launches(id, 1)
	})
}

func TestDisposition_Parked_EndedMeanwhileIsSettledByTheTable(t *testing.T) {
	for status, column := range map[run.Status]string{
		run.Finished: board.StateReview, run.Failed: board.StateReady,
	} {
		t.Run(string(status), func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.runs.plan = func(Launch) script { return asks(time.Second) }
				id := b.card()
				l := b.start()
				l.later(2 * time.Second)
				b.runs.edit(b.get(id).LastRunID, func(r *run.Record) { r.Status = status })
				l.look()
				b.settledIn(id, column)
				if b.get(id).AwaitingInput {
					t.Fatal("the flag is still set")
				}
			})
		})
	}
}

func TestDisposition_Parked_ResumedByOtherHandsIsWatchedAgain(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		b.runs.goOn = func(Resume) script { return finishes(time.Hour) }
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		runID := b.get(id).LastRunID
		b.runs.answer(runID)
		b.ok(b.runs.Resume(t.Context(), Resume{RunID: runID}))
		l.look()
		if is := b.get(id); is.State != board.StateInProgress || is.AwaitingInput {
			t.Fatalf("card in %s, flag %v", is.State, is.AwaitingInput)
		}
		l.slots(1)
		l.later(time.Hour)
		b.settledIn(id, board.StateReview)
		if n := len(b.runs.resumed()); n != 1 {
			t.Fatalf("%d resumes", n)
		}
	})
}

func TestDisposition_Parked_MovedOutByAPersonIsLetGoThere(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		runID := b.get(id).LastRunID
		b.move(id, board.StateBacklog, board.Cause{Actor: "alice"})
		l.later(time.Minute)
		b.settledIn(id, board.StateBacklog)
		if is := b.get(id); is.AwaitingInput || b.runs.view(runID).Record.Status != run.PausedHuman {
			t.Fatalf("flag %v, run %+v", is.AwaitingInput, b.runs.view(runID).Record)
		}
		if v := l.row(id, 13); !strings.Contains(v.Reason, "waits for a person: Ship it?") || !strings.Contains(v.Remedy, "runs answer "+runID) {
			t.Fatalf("why says %+v", v)
		}
		// Made ready again, it is parked again: its run waits, and no other starts.
		b.move(id, board.StateReady, board.Cause{Actor: "alice"})
		l.look()
		l.parkedIn(id, board.StateAwaitingInput)
		b.launches(id, 1)
	})
}

func TestDisposition_Parked_MovedToAnEligibleColumnGoesOn(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		b.ok(l.PauseRun(t.Context(), b.get(id).LastRunID, "alice"))
		l.later(time.Minute)
		b.move(id, board.StateReady, board.Cause{Actor: "alice"})
		l.look()
		l.later(2 * time.Second)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
	})
}

// A question is not answered by moving the card.
func TestDisposition_Parked_MovedButUnansweredStaysParked(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		b.move(id, board.StateReady, board.Cause{Actor: "alice"})
		l.later(time.Hour)
		if is, s := b.get(id), l.Snapshot(); is.State != board.StateReady || is.Claim == "" || len(s.Parked) != 1 {
			t.Fatalf("card in %s, claim %q, snapshot %+v", is.State, is.Claim, s)
		}
		b.launches(id, 1)
		if err := l.ResumeRun(t.Context(), b.get(id).LastRunID, "bob"); !errors.Is(err, ErrUnanswered) {
			t.Fatalf("resume without an answer: %v", err)
		}
	})
}

func TestDisposition_Parked_ResumeThatFailsIsTriedAgain(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		tries := 0
		b.runs.refuseResume = func(Resume) error {
			if tries++; tries < 4 {
				return errors.New("disk full")
			}
			return nil
		}
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		b.runs.answer(b.get(id).LastRunID)
		l.look()
		if h := l.parkedIn(id, board.StateAwaitingInput); !strings.Contains(h.Reason, "disk full") {
			t.Fatalf("hold %+v", h)
		}
		l.later(time.Minute)
		b.settledIn(id, board.StateReview)
		if e := b.ledger.of(id); e.Attempts != 0 || tries != 4 {
			t.Fatalf("%d tries, ledger %+v", tries, e)
		}
	})
}

// A daemon that dies at any write while a parked card goes on leaves one that the
// next daemon brings to its end, with one run and one resume.
func TestI6_CrashWhileAParkedCardGoesOn(t *testing.T) {
	for _, point := range []string{FaultRecorded, FaultPrepared, FaultMoved, FaultLaunched, FaultSettling, FaultFiled, FaultReleased} {
		t.Run(point, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.runs.plan = func(Launch) script { return asks(time.Second) }
				id := b.card()
				l := b.start()
				l.later(2 * time.Second)
				l.kill()
				b.runs.answer(b.get(id).LastRunID)
				<-b.start(point).ended
				b.start().later(time.Minute)
				b.settledIn(id, board.StateReview)
				b.launches(id, 1)
				if r := b.runs.resumed(); len(r) != 1 {
					t.Fatalf("resumes %+v", r)
				}
			})
		})
	}
}

func TestGuard13_OwnPausedRunIsParkedAgain(t *testing.T) {
	for _, status := range []run.Status{run.PausedHuman, run.PausedOperator} {
		t.Run(string(status), func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				id := ranBefore(status, "")(b)
				l := b.start()
				l.later(time.Second)
				l.parkedIn(id, board.StateAwaitingInput)
				l.slots(0)
				b.launches(id, 1)
				l.kill()
				l = b.start()
				l.later(time.Minute)
				l.parkedIn(id, board.StateAwaitingInput)
			})
		})
	}
}

func TestGuard13_CrashWhileParkingAgain(t *testing.T) {
	for _, point := range []string{FaultJournalled, FaultClaimed, FaultRecorded, FaultSettling, FaultFiled} {
		t.Run(point, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				id := ranBefore(run.PausedHuman, "")(b)
				<-b.start(point).ended
				l := b.start()
				l.later(time.Minute)
				l.parkedIn(id, board.StateAwaitingInput)
				b.launches(id, 1)
			})
		})
	}
}

func TestGuard13_ForcedReleaseOfAParkedCardStartsNoSecondRun(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		_, err := b.board.ForceRelease(t.Context(), id, board.Cause{Actor: "alice"})
		b.ok(err)
		l.later(time.Minute)
		b.move(id, board.StateReady, board.Cause{Actor: "alice"})
		l.later(time.Minute)
		l.parkedIn(id, board.StateAwaitingInput)
		b.launches(id, 1)
	})
}

// A run that a person started by hand and that is paused is theirs: the card waits.
func TestGuard10_PausedElsewhereHolds(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := b.card()
		is, err := b.board.Claim(t.Context(), id, "alice", time.Hour, board.Cause{})
		b.ok(err)
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		b.ok(b.runs.Launch(t.Context(), Launch{RunID: byHand, Issue: is}))
		_, err = b.board.SetLastRun(t.Context(), id, is.Fence(), board.RunRef{RunID: byHand}, board.Cause{})
		b.ok(err)
		_, err = b.board.Release(t.Context(), id, is.Fence(), board.Cause{})
		b.ok(err)
		l := b.start()
		l.later(time.Minute)
		l.refusedBy(id, "last run")
		b.launches(id, 1)
	})
}

func TestRunThatAsksTwiceIsParkedTwice(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		asked := 1
		b.runs.goOn = func(Resume) script {
			if asked++; asked < 4 {
				return asks(time.Second)
			}
			return finishes(time.Second)
		}
		id := b.card()
		l := b.start()
		for range 3 {
			l.later(2 * time.Second)
			l.parkedIn(id, board.StateAwaitingInput)
			b.runs.answer(b.get(id).LastRunID)
			l.look()
		}
		l.later(2 * time.Second)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
	})
}

// A look that began before a card went on and comes back when it is parked again
// neither blinds the dispatcher for it nor takes it for moved.
func TestStaleLookAtAParkedCardChangesNothing(t *testing.T) {
	s := newState(Config{}.withDefaults(), "o", "m")
	now := time.Unix(1_000_000, 0)
	s.step(booted{schema: board.DefaultSchema()}, now)
	c := &card{runID: "r", phase: PhaseLaunching, placed: board.StateAwaitingInput, fence: board.Fence{Marker: "m", Epoch: 1}, probing: true, holds: 2}
	c.issue = board.Issue{ID: "i", State: board.StateAwaitingInput, Claim: "m", ClaimEpoch: 1}
	s.cards["i"] = c
	moved := c.issue
	moved.State = board.StateBacklog
	paused := RunView{Record: run.Record{ID: "r", Status: run.PausedHuman}}
	s.step(probed{issueID: "i", holds: 1, issue: moved, view: paused}, now)
	if c.probing {
		t.Fatal("the card will never be looked at again")
	}
	c.phase, c.probing = PhaseParked, true
	s.step(probed{issueID: "i", holds: 1, issue: moved, view: paused}, now)
	if c.phase != PhaseParked || c.placed != board.StateAwaitingInput || c.probing {
		t.Fatalf("card %+v", c)
	}
	if fx := s.step(probed{issueID: "i", holds: 2, issue: moved, view: paused}, now); c.phase != PhaseSettling || c.plan.verdict != Released {
		t.Fatalf("phase %s, effects %v", c.phase, fx)
	}
}

// A card that a person moved out of the way while no daemon ran is let go.
func TestParkedCardThatWasMovedWithoutADaemonIsLetGo(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		l.kill()
		b.move(id, board.StateBacklog, board.Cause{Actor: "alice"})
		b.start().later(time.Minute)
		b.settledIn(id, board.StateBacklog)
		b.launches(id, 1)
	})
}

// A store that fails in the middle of a card's way back leaves it where it can be
// parked again, and found.
func TestStoreThatFailsWhileAParkedCardGoesOn(t *testing.T) {
	for _, verb := range []string{"Get", "SetState", "SetAwaitingInput"} {
		t.Run(verb, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.runs.plan = func(Launch) script { return asks(time.Second) }
				var failing atomic.Int64
				b.board.Before = func(v, _ string) error {
					if v == verb && failing.Add(-1) >= 0 {
						return errors.New("disk full")
					}
					return nil
				}
				id := b.card()
				l := b.start()
				l.later(2 * time.Second)
				l.parkedIn(id, board.StateAwaitingInput)
				b.runs.answer(b.get(id).LastRunID)
				failing.Store(3)
				l.look()
				l.later(5 * time.Minute)
				b.settledIn(id, board.StateReview)
				b.launches(id, 1)
				if len(b.runs.resumed()) != 1 {
					t.Fatalf("resumes %+v", b.runs.resumed())
				}
			})
		})
	}
}
