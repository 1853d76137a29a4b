package dispatch

import (
	"context"
	"fmt"
	"time"

	"iterion/native/run"
)

// budget is the day's spending as it was last seen.
type budget struct {
	Spending
	known bool
	err   string // why it is not known
}

func readBudget(ctx context.Context, port Spend) budget {
	if port == nil {
		return budget{known: true}
	}
	sp, err := port.Status(ctx)
	if err != nil {
		return budget{err: err.Error()}
	}
	return budget{Spending: sp, known: true}
}

// lookAtSpend reads the day's spending between two looks at the board.
type lookAtSpend struct{}

func (lookAtSpend) do(ctx context.Context, d *Dispatcher) {
	b := readBudget(ctx, d.opts.Spend)
	if ctx.Err() == nil {
		d.tell(spendSeen{b})
	}
}

// SpendChanged says that the day's ledger may have changed. It does not wait.
func (d *Dispatcher) SpendChanged() {
	d.hints.addSpend()
	d.wakeUp()
}

func (s *state) onSpendSeen(m spendSeen, now time.Time) []effect {
	s.lookingAtSpend = false
	was := s.budget
	s.learnBudget(m.budget, now)
	if was.Reached != m.budget.Reached || was.known != m.budget.known {
		s.wanted = true
	}
	return s.pauseForCap()
}

func (s *state) learnBudget(b budget, now time.Time) {
	if !b.known && (s.budget.known || s.budget.err != b.err) {
		s.trouble(now, "read the day's spending: "+b.err)
	}
	s.budget = b
}

// pauseForCap asks for the pause of every run that can be paused, once the day's
// spending has reached its cap. A ledger that cannot be read pauses nothing.
func (s *state) pauseForCap() []effect {
	if !s.budget.known || !s.budget.Reached {
		return nil
	}
	var fx []effect
	for _, id := range sorted(s.cards) {
		c := s.cards[id]
		if c.phase == PhaseRunning && c.stop == nil && c.bot.Resume && !c.noPause {
			fx = append(fx, s.stopRun(c, stopRequest{verb: run.VerbPause, by: Actor, note: run.PauseCostCap})...)
		}
	}
	return fx
}

func spendGuard(f facts) answer {
	b := f.budget
	switch {
	case !b.known:
		return stopWalk("the spending of today cannot be read: "+b.err, "mend or move away the file that it names")
	case b.Reached:
		return stopWalk(fmt.Sprintf("spending of %s reached its cap: $%.2f of $%.2f", b.Day, b.TotalUSD, b.CapUSD),
			"iterion spend override --note WHY, or raise limits.max_cost_per_day_usd, or wait for the next UTC day")
	case b.CapUSD == 0:
		return pass(fmt.Sprintf("no cap for the day; $%.2f spent", b.TotalUSD))
	case b.LiftedBy != "":
		return pass(fmt.Sprintf("$%.2f spent, the cap of $%.2f was lifted for today by %s", b.TotalUSD, b.CapUSD, b.LiftedBy))
	}
	return pass(fmt.Sprintf("$%.2f of $%.2f spent today", b.TotalUSD, b.CapUSD))
}
