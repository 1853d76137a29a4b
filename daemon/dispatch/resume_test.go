package dispatch

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// breaks ends a run so that it can go on.
func breaks(after time.Duration) script {
	return script{after, func(r *run.Record) { r.Status, r.FailureCode, r.Error = run.FailedResumable, run.CodeExit, "it broke" }}
}

func TestFailedResumableGoesOnUnderItsOwnID(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.resume = true
		b.runs.plan = func(Launch) script { return breaks(time.Second) }
		b.runs.goOn = func(r Resume) script {
			if r.Attempt < 3 {
				return breaks(time.Second)
			}
			return finishes(time.Second)
		}
		id := b.card()
		l := b.start()
		l.later(5 * time.Minute)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
		r := b.runs.resumed()
		if len(r) != 2 || r[0].Attempt != 2 || r[1].Attempt != 3 || r[0].RunID != b.get(id).LastRunID {
			t.Fatalf("resumes %+v", r)
		}
	})
}

// Each failure of one and the same run spends an attempt, each of them once, and
// the last one ends the ladder.
func TestFailuresOfOneRunThatGoesOnAreCountedEach(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.resume, b.cfg.MaxAttempts = true, 4
		b.runs.plan = func(Launch) script { return breaks(time.Second) }
		b.runs.goOn = func(Resume) script { return breaks(time.Second) }
		id := b.card()
		l := b.start()
		for n := 1; n < 4; n++ {
			for b.ledger.of(id).Attempts != n {
				l.later(100 * time.Millisecond)
			}
			l.kill()
			l = b.start()
			l.later(time.Second)
			if e := b.ledger.of(id); e.Attempts != n {
				t.Fatalf("after a restart the ledger counts %+v, want %d", e, n)
			}
		}
		l.later(time.Hour)
		b.settledIn(id, board.StateBlocked)
		b.launches(id, 1)
		if n := len(b.runs.resumed()); n != 3 {
			t.Fatalf("%d resumes", n)
		}
	})
}

func TestFreshRunWhereTheLastOneCannotGoOn(t *testing.T) {
	cases := map[string]func(b *bed, id string){
		"the bot does not support it": func(b *bed, _ string) { b.bots.resume = false },
		"the card has another bot now": func(b *bed, id string) {
			other := "shell"
			_, err := b.board.Update(b.t.Context(), id, board.Patch{Bot: &other}, board.Cause{})
			b.ok(err)
		},
		"the supervisor says no": func(b *bed, _ string) {
			b.runs.refuseResume = func(Resume) error { return fmt.Errorf("manifest changed: %w", ErrNotResumable) }
		},
		"its folder was made anew": func(b *bed, _ string) { b.spaces.anew = true },
		"the pointer was cleared": func(b *bed, id string) {
			_, err := b.board.Update(b.t.Context(), id, board.Patch{ClearLastRun: true}, board.Cause{})
			b.ok(err)
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.bots.resume = true
				id := ranBefore(run.FailedResumable, "")(b)
				change(b, id)
				b.start().later(5 * time.Second)
				b.settledIn(id, board.StateReview)
				b.launches(id, 2)
				if len(b.runs.resumed()) > 0 || len(b.runs.doubled) > 0 {
					t.Fatalf("resumes %+v, doubled %v", b.runs.resumed(), b.runs.doubled)
				}
				if is := b.get(id); is.LastRunID != b.runs.launched(id)[1] {
					t.Fatalf("the card points at %s", is.LastRunID)
				}
			})
		})
	}
}

func TestResumeThatTheWorldRefusesSpendsNoAttempt(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.resume = true
		id := ranBefore(run.FailedResumable, "")(b)
		full := true
		b.runs.refuseResume = func(Resume) error {
			if full {
				return errors.New("disk full")
			}
			return nil
		}
		l := b.start()
		l.later(5 * time.Second)
		b.settledIn(id, board.StateReady)
		if e := b.ledger.of(id); e.Attempts != 0 || e.Uncounted != 1 {
			t.Fatalf("ledger %+v", e)
		}
		b.runs.set(func(*fakeRuns) { full = false })
		l.later(time.Minute)
		b.settledIn(id, board.StateReview)
		b.launches(id, 1)
	})
}

// Killed at any write between the claim and the resume, the next daemon comes to
// one run in the end, and counts nothing that did not happen.
func TestI6_CrashWhileAFailedRunGoesOn(t *testing.T) {
	for _, point := range faultPoints() {
		t.Run(point, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.bots.resume = true
				id := ranBefore(run.FailedResumable, "")(b)
				<-b.start(point).ended
				b.start().later(10 * time.Minute)
				b.settledIn(id, board.StateReview)
				b.launches(id, 1)
				if len(b.runs.doubled) > 0 {
					t.Fatalf("doubled %v", b.runs.doubled)
				}
			})
		})
	}
}
