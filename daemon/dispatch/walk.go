package dispatch

import (
	"slices"
	"time"

	"iterion/native/board"
)

// walk is one pass over everything that may start: runs without a card that were
// asked to go on, then cards in their order, the parked ones that are ready among
// them. It starts what the guard table lets through and remembers why the others
// wait.
type walk struct {
	s       *state
	now     time.Time
	table   []guard
	stopped *Queued // the refusal after which nothing more starts
	fx      []effect
	rest    []candidate
}

func (s *state) walk(now time.Time) []effect {
	w := walk{s: s, now: now, table: guards(), rest: s.pool[:0:0]}
	s.queue = nil
	for _, d := range s.waitingDirects() {
		w.direct(d)
	}
	for _, it := range s.items() {
		switch {
		case it.parked != nil:
			w.parked(it.parked)
		case s.cards[it.fresh.Issue.ID] == nil: // else ours already; it is shown elsewhere
			w.card(*it.fresh)
		}
	}
	s.pool = w.rest
	return w.fx
}

// item is a card of the walk: one of the pool, or a parked one that is ready.
type item struct {
	issue  *board.Issue
	fresh  *candidate
	parked *card
}

func (s *state) items() []item {
	items := make([]item, 0, len(s.pool))
	for i := range s.pool {
		items = append(items, item{issue: &s.pool[i].Issue, fresh: &s.pool[i]})
	}
	ready := len(items)
	for _, id := range sorted(s.cards) {
		if c := s.cards[id]; c.readyToGo() {
			items = append(items, item{issue: &c.issue, parked: c})
		}
	}
	if len(items) > ready { // the pool is in order already
		slices.SortStableFunc(items, func(a, b item) int { return board.DispatchOrder(a.issue, b.issue) })
	}
	return items
}

func (w *walk) direct(d *direct) {
	guard, a, no := w.s.heldBackDirect(d, w.now)
	if w.stopped == nil && !no {
		w.fx = append(w.fx, w.s.goOnDirect(d))
		return
	}
	q := w.refused(Queued{Title: d.title, Bot: d.bot, RunID: d.runID}, guard, a)
	w.s.queue = append(w.s.queue, q)
}

func (w *walk) parked(c *card) {
	guard, a, no := w.s.heldBack(c, w.now)
	if w.stopped == nil && !no {
		w.fx = append(w.fx, w.s.goOn(c, w.now))
		return
	}
	q := w.refused(Queued{IssueID: c.issue.ID, Title: c.issue.Title, State: c.issue.State, Bot: c.bot.Slug, RunID: c.runID}, guard, a)
	c.waits = &q
}

func (w *walk) card(cand candidate) {
	q := Queued{IssueID: cand.Issue.ID, Title: cand.Issue.Title, State: cand.Issue.State, Bot: cand.Slug}
	var g guard
	var a answer
	if w.stopped == nil {
		var no bool
		if g, a, no = refuse(w.table, w.s.factsOf(cand, w.now)); !no {
			w.fx = append(w.fx, w.s.start(cand, w.now))
			return
		}
	}
	q = w.refused(q, g.name, a)
	if r, ok := w.s.refusals[cand.Issue.ID]; ok && g.name == guardClaim {
		q.Guard = r.guard
	}
	w.s.queue, w.rest = append(w.s.queue, q), append(w.rest, cand)
}

// refused notes why something waits. A guard that stopped the walk speaks for all
// that come behind.
func (w *walk) refused(q Queued, guard string, a answer) Queued {
	if w.stopped != nil {
		q.Guard, q.Reason = w.stopped.Guard, w.stopped.Reason
		return q
	}
	q.Guard, q.Reason = guard, a.reason
	if a.answer == AnswerStop {
		w.stopped = &q
	}
	return q
}
