package dispatch

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// publish makes the state visible. The slices of a snapshot are never changed
// once it is out.
func (d *Dispatcher) publish(now time.Time) {
	snap := d.st.snapshot(now)
	snap.Seq = d.snapshot.Load().Seq + 1
	d.snapshot.Store(&snap)
	d.watchers.wake()
}

func (s *state) snapshot(now time.Time) Snapshot {
	snap := Snapshot{
		At: now, Ready: s.booted, Desired: s.desired,
		SlotsUsed: s.slotsUsed(), SlotsMax: s.cfg.MaxConcurrent,
		Idle: s.idle(), LastTick: s.lastTick, NextPoll: s.nextPoll,
		Settled: maps.Clone(s.settled), Ticks: s.ticks, Thinking: s.thinking,
		Running: []Running{}, Queue: append([]Queued{}, s.queue...), Retries: s.retryList(),
		Parked: []Hold{}, Held: []Hold{},
		Errors: append([]Problem{}, s.problems...), Warnings: slices.Clone(s.warnings),
		Spend: s.budget.Spending, SpendProblem: s.budget.err,
	}
	for _, d := range s.directs {
		if d.slot() {
			snap.Running = append(snap.Running, Running{Title: d.title, Bot: d.bot, RunID: d.runID, Attempt: d.attempt, Phase: d.phase, Since: d.asked, By: d.by})
		}
	}
	for _, c := range s.cards {
		s.show(&snap, c)
	}
	slices.SortFunc(snap.Running, func(a, b Running) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.IssueID, b.IssueID)) })
	for _, holds := range [][]Hold{snap.Parked, snap.Held} {
		slices.SortFunc(holds, func(a, b Hold) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.IssueID, b.IssueID)) })
	}
	return snap
}

func (s *state) show(snap *Snapshot, c *card) {
	hold := Hold{
		IssueID: c.issue.ID, Title: c.issue.Title, RunID: c.runID, Reason: c.reason, Since: c.heldAt,
		Question: c.asks, Ready: c.readyToGo(),
	}
	if c.waits != nil && hold.Ready {
		hold.Waits = c.waits.Reason
	}
	switch c.phase {
	case PhaseParked:
		snap.Parked = append(snap.Parked, hold)
		return
	case PhaseHeld:
		snap.Held = append(snap.Held, hold)
		return
	}
	snap.Running = append(snap.Running, Running{
		IssueID: c.issue.ID, Title: c.issue.Title, Bot: c.bot.Slug, RunID: c.runID, Attempt: c.attempt,
		Phase: c.phase, Since: c.since, Workdir: c.workdir,
	})
}

// retryList shows the cards that wait for an attempt, not the mere counts of
// cards that wait for something else.
func (s *state) retryList() []Retry {
	out := []Retry{}
	for id, e := range s.retries {
		if e.DueAt.IsZero() || s.cards[id] != nil {
			continue
		}
		out = append(out, Retry{IssueID: id, Title: s.titleOf(id), Attempts: e.Attempts, DueAt: e.DueAt, Reason: e.LastReason, QuotaWaits: e.QuotaWaits})
	}
	slices.SortFunc(out, func(a, b Retry) int { return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.IssueID, b.IssueID)) })
	return out
}

func (s *state) titleOf(id string) string {
	for i := range s.pool {
		if s.pool[i].Issue.ID == id {
			return s.pool[i].Issue.Title
		}
	}
	return ""
}

// idle: see Snapshot.Idle. Everything that waits for a person leaves it idle;
// everything that moves by itself does not.
func (s *state) idle() bool {
	if !s.booted || s.lastTick.IsZero() || s.wanted || s.discovering {
		return false
	}
	for _, c := range s.cards {
		if c.phase != PhaseParked && c.phase != PhaseHeld {
			return false
		}
		if c.readyToGo() && (c.waits == nil || !s.waitsForAPerson(c.waits.Guard)) {
			return false
		}
	}
	for _, d := range s.directs {
		if d.slot() {
			return false
		}
	}
	for _, q := range s.queue {
		trouble := q.Guard == guardPaused && !s.paused() && !s.stopping
		if trouble || q.Guard == guardRetry || q.Guard == guardResume {
			return false
		}
	}
	return true
}

// waitsForAPerson reports whether a guard lets nothing through until somebody, or
// the next day, says otherwise.
func (s *state) waitsForAPerson(guard string) bool {
	return guard == guardSpend || guard == guardPaused && (s.paused() || s.stopping)
}
