package dispatch

import (
	"errors"
	"fmt"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// stopRequest is what the dispatcher asks of a card's supervisor.
type stopRequest struct {
	verb, by, note string
	sent           bool
}

// machineStop is a stop in the dispatcher's own name.
func machineStop(note string) stopRequest {
	return stopRequest{verb: run.VerbStop, by: Actor, note: note}
}

// stopRun asks a card's supervisor to end the run. A request in flight stands,
// unless it was only for a pause.
func (s *state) stopRun(c *card, r stopRequest) []effect {
	if c.stop == nil || c.stop.verb == run.VerbPause && r.verb != run.VerbPause {
		c.stop = &r
	}
	return s.resend(c)
}

// resend sends a stop that did not get through yet, once there is a run to stop.
func (s *state) resend(c *card) []effect {
	if c.stop == nil || c.stop.sent || (c.phase != PhaseRunning && c.phase != PhaseStopping) {
		return nil
	}
	c.phase, c.stop.sent = PhaseStopping, true
	return []effect{sendStop{issueID: c.issue.ID, runID: c.runID, request: *c.stop}}
}

func (m stopTried) what() string {
	if m.issueID == "" {
		return "a run without a card"
	}
	return "the run of issue " + board.ShortID(m.issueID)
}

func (s *state) onStopTried(m stopTried, now time.Time) []effect {
	if m.err == nil {
		return nil
	}
	c := s.cards[m.issueID]
	if c != nil && c.stop != nil && c.stop.verb == run.VerbPause && errors.Is(m.err, ErrNotResumable) {
		c.noPause, c.stop = true, nil // it runs to its end
		if c.phase == PhaseStopping {
			c.phase = PhaseRunning
		}
		return nil
	}
	s.trouble(now, fmt.Sprintf("stop %s: %v", m.what(), m.err))
	if c != nil && c.stop != nil {
		c.stop.sent = false // the next reconcile sends it again
	}
	return nil
}

// onCancelAsked notes that a person's cancel is on its way to the supervisor.
func (s *state) onCancelAsked(m cancelAsked) []effect {
	s.wanted = true
	for _, c := range s.cards {
		if c.runID == m.runID && c.phase == PhaseRunning {
			c.phase = PhaseStopping
			c.stop = &stopRequest{verb: run.VerbCancel, sent: true}
		}
	}
	return nil
}

// onStopRuns cancels everything that runs. What is on its way to a run is handed
// back, or cancelled if it comes to one all the same.
func (s *state) onStopRuns(m stopRuns) []effect {
	s.stopping = true
	s.waiters = append(s.waiters, m.reply)
	var fx []effect
	for _, id := range sorted(s.cards) {
		if c := s.cards[id]; c.slot && c.phase != PhaseSettling {
			fx = append(fx, abortStart{id})
			fx = append(fx, s.stopRun(c, stopRequest{verb: run.VerbCancel, by: m.by, note: "the daemon was stopped"})...)
		}
	}
	for _, id := range sorted(s.directs) {
		switch d := s.directs[id]; {
		case !d.slot():
			delete(s.directs, id)
		case d.reserved && d.phase == PhaseLaunching: // there may be no run yet; it is ended when there is
		default:
			fx = append(fx, stopDirect(id, m.by))
		}
	}
	return fx
}

// answerWaiters tells those who asked for the end of all runs once no card
// occupies a slot.
func (s *state) answerWaiters() []effect {
	if len(s.waiters) == 0 || s.slotsUsed() > 0 {
		return nil
	}
	var fx []effect
	for _, w := range s.waiters {
		fx = append(fx, replyError{to: w})
	}
	s.waiters = nil
	return fx
}
