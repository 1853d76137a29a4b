package dispatch

import (
	"context"
	"errors"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// probe looks at a parked or held card and its run.
type probe struct {
	issueID, runID string
	holds          int
}

func (e probe) do(ctx context.Context, d *Dispatcher) {
	m := probed{issueID: e.issueID, holds: e.holds}
	m.issue, m.cardErr = d.opts.Board.Get(ctx, e.issueID)
	m.missing = errors.Is(m.cardErr, board.ErrNotFound)
	m.view, m.err = d.opts.Runs.Inspect(ctx, e.runID)
	if m.err == nil && unowned(m.view) {
		m.view, m.err = d.opts.Runs.Await(ctx, e.runID) // ends at once: it recovers the orphan
	}
	if ctx.Err() == nil {
		d.tell(m)
	}
}

// probeHolds looks after every parked and held card, one probe each at a time.
func (s *state) probeHolds() []effect {
	var fx []effect
	for _, id := range sorted(s.cards) {
		c := s.cards[id]
		if (c.phase == PhaseParked || c.phase == PhaseHeld) && !c.probing {
			c.probing = true
			fx = append(fx, probe{issueID: id, runID: c.runID, holds: c.holds})
		}
	}
	return fx
}

// onProbed settles a kept card as soon as that is provable, lets it go when a
// person lifted the hold, and leaves it alone otherwise.
func (s *state) onProbed(m probed, now time.Time) []effect {
	c := s.cards[m.issueID]
	if c == nil {
		return nil
	}
	c.probing = false
	if c.phase != PhaseParked && c.phase != PhaseHeld || m.holds != c.holds {
		return nil
	}
	switch {
	case m.missing:
		return []effect{s.file(c, plan{verdict: Lost, reason: "the card was deleted"})}
	case m.cardErr != nil:
		s.trouble(now, "look at held issue "+board.ShortID(m.issueID)+": "+m.cardErr.Error())
		return nil
	case c.fence.Epoch == 0 && m.issue.Claim == c.fence.Marker:
		c.fence.Epoch = m.issue.ClaimEpoch // it was claimed and nobody could read or note more
	case m.issue.Fence() != c.fence:
		return []effect{s.file(c, plan{verdict: Lost, reason: "the claim was lost"})}
	}
	c.issue = m.issue
	s.learnRun(c, m.view, m.err)
	if c.readyToGo() && c.waits == nil {
		s.wanted = true
	}
	return s.rejudge(c, m, now)
}

func (s *state) rejudge(c *card, m probed, now time.Time) []effect {
	end, reason := judge(m.view, m.err)
	if end == endPaused && c.phase == PhaseParked {
		if fx, gone := s.movedAway(c, m.issue); gone {
			return fx
		}
	}
	switch {
	case end == endLive && c.phase == PhaseParked:
		return []effect{s.join(c)}
	case end == endLive:
		return s.resume(c)
	case c.phase == PhaseParked && c.failed && c.wanted != "":
		return nil // taken so that it goes on
	case c.phase == PhaseHeld && lifted(c, m):
		return []effect{s.file(c, plan{verdict: Released, reason: "a person lifted the hold"})}
	case end == endPaused && c.phase == PhaseParked,
		end == endCancelled && c.phase == PhaseHeld,
		end == endUnprovable:
		if c.goErrs == 0 || end == endUnprovable {
			c.reason = reason
		}
		return nil
	case end == endGone && c.phase == PhaseHeld && !c.ran:
		return s.vanished(c, reason, now)
	}
	return s.conclude(c, end, reason, now)
}

// lifted reports whether a person ended a hold: by clearing the card's pointer to
// the run, which is refused while the run lives and is the only way out when its
// record cannot be read; or, for a run that has ended for sure, by moving the card.
func lifted(c *card, m probed) bool {
	if c.stamped && m.issue.LastRunID != c.runID {
		return true
	}
	rec, by := m.view.Record, m.issue.StateReason
	if by == board.ReasonRunFinished || by == board.ReasonRunFailed || by == board.ReasonLaunchRefused {
		return false // a settlement that was cut off has moved it, nobody else
	}
	return m.err == nil && rec.Status.Final() && rec.FailureCode != run.CodeKillUnconfirmed && movedSince(m.issue, rec)
}

// onRepark parks a card that was claimed and found to have a paused run of its own.
func (s *state) onRepark(m repark) []effect {
	c := s.cards[m.issueID]
	if c == nil {
		return nil
	}
	s.learnRun(c, m.view, nil)
	_, reason := judge(m.view, nil)
	if c.lost {
		return []effect{s.file(c, plan{verdict: Lost, reason: reason})}
	}
	return []effect{s.park(c, reason)}
}

// join takes a parked card whose run went on by other hands among the running
// ones, caps or not: the run is there.
func (s *state) join(c *card) effect {
	c.phase, c.slot = PhaseLaunching, true
	c.holds++
	s.touched[c.issue.ID] = true
	return startCard{goOnJob{
		cfg: s.cfg, columns: s.columns, issueID: c.issue.ID, fence: c.fence, placed: c.placed, stamped: c.stamped,
		entry: s.entry(c, PhaseLaunching), outcome: c.outcome, joins: true, resume: Resume{RunID: c.runID},
	}}
}

// resume takes a kept card whose run goes on back among the running ones.
func (s *state) resume(c *card) []effect {
	c.phase, c.slot, c.reason, c.stop = PhaseRunning, true, "", nil
	return []effect{
		startBeat{issueID: c.issue.ID, fence: c.fence},
		awaitRun{issueID: c.issue.ID, runID: c.runID, stamped: c.stamped},
	}
}
