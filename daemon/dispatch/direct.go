package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/board"
)

// direct is a run without a card. One that somebody wants to go on waits for a slot
// like a card does, and nothing of it is kept over a restart: while it waits it is
// a paused run that can be asked to go on again. One that a clock or an event starts
// never waits here: it has its slot from the beginning (reserve.go).
type direct struct {
	runID, title, bot, by string
	attempt, outcome      int
	asked                 time.Time
	phase                 string // claiming while it waits
	goAt                  time.Time
	errs                  int
	reason                string
	reserved              bool // started by somebody who asked for its slot, or found running
}

func (d *direct) slot() bool { return d.phase != PhaseClaiming }

func (s *state) queueDirect(m resumeAsked, now time.Time) []effect {
	rec := m.view.Record
	if d := s.directs[rec.ID]; d != nil {
		d.by, d.goAt = m.by, time.Time{}
		if d.phase == PhaseRunning && rec.OutcomeSeq > d.outcome {
			return []effect{replyError{to: m.reply, err: errGoesOn}}
		}
	} else {
		s.directs[rec.ID] = &direct{
			runID: rec.ID, title: rec.Name, bot: rec.Bot, by: m.by, attempt: rec.Attempt, outcome: rec.OutcomeSeq,
			asked: now, phase: PhaseClaiming,
		}
	}
	s.wanted = true
	return []effect{replyError{to: m.reply}}
}

// errGoesOn refuses what cannot be noted yet: the run waits again, and the end of
// the last time that it went on is still to be taken in.
var errGoesOn = fmt.Errorf("%w: the run has just stopped, ask again", board.ErrConflict)

// heldBackDirect says why a run without a card does not go on.
func (s *state) heldBackDirect(d *direct, now time.Time) (string, answer, bool) {
	if now.Before(d.goAt) {
		return guardResume, skip("tried again at "+clock(d.goAt)+": "+d.reason, ""), true
	}
	g, a, no := refuse(goOnGuards(), facts{world: s.world("", ""), now: now})
	return g.name, a, no
}

func (s *state) goOnDirect(d *direct) effect {
	d.phase = PhaseLaunching
	return directJob{resume: Resume{RunID: d.runID, Stall: s.cfg.Stall, By: d.by}, outcome: d.outcome}
}

// directJob lets a run without a card go on.
type directJob struct {
	resume  Resume
	outcome int
}

func (j directJob) do(ctx context.Context, d *Dispatcher) {
	d.tell(directTried{runID: j.resume.RunID, err: resumeRun(ctx, d, j.resume, j.outcome)})
}

// awaitDirect waits for the end of a run without a card.
type awaitDirect struct{ runID string }

func (e awaitDirect) do(ctx context.Context, d *Dispatcher) {
	_, err := d.opts.Runs.Await(ctx, e.runID)
	if err != nil && ctx.Err() != nil {
		return
	}
	d.tell(directEnded(e))
}

func (s *state) onDirectTried(m directTried, now time.Time) []effect {
	d := s.directs[m.runID]
	if d == nil {
		return nil
	}
	s.wanted = true
	switch {
	case m.err == nil:
		d.phase = PhaseRunning
		s.infra = infra{}
		return []effect{awaitDirect{m.runID}}
	case errors.Is(m.err, ErrUnanswered), errors.Is(m.err, ErrNotResumable), errors.Is(m.err, ErrRunGone):
		delete(s.directs, m.runID)
		s.trouble(now, m.err.Error())
	default:
		d.errs++
		d.phase, d.reason, d.goAt = PhaseClaiming, m.err.Error(), now.Add(backoff(time.Second, d.errs, time.Minute))
		s.infraTrouble(now, m.err.Error())
	}
	return nil
}

func (s *state) onDirectEnded(m directEnded) []effect {
	delete(s.directs, m.runID)
	s.wanted = true
	return nil
}

// waitingDirects are the runs without a card that wait, in the order of asking.
func (s *state) waitingDirects() []*direct {
	var out []*direct
	for _, id := range sorted(s.directs) {
		if d := s.directs[id]; !d.slot() {
			out = append(out, d)
		}
	}
	return out
}
