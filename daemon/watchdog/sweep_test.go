package watchdog

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

func TestSweepIsOffUnlessItIsSwitchedOn(t *testing.T) {
	in(t, func(w *world) {
		w.settings.Enabled = false
		w.dies(run.Finished)
		w.untouched()
	})
}

func TestSweepLeavesLeasesAloneThatHold(t *testing.T) {
	in(t, func(w *world) {
		w.claim(board.StateReady)
		w.wait(lease - time.Second)
		w.untouched()
	})
}

func TestHolderThatRenewsWhileItIsJudgedKeepsItsCard(t *testing.T) {
	in(t, func(w *world) {
		f := w.claim(board.StateInProgress)
		w.runs(run.Finished)
		w.expire()
		w.oracle.atLook = map[int]func(){1: func() { w.must(w.mem.Renew(w.Context(), w.id, f, lease)) }}
		w.untouched()
	})
}

func TestKeepAfterTheTransferHoldsForOneLeaseAndIsReleasedWithoutFiling(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.FailedResumable)
		w.oracle.atLook = map[int]func(){2: func() { // somebody lets it go on, by hand
			w.oracle.found.Record.Status, w.oracle.found.Live = run.Running, true
		}}
		w.sweep()
		w.stands(Prefix+"one", board.StateInProgress, "")
		w.sweep() // too early: the lease of the recovery claim holds
		w.stands(Prefix+"one", board.StateInProgress, "")

		w.oracle.found.Record.Status, w.oracle.found.Live = run.Finished, false
		w.wait(every)
		w.sweep()
		w.stands("", board.StateInProgress, "")
	})
}

func TestAbandonedRecoveryIsRepairedAlsoWhenSwitchedOff(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Finished)
		w.takeOver("gone")
		w.wait(every)
		w.settings.Enabled = false
		w.sweep()
		w.stands("", board.StateInProgress, "")
	})
}

// takeOver is a watchdog that dies behind its transfer.
func (w *world) takeOver(owner string) {
	w.Helper()
	is := w.card()
	_, err := w.mem.Transfer(w.Context(), w.id, board.Takeover{From: is.Fence(), ExpiredBefore: time.Now(), To: Prefix + owner, Lease: recoveryLease}, board.Cause{})
	w.must(err)
}

func TestFilingThatDoesNotLandKeepsTheRecoveryClaim(t *testing.T) {
	for _, verb := range []string{"SetLastRun", "SetState", "SetGaveUp", "Release"} {
		t.Run(verb, func(t *testing.T) {
			in(t, func(w *world) {
				w.dies(run.Failed)
				w.mem.Before = func(v, _ string) error {
					if v == verb {
						return errors.New("disk full")
					}
					return nil
				}
				w.sweep()
				if is := w.card(); is.Claim != Prefix+"one" {
					w.Fatalf("held by %q in %s", is.Claim, is.State)
				}
				state := w.card().State
				w.mem.Before = nil
				w.wait(every)
				w.sweep()
				if is := w.card(); is.Claim != "" || is.State != state {
					w.Fatalf("held by %q in %s, was in %s", is.Claim, is.State, state)
				}
			})
		})
	}
}

func TestMoveDuringTheRecoveryIsNotOverruled(t *testing.T) {
	in(t, func(w *world) {
		w.mem.Before = func(verb, _ string) error {
			if verb == "SetState" {
				w.mem.Before = nil
				w.move(board.StateBacklog)
			}
			return nil
		}
		w.claim(board.StateReady)
		w.runs(run.Finished)
		w.expire()
		w.sweep()
		w.stands(Prefix+"one", board.StateBacklog, "")
		w.wait(every)
		w.sweep()
		w.stands("", board.StateBacklog, "")
	})
}

func TestCardsThatAreKeptStarveNobody(t *testing.T) {
	in(t, func(w *world) {
		for range 200 { // older, and of a higher priority
			is, err := w.mem.Create(w.Context(), board.Issue{Title: "x", State: board.StateReady, Priority: 9}, board.Cause{})
			w.must(err)
			_, err = w.mem.Claim(w.Context(), is.ID, "holder", lease, board.Cause{})
			w.must(err)
		}
		w.dies(run.Finished)
		dog := w.dog("one")
		dog.o.Oracle = only{w.oracle, w.id}
		dog.sweep(w.Context())
		w.stands("", board.StateReview, board.ReasonRunFinished)
	})
}

// only knows the run of one card, and cannot read those of the others.
type only struct {
	*oracle
	id string
}

func (o only) Recorded(ctx context.Context, is board.Issue, f board.Fence) (Finding, error) {
	if is.ID != o.id {
		return Finding{}, errors.New("unreadable")
	}
	return o.oracle.Recorded(ctx, is, f)
}

// A watchdog may die before or behind each of its writes; others come after it.
func TestCrashBetweenAnyTwoStepsEndsWithTheCardFree(t *testing.T) {
	for _, end := range []run.Status{run.Finished, run.Failed, run.FailedResumable} {
		for step := range 12 {
			in(t, func(w *world) {
				w.dies(end)
				ctx, kill := context.WithCancel(w.Context())
				left := step
				dying := func(verb, _ string) error {
					if slices.Contains([]string{"List", "Get", "Schema"}, verb) {
						return nil
					}
					if left--; left == -1 {
						kill()
					}
					return ctx.Err()
				}
				w.mem.Before, w.mem.After = dying, dying
				w.dog("first").sweep(ctx)
				w.mem.Before, w.mem.After = nil, nil
				for range 3 {
					w.wait(every)
					w.dog("second").sweep(w.Context())
				}
				w.settledOnce(end)
				kill()
			})
		}
	}
}

// settledOnce checks that the card is free, and was filed at most once, where its
// run's end belongs.
func (w *world) settledOnce(end run.Status) {
	w.Helper()
	is := w.card()
	events, err := w.mem.Events(w.Context(), -1, 0)
	w.must(err)
	var moves []string
	for _, e := range events {
		if e.Type == board.EventIssueStateChanged && e.Payload.ByActor == Actor {
			moves = append(moves, e.Payload.To)
		}
	}
	want := map[run.Status]string{run.Finished: board.StateReview, run.Failed: board.StateBlocked, run.FailedResumable: board.StateReady}[end]
	if is.Claim != "" || len(moves) > 1 || len(moves) == 1 && (moves[0] != want || is.State != want) {
		w.Errorf("held by %q in %s after the moves %v\n%s", is.Claim, is.State, moves, &w.log)
	}
}

func TestTwoWatchdogsFileACardOnce(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Finished)
		first, second := w.dog("first"), w.dog("second")
		w.oracle.atLook = map[int]func(){1: func() { second.sweep(w.Context()) }} // after the other has looked
		first.sweep(w.Context())
		w.settledOnce(run.Finished)
		w.stands("", board.StateReview, board.ReasonRunFinished)
	})
}

func TestRunSweepsOnceAMinute(t *testing.T) {
	in(t, func(w *world) {
		var at []time.Duration
		begin := time.Now()
		w.mem.Before = func(verb, _ string) error {
			if verb == "Schema" {
				at = append(at, time.Since(begin))
			}
			return nil
		}
		ctx, cancel := context.WithTimeout(w.Context(), 2*every+time.Second)
		defer cancel()
		w.must(w.dog("one").Run(ctx))
		if !slices.Equal(at, []time.Duration{0, every, 2 * every}) {
			w.Errorf("it swept at %v", at)
		}
	})
}

func TestStoreWithoutLeasesIsSaidOnceAndLeftAlone(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Finished)
		dog := w.dog("one")
		dog.o.Board = struct{ Board }{w.mem}
		dog = New(dog.o)
		ctx, cancel := context.WithTimeout(w.Context(), time.Hour)
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- dog.Run(ctx) }()
		synctest.Wait()
		w.must(<-ended)
		if n := strings.Count(w.log.String(), "level=WARN"); n != 1 {
			w.Errorf("%d warnings:\n%s", n, &w.log)
		}
		w.stands("holder", board.StateInProgress, "")
	})
}
