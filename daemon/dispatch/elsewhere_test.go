package dispatch

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// slowLaunch lets the first launch hang until its card has been taken away by
// force, and for some time more.
func slowLaunch(b *bed, id string, hang time.Duration) {
	b.runs.refuse = func(Launch) error {
		b.runs.refuse = nil
		b.runs.mu.Unlock()
		defer b.runs.mu.Lock()
		time.Sleep(time.Second)
		_, err := b.board.ForceRelease(b.t.Context(), id, board.Cause{Actor: "alice"})
		b.ok(err)
		time.Sleep(hang)
		return nil
	}
}

// The claim goes in the very instant of the launch: there is no run to be found yet,
// and the card is free.
func TestI3_CardThatIsTakenAwayWhileItsRunIsLaunchedIsNotStartedElsewhere(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(time.Hour) }
		id := b.card()
		slowLaunch(b, id, 10*time.Minute)
		one := b.start()
		one.later(500 * time.Millisecond)
		two := b.start()
		two.later(time.Minute)
		b.launches(id, 0)
		two.refusedBy(id, "last run")
		two.later(3 * time.Hour)
		if len(b.runs.doubled) > 0 {
			t.Fatalf("second live runs for %v", b.runs.doubled)
		}
		b.settledIn(id, board.StateReview)
		b.launches(id, 2)
	})
}

// A late launch finds out by itself that its card was given away, and does not wait
// for the next renewal.
func TestRunThatIsLaunchedAfterItsClaimWentIsStoppedAtOnce(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(time.Hour) }
		id := b.card()
		slowLaunch(b, id, time.Second)
		l := b.start()
		l.later(3 * time.Second)
		first := b.runs.view(b.runs.launched(id)[0]).Record
		if first.FailureCode != run.CodeInterrupted {
			t.Fatalf("the run of the lost claim is %s %s", first.Status, first.FailureCode)
		}
	})
}

// Whoever is told to let a card go lets its bot go, as soon as the board is looked at.
func TestForceReleaseStopsTheRunAtTheNextLook(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(time.Hour) }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		_, err := b.board.ForceRelease(t.Context(), id, board.Cause{Actor: "alice"})
		b.ok(err)
		l.look()
		l.later(time.Second)
		if rec := b.runs.view(b.runs.launched(id)[0]).Record; rec.FailureCode != run.CodeInterrupted {
			t.Fatalf("the run of the lost claim is %s %s", rec.Status, rec.FailureCode)
		}
		if len(b.runs.doubled) > 0 {
			t.Fatalf("second live runs for %v", b.runs.doubled)
		}
	})
}

// A resume whose answer is lost may have happened. As long as nobody can look, the
// card stays claimed, and no other run starts.
func TestI3_ResumeOfWhichNobodyCanSayWhetherItHappenedKeepsTheCard(t *testing.T) {
	for name, answer := range map[string]error{
		"it cannot be told":    errors.New("input/output error"),
		"it goes on elsewhere": ErrNotResumable,
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.bots.resume = true
				id := ranBefore(run.FailedResumable, "")(b)
				b.runs.goOn = func(Resume) script { return finishes(time.Hour) }
				blind := false
				b.runs.refuseResume = func(r Resume) error {
					b.runs.refuseResume = nil
					b.ok(b.runs.Resume(t.Context(), r))
					b.runs.set(func(f *fakeRuns) {
						blind = true
						f.inspect = func(string) error {
							if blind {
								return errors.New("input/output error")
							}
							return nil
						}
					})
					return answer
				}
				l := b.start()
				l.later(time.Minute)
				if is := b.get(id); is.Claim == "" {
					t.Fatalf("the card was let go in %s while its run lives", is.State)
				}
				b.runs.set(func(*fakeRuns) { blind = false })
				l.later(2 * time.Hour)
				synctest.Wait()
				b.settledIn(id, board.StateReview)
				b.launches(id, 1)
				if len(b.runs.doubled) > 0 || len(b.runs.resumed()) != 1 {
					t.Fatalf("doubled %v, resumes %+v", b.runs.doubled, b.runs.resumed())
				}
			})
		})
	}
}
