package dispatch

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

func TestResumeRunClaimsACardThatNobodyHolds(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.resume = true
		id := ranBefore(run.FailedResumable, "")(b)
		b.move(id, board.StateReview, board.Cause{})
		l := b.start()
		l.later(time.Minute)
		b.ok(l.ResumeRun(t.Context(), b.get(id).LastRunID, "alice"))
		synctest.Wait()
		if is := b.get(id); is.State != board.StateInProgress || is.Claim == "" {
			t.Fatalf("card in %s, claim %q", is.State, is.Claim)
		}
		l.later(2 * time.Second)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
		if r := b.runs.resumed(); len(r) != 1 || r[0].By != "alice" || r[0].Attempt != 1 {
			t.Fatalf("resumes %+v", r)
		}
	})
}

func TestResumeRunRespectsClaimsAndOtherRuns(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := ranBefore(run.FailedResumable, "")(b)
		b.move(id, board.StateBacklog, board.Cause{})
		runID := b.get(id).LastRunID
		is, err := b.board.Claim(t.Context(), id, "alice", time.Hour, board.Cause{})
		b.ok(err)
		l := b.start()
		synctest.Wait()
		if err := l.ResumeRun(t.Context(), runID, "bob"); !errors.Is(err, board.ErrConflict) {
			t.Fatalf("of a card that alice holds: %v", err)
		}
		b.runs.plan = func(Launch) script { return never }
		b.ok(b.runs.Launch(t.Context(), Launch{RunID: byHand, Issue: is}))
		_, err = b.board.Release(t.Context(), id, is.Fence(), board.Cause{})
		b.ok(err)
		if err := l.ResumeRun(t.Context(), runID, "bob"); !errors.Is(err, board.ErrConflict) {
			t.Fatalf("beside a live run: %v", err)
		}
		synctest.Wait()
		b.settledIn(id, board.StateBacklog)
		if len(b.runs.doubled)+len(b.runs.resumed()) > 0 {
			t.Fatalf("two runs of cards %v", b.runs.doubled)
		}
		b.runs.edit(byHand, func(r *run.Record) { r.Status = run.Finished })
		if err := l.ResumeRun(t.Context(), byHand, "bob"); !errors.Is(err, ErrNotResumable) {
			t.Fatalf("of a run that finished: %v", err)
		}
	})
}

func TestResumeRunWithoutACardTakesASlot(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		b.runs.plan = func(l Launch) script {
			if l.RunID == byHand {
				return asks(time.Second)
			}
			return finishes(time.Minute)
		}
		b.runs.goOn = func(Resume) script { return finishes(time.Minute) }
		b.ok(b.runs.Launch(t.Context(), Launch{RunID: byHand}))
		card := b.card()
		l := b.start()
		l.later(2 * time.Second)
		b.runs.answer(byHand)
		b.ok(l.ResumeRun(t.Context(), byHand, "alice"))
		synctest.Wait()
		if q := l.Snapshot().Queue; len(q) != 1 || q[0].RunID != byHand || q[0].Guard != "slots" {
			t.Fatalf("queue %+v", q)
		}
		next := b.card()
		l.later(time.Minute)
		b.settledIn(card, board.StateReview)
		l.slots(1)
		b.launches(next, 0) // whoever asked first goes first
		l.later(time.Minute)
		if rec := b.runs.view(byHand).Record; rec.Status != run.Finished {
			t.Fatalf("run %+v", rec)
		}
		b.launches(next, 1)
	})
}

// A person who resumes what the dispatcher is just about to start by itself, or what
// another person resumed, gets what was asked for.
func TestResumeRunOfOneThatIsBeingStartedIsDone(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		b.runs.goOn = func(Resume) script { return finishes(time.Minute) }
		b.runs.refuseResume = func(Resume) error { time.Sleep(time.Second); return nil }
		b.ok(b.runs.Launch(t.Context(), Launch{RunID: byHand}))
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		runID := b.get(id).LastRunID
		b.runs.answer(runID)
		b.runs.answer(byHand)
		b.ok(l.ResumeRun(t.Context(), byHand, "alice"))
		l.look()
		for _, run := range []string{runID, byHand} {
			b.ok(l.ResumeRun(t.Context(), run, "bob"))
		}
		l.later(2 * time.Minute)
		b.settledIn(id, board.StateReview)
		if r := b.runs.resumed(); len(r) != 2 {
			t.Fatalf("resumes %+v", r)
		}
	})
}

// The same for a run that failed and whose card is being claimed for its next attempt,
// and for one that went on after it was seen waiting.
func TestResumeRunOfACardThatIsBeingClaimedForItIsDone(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.resume = true
		b.runs.plan = func(Launch) script { return breaks(time.Second) }
		b.runs.goOn = func(Resume) script { return finishes(time.Minute) }
		var slow atomic.Bool
		b.board.Before = func(verb, _ string) error {
			if verb == "Claim" && slow.Load() {
				time.Sleep(time.Minute)
			}
			return nil
		}
		id := b.card()
		l := b.start()
		l.later(5 * time.Second)
		failed := b.runs.view(b.get(id).LastRunID)
		slow.Store(true)
		l.later(20 * time.Second)
		if r := l.Snapshot().Running; len(r) != 1 || r[0].Phase != PhaseClaiming {
			t.Fatalf("running %+v", r)
		}
		b.ok(l.ResumeRun(t.Context(), failed.Record.ID, "alice"))
		l.later(time.Minute)
		reply := make(chan error, 1)
		b.ok(l.ask(t.Context(), resumeAsked{view: failed, by: "bob", reply: reply}, reply))
		l.later(2 * time.Minute)
		b.settledIn(id, board.StateReview)
		if r := b.runs.resumed(); len(r) != 1 {
			t.Fatalf("resumes %+v", r)
		}
	})
}

func TestStopRunsEndsRunsWithoutACardToo(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return asks(time.Second) }
		b.runs.goOn = func(Resume) script { return never }
		b.ok(b.runs.Launch(t.Context(), Launch{RunID: byHand}))
		l := b.start()
		l.later(2 * time.Second)
		b.runs.answer(byHand)
		b.ok(l.ResumeRun(t.Context(), byHand, "alice"))
		l.later(time.Second)
		l.slots(1)
		b.ok(l.StopRuns(t.Context(), "bob"))
		l.slots(0)
		if rec := b.runs.view(byHand).Record; rec.Status != run.Cancelled {
			t.Fatalf("run %+v", rec)
		}
	})
}

// A card of a dead daemon whose entry was just adopted and not looked at yet: asking
// for its run neither takes the card nor loses the entry.
func TestI6_ResumeRunLeavesAnAdoptedEntryAlone(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := ranBefore(run.FailedResumable, "")(b)
		is, err := b.board.Claim(t.Context(), id, "dispatcher:dead", time.Hour, board.Cause{})
		b.ok(err)
		b.runs.refuse = func(Launch) error { return errors.New("not now") }
		l := b.start()
		synctest.Wait()
		adopted := JournalEntry{
			IssueID: id, Marker: is.Claim, Epoch: is.ClaimEpoch, Owner: l.owner, Phase: PhaseLaunching, SourceState: board.StateReady,
		}
		b.ok(b.journal.Put(t.Context(), adopted))
		if err := l.ResumeRun(t.Context(), is.LastRunID, "alice"); !errors.Is(err, board.ErrConflict) {
			t.Fatalf("got %v", err)
		}
		l.look()
		if _, left := b.journal.entry(id); left || b.get(id).Claim != "" {
			t.Fatalf("the dead one's claim %q was left to itself", b.get(id).Claim)
		}
	})
}
