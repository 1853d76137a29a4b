package dispatch

import (
	"fmt"
	"time"

	"iterion/native/board"
)

// The dispositions of a dispatched card, and the ways to let go of one that has
// no disposition: it was never given to a run, or it is not ours any more.
const (
	Completed = "COMPLETED"
	GaveUp    = "GAVE UP"
	Revert    = "REVERT"
	Parked    = "PARKED"
	Held      = "HELD"

	Released = "released" // released where it stands
	Lost     = "lost"     // nothing may be written to it
)

// plan is a settlement: everything the worker needs to file a card.
type plan struct {
	verdict string
	reason  string

	issue   board.Issue // as last seen
	issueID string
	fence   board.Fence
	runID   string // empty: none was journalled
	ran     bool   // the run was made
	workdir string
	placed  string
	to      string // column to file under; empty: none
	cause   string // reason of that move
	stamped bool
	gaveUp  *board.GaveUp
	ended   bool // the run has ended for sure
	seq     int64

	columns columns
	entry   JournalEntry // as it stays, for PARKED and HELD
	ledgerV int64
	ledger  map[string]RetryEntry
}

func (p plan) keeps() bool { return p.verdict == Parked || p.verdict == Held }

// filed is what a settlement found and did.
type filed struct {
	issue board.Issue // as it stands; zero when the card is gone
	moved bool
	lost  bool
}

// conclude turns an ending into the card's settlement.
func (s *state) conclude(c *card, end ending, reason string, now time.Time) []effect {
	c.ended = end != endLive && end != endPaused && end != endUnprovable && end != endGone
	if p, ok := s.beyond(c, end, reason); ok {
		return []effect{s.file(c, p)}
	}
	switch end {
	case endFinished:
		return s.complete(c)
	case endFailed:
		return s.failed(c, reason, now)
	case endPermanent:
		s.count(c, reason)
		return s.giveUp(c, reason, false, now)
	case endQuota:
		return s.waitForQuota(c, reason, now)
	case endInterrupted:
		return s.revert(c, reason, s.backOff(c, reason, now))
	case endTrouble:
		s.infraTrouble(now, "issue "+board.ShortID(c.issue.ID)+": "+reason)
		return s.revert(c, reason, s.backOff(c, reason, now))
	case endGone:
		return s.vanished(c, reason, now)
	case endPaused:
		return []effect{s.file(c, plan{verdict: Parked, reason: reason, to: s.column(s.cfg.AwaitingInputState)})}
	default: // endCancelled, endUnprovable
		return []effect{s.file(c, plan{verdict: Held, reason: reason})}
	}
}

// beyond are the cards whose filing is not the dispatcher's business any more.
func (s *state) beyond(c *card, end ending, reason string) (plan, bool) {
	switch {
	case c.lost, c.gone:
		return plan{verdict: Lost, reason: reason}, true
	case c.away && end != endUnprovable:
		return plan{verdict: Released, reason: reason}, true
	}
	return plan{}, false
}

func (s *state) complete(c *card) []effect {
	if _, ok := s.retries[c.issue.ID]; ok {
		delete(s.retries, c.issue.ID)
		s.note(c.issue.ID)
	}
	return []effect{s.file(c, plan{verdict: Completed, to: s.completedColumn(), cause: board.ReasonRunFinished})}
}

// failed spends an attempt and goes back, or gives up after the last one.
func (s *state) failed(c *card, reason string, now time.Time) []effect {
	e := s.count(c, reason)
	if e.Attempts >= s.cfg.MaxAttempts && s.failedColumn() != "" {
		return s.giveUp(c, reason, false, now)
	}
	e.DueAt = later(now.Add(backoff(firstBackoff, e.Attempts, s.cfg.MaxRetryBackoff)), c.retryAt, now).UTC()
	s.retries[c.issue.ID] = e
	return s.revert(c, reason, e)
}

// longestRetryWait bounds what a bot may ask for: a slip in its arithmetic must not
// put a card away for good.
const longestRetryWait = 8 * 24 * time.Hour

// later is the backoff, or what the bot asked for when that is later.
func later(due, asked, now time.Time) time.Time {
	if most := now.Add(longestRetryWait); asked.After(most) {
		asked = most
	}
	if asked.After(due) {
		return asked
	}
	return due
}

// vanished judges a run id that names no run: it was never launched, unless the
// card or the journal says that it was.
func (s *state) vanished(c *card, reason string, now time.Time) []effect {
	if !c.ran {
		return []effect{s.file(c, plan{verdict: Revert, reason: "the run was never launched", to: c.source, cause: c.cause()})}
	}
	s.count(c, reason)
	return s.giveUp(c, reason, false, now)
}

// giveUp files the card for good. Without a column for it the ladder goes on.
func (s *state) giveUp(c *card, reason string, launch bool, now time.Time) []effect {
	e := s.retries[c.issue.ID]
	if s.failedColumn() == "" {
		e.DueAt = now.Add(s.cfg.MaxRetryBackoff).UTC()
		s.retries[c.issue.ID] = e
		return s.revert(c, reason, e)
	}
	e.DueAt = time.Time{}
	s.retries[c.issue.ID] = e
	s.note(c.issue.ID)
	return []effect{s.file(c, plan{
		verdict: GaveUp, reason: reason, to: s.failedColumn(), cause: c.cause(),
		gaveUp: &board.GaveUp{
			RunID: runOf(c), State: s.failedColumn(), Attempts: e.Attempts, Reason: reason, Launch: launch || !c.ran, At: now.UTC(),
		},
	})}
}

// runOf is the card's run, when one was made.
func runOf(c *card) string {
	if !c.ran {
		return ""
	}
	return c.runID
}

func (s *state) revert(c *card, reason string, e RetryEntry) []effect {
	s.retries[c.issue.ID] = e
	s.note(c.issue.ID)
	return []effect{s.file(c, plan{verdict: Revert, reason: reason, to: c.source, cause: c.cause()})}
}

// cause is the reason of a filing that follows a failure. Where no run came to be it
// is a machine's: nothing was run that could have failed, and no trigger is to fire.
func (c *card) cause() string {
	if c.ran {
		return board.ReasonRunFailed
	}
	return board.ReasonLaunchRefused
}

// count spends an attempt, once per outcome of a run: a settlement that is done
// again by a later daemon finds it counted.
func (s *state) count(c *card, reason string) RetryEntry {
	e := s.retries[c.issue.ID]
	if !e.accounts(c) {
		e.Attempts++
	}
	e.account(c)
	e.IssueID, e.LastReason, e.Uncounted = c.issue.ID, reason, 0
	e.QuotaWaits, e.QuotaSince, e.JitterMS = 0, time.Time{}, 0
	s.retries[c.issue.ID] = e
	s.note(c.issue.ID)
	return e
}

// backOff waits without spending an attempt. LastRunID stays the last counted
// run's, unless there is none.
func (s *state) backOff(c *card, reason string, now time.Time) RetryEntry {
	e := s.retries[c.issue.ID]
	e.IssueID, e.LastReason = c.issue.ID, reason
	e.Uncounted++
	e.DueAt = now.Add(backoff(firstBackoff, e.Uncounted, s.cfg.MaxRetryBackoff)).UTC()
	s.retries[c.issue.ID] = e
	return e
}

// file puts a card into the hands of a settlement.
func (s *state) file(c *card, p plan) effect {
	p.issue = c.issue
	p.issueID, p.fence, p.runID, p.workdir = c.issue.ID, c.fence, c.runID, c.workdir
	p.ran, p.placed, p.stamped, p.seq = c.ran, c.placed, c.stamped, c.seq
	p.columns, p.ended = s.columns, c.ended
	c.ended = false // told once
	c.holds++
	p.ledgerV, p.ledger = s.noted[c.issue.ID], s.entriesOf(c.issue.ID)
	p.entry = s.entry(c, PhaseHeld)
	p.entry.Unseen = !c.ran
	if p.verdict == Parked {
		p.entry.Phase = PhaseParked
	}
	c.phase, c.plan, c.planAt, c.reason = PhaseSettling, &p, time.Time{}, p.reason
	s.touched[c.issue.ID] = true
	return settle{plan: p}
}

// onSettled ends a settlement, or plans to do it again.
func (s *state) onSettled(m settled, now time.Time) []effect {
	c := s.cards[m.issueID]
	if c == nil || c.plan == nil {
		return nil
	}
	p := *c.plan
	if m.err != nil {
		c.planErrs++
		c.planAt = now.Add(backoff(time.Second, c.planErrs, 30*time.Second))
		s.trouble(now, fmt.Sprintf("settle issue %s (%s): %v", board.ShortID(c.issue.ID), p.verdict, m.err))
		return nil
	}
	c.plan, c.planErrs = nil, 0
	s.settled[p.verdict]++
	s.touched[m.issueID] = true
	s.wanted = true
	fx := []effect{logInfo{"settled", []any{"issue_id", m.issueID, "run_id", p.runID, "disposition", p.verdict, "state", m.outcome.issue.State, "reason", p.reason}}}
	if m.outcome.lost {
		fx = append(fx, endBeat{m.issueID})
		delete(s.cards, m.issueID)
		return fx
	}
	if p.keeps() {
		return append(fx, s.hold(c, p, m.outcome, now)...)
	}
	delete(s.cards, m.issueID)
	return append(fx, append(s.closeLedger(p, m.outcome, now), endBeat{m.issueID})...)
}

// hold keeps a settled card's claim without its slot.
func (s *state) hold(c *card, p plan, out filed, now time.Time) []effect {
	c.slot, c.stop, c.heldAt, c.stamped = false, nil, now, c.ran
	if out.issue.ID != "" {
		c.issue = out.issue
		if p.verdict == Parked { // a held card was put nowhere: who moved it before may still be found out
			c.placed = out.issue.State
		}
	}
	if p.verdict == Parked {
		c.phase = PhaseParked
		return []effect{startBeat{issueID: c.issue.ID, fence: c.fence}} // a card that was held before has none
	}
	c.phase = PhaseHeld
	return []effect{endBeat{c.issue.ID}}
}

// closeLedger forgets the attempts of a card that gave up: whoever takes it out
// of that column starts over. A card that could not be filed there keeps waiting.
func (s *state) closeLedger(p plan, out filed, now time.Time) []effect {
	if p.verdict != GaveUp {
		return nil
	}
	if !out.moved && s.columns.eligible(out.issue.State) {
		e := s.retries[p.issueID]
		e.DueAt = now.Add(s.cfg.MaxRetryBackoff).UTC()
		s.retries[p.issueID] = e
		s.trouble(now, fmt.Sprintf("issue %s could not be filed under %s", board.ShortID(p.issueID), p.to))
	} else {
		delete(s.retries, p.issueID)
	}
	return []effect{s.ledger(p.issueID)}
}

// note numbers a change of what the ledger holds of cards.
func (s *state) note(ids ...string) {
	s.ledgerV++
	for _, id := range ids {
		s.noted[id] = s.ledgerV
	}
}

// ledger saves what the ledger holds of cards.
func (s *state) ledger(ids ...string) effect {
	s.note(ids...)
	return saveLedger{version: s.ledgerV, entries: s.entriesOf(ids...)}
}

// entriesOf are the entries of cards as they are to be kept; zero: none.
func (s *state) entriesOf(ids ...string) map[string]RetryEntry {
	entries := make(map[string]RetryEntry, len(ids))
	for _, id := range ids {
		entries[id] = s.retries[id]
	}
	return entries
}
