package dispatch

import (
	"errors"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// A card that fails at once, over and over, and is the most urgent of all, keeps no
// other card from its turn.
func TestCardThatKeepsFailingDoesNotStarveTheOthers(t *testing.T) {
	for name, code := range map[string]string{"its fault": "", "the world's fault": run.CodeSupervisorLost, "quota": run.CodeQuota} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.cfg.MaxConcurrent = 1
				bad := b.card(func(is *board.Issue) { is.Priority = 9 })
				b.runs.plan = func(l Launch) script {
					if l.Issue.ID == bad {
						return fails(0, code)
					}
					return finishes(time.Second)
				}
				var others []string
				for range 10 {
					others = append(others, b.card())
				}
				b.start().later(2 * time.Minute)
				for _, id := range others {
					b.settledIn(id, board.StateReview)
				}
			})
		})
	}
}

// One card's folder that cannot be made must not hold up the cards behind it.
func TestCardWhoseFolderCannotBeMadeDoesNotStarveTheOthers(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		bad := b.card(func(is *board.Issue) { is.Priority = 9 })
		b.spaces.of = func(id string) error {
			if id == bad {
				return errors.New("a file lies in its place")
			}
			return nil
		}
		var others []string
		for range 5 {
			others = append(others, b.card())
		}
		l := b.start()
		l.later(2 * time.Minute)
		for _, id := range others {
			b.settledIn(id, board.StateReview)
		}
		if e := b.ledger.of(bad); e.Attempts != 0 || e.Uncounted == 0 {
			t.Fatalf("ledger %+v", e)
		}
	})
}

// A full disk under the workspaces pauses dispatch: one card at a time finds out,
// none of them spends an attempt, and all are worked once there is room.
func TestFullDiskPausesDispatchAndSpendsNoAttempt(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.spaces.breakWith(errors.New("no space left on device"))
		var ids []string
		for range 8 {
			ids = append(ids, b.card())
		}
		l := b.start()
		l.later(time.Second)
		waiting := 0
		for _, id := range ids {
			if g := l.queued(id); g == guardPaused || g == guardRetry {
				waiting++
			}
		}
		if waiting != len(ids) {
			t.Fatalf("queue %+v", l.Snapshot().Queue)
		}
		l.later(10 * time.Minute)
		for _, id := range ids {
			if e := b.ledger.of(id); e.Attempts != 0 {
				t.Fatalf("ledger %+v", e)
			}
			b.launches(id, 0)
		}
		b.spaces.breakWith(nil)
		l.later(10 * time.Minute)
		for _, id := range ids {
			b.settledIn(id, board.StateReview)
			if attempt := b.runs.view(b.get(id).LastRunID).Record.Attempt; attempt != 1 {
				t.Fatalf("attempt %d", attempt)
			}
		}
	})
}
