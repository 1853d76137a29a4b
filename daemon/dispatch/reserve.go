package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"iterion/native/run"
)

// Direct is a run without a card that a clock or an event is about to start.
type Direct struct {
	RunID string // fixed and durable with whoever asks
	Title string
	Bot   string
	By    string // what starts it, for people: "schedule nightly"
}

// HeldBackError says that nothing may be started now. It is no failure: whoever asked
// keeps its intention and asks again. A free slot or the end of a pause shows in the
// snapshot.
type HeldBackError struct {
	Guard  string // the dispatch guard that refused, see the Guard constants
	Reason string // for people
	Remedy string // what to do about it; may be empty
}

func (e *HeldBackError) Error() string {
	if e.Remedy == "" {
		return "held back: " + e.Reason
	}
	return "held back: " + e.Reason + " (" + e.Remedy + ")"
}

// The dispatch guards that hold back a run without a card.
const (
	GuardPaused = guardPaused // a pause, an untrusted store, trouble of the world, the start or the end of the daemon
	GuardSpend  = guardSpend  // the day's cap, or a ledger that cannot be read
	GuardSlots  = guardSlots
)

// Reserve takes a slot for a run without a card. The caller then makes the run, under
// the id that it gave, and must tell Launched in any case. nil means that the slot is
// the run's; asking again for one that has its slot is harmless. A *HeldBackError means
// that nothing may start now; any other error comes of ctx, or is ErrStopped.
func (d *Dispatcher) Reserve(ctx context.Context, of Direct) error {
	reply := make(chan error, 1)
	if err := d.post(ctx, reserveAsked{of: of, reply: reply}); err != nil {
		return err
	}
	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
		d.Launched(of.RunID, ctx.Err()) // comes behind the question
		return ctx.Err()
	case <-d.done:
		return ErrStopped
	}
}

// Launched says what came of a reserved run. After an error, which means that there
// is no such run, the slot is free at once; else it is when the run has ended or is
// paused.
func (d *Dispatcher) Launched(runID string, err error) {
	d.tell(reservedTried{runID: runID, err: err})
}

// TakeOverRuns counts live runs without a card against the slots that somebody else
// has started. A dispatcher does the same when it starts.
func (d *Dispatcher) TakeOverRuns() { d.tell(takeOverAsked{}) }

func (s *state) onReserveAsked(m reserveAsked, now time.Time) []effect {
	delete(s.asking, m.of.RunID)
	if s.directs[m.of.RunID] != nil {
		return []effect{replyError{to: m.reply}}
	}
	f := facts{world: s.world("", ""), now: now}
	f.booting = f.booting || s.lastTick.IsZero() // what is spent is not known before
	if g, a, no := refuse(goOnGuards(), f); no {
		if g.name == guardSlots {
			s.asking[m.of.RunID] = now
		}
		return []effect{replyError{to: m.reply, err: &HeldBackError{Guard: g.name, Reason: a.reason, Remedy: a.remedy}}}
	}
	s.cardsDue = true
	s.directs[m.of.RunID] = &direct{
		runID: m.of.RunID, title: m.of.Title, bot: m.of.Bot, by: m.of.By, attempt: 1,
		asked: now, phase: PhaseLaunching, reserved: true,
	}
	return []effect{replyError{to: m.reply}}
}

// askAgain is how long a slot is kept for somebody who asked for one in vain.
const askAgain = 30 * time.Second

// kept is how many free slots cards leave alone: one for those who asked in vain and
// will again, unless the last one was theirs. So neither starves the other.
func (s *state) kept(now time.Time) int {
	for id, at := range s.asking {
		if now.Sub(at) >= askAgain || at.After(now) {
			delete(s.asking, id)
		}
	}
	if len(s.asking) == 0 || s.cardsDue {
		return 0
	}
	return 1
}

func (s *state) onReservedTried(m reservedTried) []effect {
	d := s.directs[m.runID]
	if d == nil || !d.reserved || d.phase != PhaseLaunching {
		return nil
	}
	s.wanted = true // a slot is free, or the world works again
	if m.err != nil {
		delete(s.directs, m.runID)
		return nil
	}
	d.phase, s.infra = PhaseRunning, infra{}
	fx := []effect{awaitDirect{m.runID}}
	if s.stopping {
		fx = append(fx, stopDirect(m.runID, Actor))
	}
	return fx
}

// stopDirect cancels a run without a card because all runs are to end.
func stopDirect(runID, by string) effect {
	return sendStop{runID: runID, request: stopRequest{verb: run.VerbCancel, by: by, note: "the daemon was stopped"}}
}

// findRuns looks for live runs without a card that a clock or an event has started.
type findRuns struct{}

func (findRuns) do(ctx context.Context, d *Dispatcher) {
	found, err := d.opts.Runs.LiveWithoutCard(ctx)
	if ctx.Err() == nil {
		d.tell(runsFound{runs: found, err: err})
	}
}

func (s *state) onRunsFound(m runsFound, now time.Time) []effect {
	if m.err != nil {
		s.trouble(now, "look for runs that clocks and events have started: "+m.err.Error())
	}
	return s.takeOver(m.runs)
}

// takeOver gives live runs without a card their slots, also beyond the number of
// slots, and waits for their ends.
func (s *state) takeOver(found []RunView) []effect {
	var fx []effect
	for _, v := range found {
		rec := v.Record
		if s.directs[rec.ID] != nil || rec.Status != run.Queued && rec.Status != run.Running {
			continue
		}
		s.directs[rec.ID] = &direct{
			runID: rec.ID, title: rec.Name, bot: rec.Bot, by: startedBy(rec.Source), attempt: rec.Attempt,
			outcome: rec.OutcomeSeq, asked: rec.CreatedAt, phase: PhaseRunning, reserved: true,
		}
		fx = append(fx, awaitDirect{rec.ID})
	}
	return fx
}

// startedBy says in words what started a run without a card.
func startedBy(src run.Source) string {
	of := cmp.Or(src.ScheduleName, src.ScheduleID, src.SubscriptionID)
	return fmt.Sprintf("%s %s", src.Kind, of)
}
