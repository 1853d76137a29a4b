package dispatch

import (
	"errors"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

func TestGuard02_Spend(t *testing.T) {
	t.Run("at the cap", func(t *testing.T) {
		refusing(t, guardSpend, func(b *bed) string {
			b.spend.set(Spending{Day: "2000-01-01", TotalUSD: 20.5, CapUSD: 20, Reached: true}, nil)
			return b.card()
		})
	})
	t.Run("unreadable", func(t *testing.T) {
		refusing(t, guardSpend, func(b *bed) string {
			b.spend.set(Spending{}, errors.New("spend/2000-01-01.json: bad JSON"))
			return b.card()
		})
	})
	t.Run("says the figures", func(t *testing.T) {
		inBed(t, func(t *testing.T, b *bed) {
			b.spend.set(Spending{Day: "2000-01-01", TotalUSD: 20.5, CapUSD: 20, Reached: true}, nil)
			id := b.card()
			l := b.start()
			l.later(time.Second)
			v := l.row(id, 2)
			if v.Answer != AnswerStop || !strings.Contains(v.Reason, "$20.50 of $20.00") || !strings.Contains(v.Remedy, "spend override") {
				t.Fatalf("verdict %+v", v)
			}
			if s := l.Snapshot(); s.Spend.TotalUSD != 20.5 || !s.Idle {
				t.Fatalf("snapshot %+v", s)
			}
		})
	})
	t.Run("lifted", func(t *testing.T) {
		inBed(t, func(t *testing.T, b *bed) {
			b.spend.set(Spending{Day: "2000-01-01", TotalUSD: 20.5, CapUSD: 20, Reached: true}, nil)
			id := b.card()
			l := b.start()
			l.later(time.Second)
			b.spend.set(Spending{Day: "2000-01-01", TotalUSD: 20.5, CapUSD: 20, LiftedBy: "alice"}, nil)
			l.SpendChanged()
			l.later(2 * time.Second)
			b.settledIn(id, board.StateReview)
			if v := l.row(id, 2); !strings.Contains(v.Reason, "alice") {
				t.Fatalf("verdict %+v", v)
			}
		})
	})
}

// At the cap, runs that can be paused are, nothing new starts, and the others run
// to their end; the next day all goes on.
func TestDisposition_Parked_AtTheCapUntilItIsLifted(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.resume = true
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		runID := b.get(id).LastRunID
		b.spend.set(Spending{Day: "2000-01-01", TotalUSD: 5, CapUSD: 5, Reached: true}, nil)
		l.SpendChanged()
		l.later(time.Second)
		if rec := b.runs.view(runID).Record; rec.Status != run.PausedOperator || rec.PauseReason != run.PauseCostCap {
			t.Fatalf("run %+v", rec)
		}
		h := l.parkedIn(id, board.StateAwaitingInput)
		if !h.Ready || !strings.Contains(h.Waits, "$5.00 of $5.00") {
			t.Fatalf("hold %+v", h)
		}
		next := b.card()
		l.kill()
		l = b.start()
		l.later(time.Hour)
		l.parkedIn(id, board.StateAwaitingInput)
		b.launches(next, 0)
		if !l.Snapshot().Idle {
			t.Fatal("not idle although everything waits for the next day")
		}
		b.runs.set(func(f *fakeRuns) { f.plan = func(Launch) script { return finishes(time.Second) } })
		b.spend.set(Spending{Day: "2000-01-02", CapUSD: 5}, nil) // no hint: the poll finds out
		l.later(time.Minute)
		b.settledIn(id, board.StateReview)
		b.settledIn(next, board.StateReview)
		b.launches(id, 1)
	})
}

func TestRunThatCannotBePausedRunsOnAtTheCap(t *testing.T) {
	for name, setup := range map[string]func(b *bed){
		"its bot does not support it":  func(*bed) {},
		"its supervisor does not, too": func(b *bed) { b.bots.resume = true; b.runs.onStop = func(string) error { return ErrNotResumable } },
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				setup(b)
				b.runs.plan = func(Launch) script { return finishes(time.Minute) }
				id := b.card()
				l := b.start()
				l.later(time.Second)
				b.spend.set(Spending{TotalUSD: 5, CapUSD: 5, Reached: true}, nil)
				l.SpendChanged()
				l.later(time.Minute)
				b.settledIn(id, board.StateReview)
				if e := l.Snapshot().Errors; len(e) > 0 {
					t.Fatalf("errors %+v", e)
				}
			})
		})
	}
}

// A ledger that cannot be read stops what would start and nothing else.
func TestUnreadableSpendingPausesNoRun(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.bots.resume = true
		b.runs.plan = func(Launch) script { return finishes(2 * time.Minute) }
		id := b.card()
		l := b.start()
		l.later(time.Second)
		b.spend.set(Spending{}, errors.New("bad JSON"))
		l.later(time.Minute)
		if e := l.Snapshot().Errors; len(e) != 1 || !strings.Contains(e[0].What, "bad JSON") {
			t.Fatalf("errors %+v", e)
		}
		l.later(time.Minute)
		b.settledIn(id, board.StateReview)
	})
}
