package dispatch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// A hook that fails keeps the bot from starting, spends attempts like a run that
// failed, and holds up no other card.
func TestHookThatFailsAbortsIntoTheRetryQueue(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxAttempts = 2
		bad := b.card()
		b.spaces.of = func(id string) error {
			if id == bad {
				return fmt.Errorf("%w: hook before_run: exit status 1", ErrHook)
			}
			return nil
		}
		good := b.card()
		l := b.start()
		l.later(2 * time.Second)
		b.settledIn(bad, board.StateReady)
		b.settledIn(good, board.StateReview)
		if r := l.Snapshot().Retries; len(r) != 1 || r[0].Attempts != 1 || !strings.Contains(r[0].Reason, "before_run") {
			t.Fatalf("retries %+v", r)
		}
		l.later(time.Minute)
		b.settledIn(bad, board.StateBlocked)
		b.launches(bad, 0)
		if g := b.get(bad).GivenUp(); g == nil || g.Attempts != 2 || !strings.Contains(g.Reason, "before_run") {
			t.Fatalf("stamp %+v", b.get(bad).GaveUp)
		}
	})
}

// The remedies that why names for a wait end it.
func TestRemedyOfARetryEndsTheWait(t *testing.T) {
	remedy := func(t *testing.T, l *life, id string) string {
		verdicts, err := l.Why(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Guard == guardRetry })
		if verdicts[i].Answer != AnswerSkip {
			t.Fatalf("waits for no retry: %+v", verdicts[i])
		}
		return verdicts[i].Remedy
	}
	t.Run("of a run", func(t *testing.T) {
		inBed(t, func(t *testing.T, b *bed) {
			b.runs.plan = func(Launch) script { return fails(time.Second, run.CodeTransient) }
			id := b.card()
			l := b.start()
			l.later(3 * time.Second)
			if r := remedy(t, l, id); !strings.Contains(r, "--clear-last-run") {
				t.Fatalf("remedy %q", r)
			}
			_, err := b.board.Update(t.Context(), id, board.Patch{ClearLastRun: true}, board.Cause{})
			b.ok(err)
			l.look()
			b.launches(id, 2)
		})
	})
	t.Run("of a hook", func(t *testing.T) {
		inBed(t, func(t *testing.T, b *bed) {
			broken := true
			b.spaces.of = func(string) error {
				if broken {
					return fmt.Errorf("%w: hook before_run: exit status 1", ErrHook)
				}
				return nil
			}
			id := b.card()
			l := b.start()
			l.later(3 * time.Second)
			broken = false
			if r := remedy(t, l, id); strings.Contains(r, "--clear-last-run") || !strings.Contains(r, "move the card") {
				t.Fatalf("remedy %q: there is no run to clear", r)
			}
			b.move(id, board.StateBacklog, board.Cause{})
			l.look()
			b.move(id, board.StateReady, board.Cause{})
			l.look()
			b.launches(id, 1)
		})
	})
}

// Every run that has ended is told to the workspace; one that only waits is not.
func TestWorkspaceIsToldOfEveryEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		plan script
		told bool
	}{
		"finished": {finishes(time.Second), true}, "failed": {fails(time.Second, run.CodePermanent), true},
		"cancelled": {becomes(run.Cancelled), true}, "asked": {asks(time.Second), false},
		"kill unconfirmed": {fails(time.Second, run.CodeKillUnconfirmed), false},
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.runs.plan = func(Launch) script { return tc.plan }
				id := b.card()
				b.start().later(time.Minute)
				want := []string{}
				if tc.told {
					want = append(want, b.get(id).LastRunID)
				}
				b.spaces.mu.Lock()
				defer b.spaces.mu.Unlock()
				if !slices.Equal(b.spaces.returned, want) {
					t.Fatalf("told of %v, want %v", b.spaces.returned, want)
				}
			})
		})
	}
}

// The daemon dies when it has counted a card's last attempt, which failed before
// there was a run: the next one gives the card up, and does not start it over.
func TestI6_CrashWhileGivingUpForAHookStillGivesUp(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxAttempts = 1
		b.spaces.breakWith(fmt.Errorf("before_run: %w", ErrHook))
		id := b.card()
		<-b.start(FaultCounted).ended
		b.spaces.breakWith(nil)
		b.start().later(time.Minute)
		b.settledIn(id, board.StateBlocked)
		b.launches(id, 0)
	})
}
