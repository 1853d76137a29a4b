package dispatch

import (
	"testing"
	"time"

	"iterion/native/board"
)

func TestConfigureHoldsForWhatStartsFromThenOn(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		b.runs.plan = func(Launch) script { return finishes(time.Minute) }
		first, second := b.card(func(is *board.Issue) { is.Priority = 1 }), b.card()
		l := b.start()
		l.later(time.Second)
		l.refusedBy(second, "slots")
		cfg := b.cfg
		cfg.MaxConcurrent, cfg.CompletedState, cfg.Stall = 2, board.StateDone, time.Hour
		cfg.DispatchVars = map[string]string{"prompt": "new"}
		b.ok(l.Configure(t.Context(), cfg))
		l.later(time.Second)
		b.launches(second, 1)
		if last := b.runs.all()[1]; last.Stall != time.Hour || last.Inputs["prompt"] != "new" {
			t.Fatalf("launch %+v", last)
		}
		l.later(2 * time.Minute)
		b.settledIn(first, board.StateDone)
		b.settledIn(second, board.StateDone)
		if s := l.Snapshot(); s.SlotsMax != 2 {
			t.Fatalf("snapshot %+v", s)
		}
	})
}

// A column that is named anew is warned of anew, and an old warning goes.
func TestConfigureRenewsTheWarnings(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.CompletedState = "shipped"
		l := b.start()
		l.later(time.Second)
		if w := l.Snapshot().Warnings; len(w) != 1 {
			t.Fatalf("warnings %q", w)
		}
		b.ok(l.Configure(t.Context(), Config{RunningState: None}))
		l.later(time.Second)
		if w := l.Snapshot().Warnings; len(w) != 0 {
			t.Fatalf("warnings %q", w)
		}
	})
}

func TestRunningStateNoneLeavesTheCardWhereItIs(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.RunningState = None
		id := b.card()
		l := b.start()
		l.later(500 * time.Millisecond)
		if is := b.get(id); is.State != board.StateReady || is.Claim == "" {
			t.Fatalf("card in %s, claim %q", is.State, is.Claim)
		}
		l.later(time.Second)
		b.settledIn(id, board.StateReview)
	})
}
