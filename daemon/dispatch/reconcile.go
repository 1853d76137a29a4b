package dispatch

import (
	"time"

	"iterion/native/board"
)

// nameBroken tells of records that cannot be read, once until they can be again.
func (s *state) nameBroken(found []board.UnreadableError, now time.Time) {
	broken := make(map[string]bool, len(found))
	for _, b := range found {
		if broken[b.ID] = true; !s.broken[b.ID] {
			s.trouble(now, b.Error())
		}
	}
	s.broken = broken
}

// reconcile reacts to what others did to cards whose runs are live.
func (s *state) reconcile(d discovery, now time.Time) []effect {
	var fx []effect
	for _, id := range sorted(s.cards) {
		c := s.cards[id]
		fx = append(fx, s.resend(c)...)
		seen, ok := d.seen[id]
		if !ok || (c.phase != PhaseRunning && c.phase != PhaseStopping) {
			continue
		}
		fx = append(fx, s.meet(c, seen, now)...)
	}
	return fx
}

func (s *state) meet(c *card, seen sighting, now time.Time) []effect {
	if seen.missing {
		c.gone = true
		return s.stopRun(c, machineStop("the card was deleted"))
	}
	if seen.issue.Fence() != c.fence {
		if seen.issue.ClaimEpoch >= c.fence.Epoch { // else the listing is older than our claim
			return s.onClaimLost(claimLost{issueID: c.issue.ID, fence: c.fence}, now)
		}
		return nil
	}
	c.issue = seen.issue
	if seen.mover == moverOther && !s.columns.eligible(seen.issue.State) {
		c.away = true
		return s.stopRun(c, machineStop("the card was moved to "+seen.issue.State))
	}
	return nil
}

// forgetRetries drops what the ledger holds of cards that are gone, and of cards
// whose last run a person cleared or which a person took out of a given-up column.
// A card outside the eligible columns waits for nothing.
func (s *state) forgetRetries(d discovery) []effect {
	var changed []string
	for id, column := range d.retried {
		e, ok := s.retries[id]
		if !ok || s.cards[id] != nil || s.touched[id] {
			continue
		}
		switch {
		case column == "", e.Attempts == 0 && !s.columns.eligible(column):
			delete(s.retries, id)
			changed = append(changed, id)
		case !s.columns.eligible(column) && !e.DueAt.IsZero():
			e.DueAt = time.Time{} // nothing to wait for; the attempts stay with the card
			s.retries[id] = e
			changed = append(changed, id)
		}
	}
	for i := range s.pool {
		id := s.pool[i].Issue.ID
		if _, ok := s.retries[id]; ok && d.renewed[id] && s.cards[id] == nil {
			delete(s.retries, id)
			changed = append(changed, id)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return []effect{s.ledger(changed...)}
}

// learnLedger takes over what other daemons have noted of cards that are not ours.
func (s *state) learnLedger(entries map[string]RetryEntry) {
	theirs := func(id string) bool { return s.cards[id] == nil && !s.touched[id] }
	for id := range s.retries {
		if _, ok := entries[id]; !ok && theirs(id) {
			delete(s.retries, id)
		}
	}
	for id, e := range entries {
		if theirs(id) {
			e.IssueID = id
			s.retries[id] = e
		}
	}
}

// freeStrays releases cards that carry our marker although we do not hold them:
// a claim whose answer never came. No run was made for it.
func (s *state) freeStrays(strays []board.Issue, now time.Time) []effect {
	var fx []effect
	for _, is := range strays {
		if s.cards[is.ID] != nil || s.touched[is.ID] {
			continue
		}
		c := &card{issue: is, source: is.State, placed: is.State, fence: is.Fence(), since: now}
		s.cards[is.ID] = c
		fx = append(fx, s.file(c, plan{verdict: Released, reason: "a stray claim"}))
	}
	return fx
}
