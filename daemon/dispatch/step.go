package dispatch

import (
	"cmp"
	"fmt"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// step is all the thinking: it takes a message in and says what is to be done.
// It reads no clock, no file and no channel.
func (s *state) step(m message, now time.Time) []effect {
	s.heedClock(now)
	fx := s.handle(m, now)
	fx = append(fx, s.tick(now)...)
	fx = append(fx, s.answerWaiters()...)
	return append(fx, s.tellTrouble()...)
}

func (s *state) handle(m message, now time.Time) []effect {
	switch m := m.(type) {
	case booted:
		return s.onBooted(m, now)
	case tickAsked:
		return s.onTickAsked(m)
	case woke:
		return s.onWoke(now)
	case discovered:
		return s.onDiscovered(m, now)
	case refused:
		return s.onRefused(m)
	case claimed:
		return s.onClaimed(m)
	case launched:
		return s.onLaunched(m, now)
	case startFailed:
		return s.onStartFailed(m, now)
	case ended:
		return s.onEnded(m, now)
	case claimLost:
		return s.onClaimLost(m, now)
	case stopTried:
		return s.onStopTried(m, now)
	case settled:
		return s.onSettled(m, now)
	case probed:
		return s.onProbed(m, now)
	case taken:
		return s.onTaken(m, now)
	case goOnFailed:
		return s.onGoOnFailed(m, now)
	case repark:
		return s.onRepark(m)
	case directTried:
		return s.onDirectTried(m, now)
	case directEnded:
		return s.onDirectEnded(m)
	case reservedTried:
		return s.onReservedTried(m)
	case runsFound:
		return s.onRunsFound(m, now)
	case spendSeen:
		return s.onSpendSeen(m, now)
	default:
		return s.handleAsked(m, now)
	}
}

// handleAsked serves what people and the daemon ask.
func (s *state) handleAsked(m message, now time.Time) []effect {
	switch m := m.(type) {
	case setDesired:
		return s.onSetDesired(m)
	case desiredSaved:
		return s.onDesiredSaved(m, now)
	case cancelAsked:
		return s.onCancelAsked(m)
	case configured:
		return s.onConfigured(m, now)
	case pauseAsked:
		return s.onPauseAsked(m)
	case resumeAsked:
		return s.onResumeAsked(m, now)
	case reserveAsked:
		return s.onReserveAsked(m, now)
	case takeOverAsked:
		return []effect{findRuns{}}
	case stopRuns:
		return s.onStopRuns(m)
	case worldAsked:
		return []effect{replyWorld{to: m.reply, w: s.worldOf(m.issueID, now)}}
	case troubled:
		s.trouble(now, m.what)
	case drain:
		s.draining = true
	}
	return nil
}

// onRefused gives the slot back.
func (s *state) onRefused(m refused) []effect {
	delete(s.cards, m.issueID)
	s.touched[m.issueID] = true
	s.refusals[m.issueID] = refusal{guard: m.guard, reason: m.reason, updatedAt: m.updatedAt}
	s.wanted = true // the slot is free, and the card may look different now
	return nil
}

func (s *state) onClaimed(m claimed) []effect {
	c := s.cards[m.issueID]
	if c == nil {
		return nil
	}
	c.issue, c.bot, c.runID, c.fence, c.since = m.issue, m.bot, m.runID, m.issue.Fence(), m.at
	c.source, c.placed, c.phase = m.issue.State, m.issue.State, PhasePreparing
	return []effect{startBeat{issueID: m.issueID, fence: c.fence}}
}

func (s *state) onLaunched(m launched, now time.Time) []effect {
	c := s.cards[m.issueID]
	if c == nil {
		return nil
	}
	c.placed, c.phase, c.ran, c.runID = m.placed, PhaseRunning, m.unseen == nil || m.runID == c.resumes, m.runID
	c.workdir = cmp.Or(m.workdir, c.workdir)
	c.wanted, c.answered, c.pause, c.asks, c.failed, c.goErrs, c.waits, c.reason = "", false, "", "", false, 0, nil, ""
	if m.unseen != nil {
		s.infraTrouble(now, m.unseen.Error())
	} else if s.infra.fails > 0 { // the world works again: the others may follow
		s.infra, s.wanted = infra{}, true
	}
	fx := []effect{logInfo{"started", []any{"issue_id", m.issueID, "run_id", c.runID, "bot", c.bot.Slug, "attempt", c.attempt}}}
	switch {
	case c.lost:
		return append(fx, s.stopRun(c, machineStop("the claim was lost"))...)
	case c.stop != nil:
		return append(fx, s.resend(c)...)
	}
	return fx
}

// onStartFailed files a card that did not come to a run.
func (s *state) onStartFailed(m startFailed, now time.Time) []effect {
	c := s.cards[m.issueID]
	if c == nil {
		return nil
	}
	if m.kind == failTrouble {
		s.infraTrouble(now, m.err.Error())
	}
	if !m.claimed {
		delete(s.cards, m.issueID)
		s.touched[m.issueID] = true // a look under way knows nothing of a claim that may have landed
		s.wanted = true
		return nil
	}
	c.placed = m.placed
	return s.unwind(c, m, now)
}

func (s *state) unwind(c *card, m startFailed, now time.Time) []effect {
	back := plan{verdict: Revert, reason: m.err.Error(), to: c.source, cause: c.cause()}
	switch {
	case c.lost || m.kind == failLost:
		s.reportLoss(c, now)
		return []effect{s.file(c, plan{verdict: Lost, reason: "the claim was lost before the launch"})}
	case m.kind == failIneligible:
		return []effect{s.file(c, plan{verdict: Released, reason: m.err.Error()})}
	case m.kind == failPermanent:
		s.count(c, m.err.Error())
		return s.giveUp(c, m.err.Error(), true, now)
	case m.kind == failHook:
		return s.failed(c, m.err.Error(), now)
	case m.kind == failShutdown:
		return []effect{s.file(c, back)}
	}
	// Trouble, or a folder that somebody still works in: later, for free.
	return s.revert(c, m.err.Error(), s.backOff(c, m.err.Error(), now))
}

// onEnded judges a run that was waited for.
func (s *state) onEnded(m ended, now time.Time) []effect {
	c := s.cards[m.issueID]
	if c == nil || c.runID != m.runID || (c.phase != PhaseRunning && c.phase != PhaseStopping) {
		return nil
	}
	c.stamped = c.stamped || m.stamped
	s.learnRun(c, m.view, m.err)
	end, reason := judge(m.view, m.err)
	return s.conclude(c, end, reason, now)
}

func (s *state) learnRun(c *card, v RunView, err error) {
	if err != nil {
		return
	}
	rec := v.Record
	c.ran, c.retryAt, c.outcome = true, rec.RetryAt, rec.OutcomeSeq
	c.failed, c.answered, c.pause, c.asks = rec.Status == run.FailedResumable, v.Answered, rec.PauseReason, question(rec)
	if v.Record.Workdir != "" {
		c.workdir = v.Record.Workdir
	}
}

// onClaimLost stops the one run that the claim was for.
func (s *state) onClaimLost(m claimLost, now time.Time) []effect {
	c := s.cards[m.issueID]
	if c == nil || c.fence != m.fence || c.lost || c.phase == PhaseSettling {
		return nil // our own release, or a settlement that will find out by itself
	}
	s.reportLoss(c, now)
	switch c.phase {
	case PhaseParked, PhaseHeld:
		return []effect{s.file(c, plan{verdict: Lost, reason: "the claim was lost"})}
	case PhaseRunning, PhaseStopping:
		return s.stopRun(c, machineStop("the claim was lost"))
	}
	return []effect{abortStart{m.issueID}, endBeat{m.issueID}}
}

// reportLoss tells of a lost claim, once.
func (s *state) reportLoss(c *card, now time.Time) {
	if c.lost {
		return
	}
	c.lost = true
	s.trouble(now, "the claim on issue "+board.ShortID(c.issue.ID)+" was lost to somebody else"+ofRun(c.runID))
}

// onSetDesired pauses at once and unpauses when that is durable.
func (s *state) onSetDesired(m setDesired) []effect {
	if m.want.Desired == DesiredPaused {
		s.desired = m.want
	}
	return []effect{saveDesired(m)}
}

func (s *state) onDesiredSaved(m desiredSaved, now time.Time) []effect {
	if m.err != nil {
		s.trouble(now, "save the operator's intent: "+m.err.Error())
		err := fmt.Errorf("save the operator's intent: %w", m.err)
		if m.want.Desired == DesiredPaused {
			err = fmt.Errorf("paused only until the daemon ends: %w", err)
		}
		return []effect{replyError{to: m.reply, err: err}}
	}
	s.desired = m.want
	s.wanted = true
	return []effect{replyError{to: m.reply}}
}

// worldOf is the world as the guards would see it for a card.
func (s *state) worldOf(issueID string, now time.Time) world {
	w := s.world(issueID, "")
	w.kept = s.kept(now)
	w.slotsBy = map[string]int{}
	for _, c := range s.cards {
		if c.slot {
			w.slotsBy[c.source]++
		}
	}
	return w
}
