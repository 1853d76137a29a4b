package resident

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/sched/audit"
	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// job is one row that is due, in the hands of a worker. It holds copies alone.
type job struct {
	s       *Scheduler
	id      string
	sub     trigger.Subscription
	clock   clock // nil: the row is not in force any more
	gone    bool
	entry   Entry
	started time.Time // of this scheduler

	fresh   bool
	waiting bool
	decided *gate.Record
}

// outcome is what came of a job.
type outcome struct {
	intent  *Intent // what is left of it
	through time.Time
	changed bool // the calendar is to be written

	record  *gate.Record // the decision, once the audit has it
	fresh   bool
	waiting bool         // for a free slot, since this process planned it
	decided *gate.Record // decided, and the audit does not have it
	held    bool
	err     error // why it came to no end; it is tried again
}

// run takes a row as far as it goes.
func (j job) run(ctx context.Context) outcome {
	in := j.entry.Intent
	wasHeld := in != nil && in.Held != nil && !j.gone
	var slot *reservation
	switch {
	case in == nil || in.Missed:
	case wasHeld: // asked before anything is folded: most of the time the answer is no
		if slot = j.reserve(ctx, in.RunID, j.s.asked); slot.err != nil {
			return j.again(in, slot.err)
		} else if slot.held != nil {
			return j.stillHeld(in, slot.held)
		}
	default:
		if out, done := j.recall(ctx, in); done {
			return out
		}
		if err := j.tellFolded(ctx); err != nil {
			return j.again(in, err)
		}
	}
	now := j.s.now()
	in, through := j.plan(now)
	if in == nil {
		return outcome{through: through}
	}
	if !in.Missed && slot == nil {
		if slot = j.reserve(ctx, in.RunID, nil); slot.err != nil {
			return j.again(j.entry.Intent, slot.err)
		}
	}
	if slot == nil {
		slot = &reservation{}
	}
	defer slot.giveBack()
	in.Held = nil
	if slot.held != nil {
		in.Held = heldBy(slot.held, now)
	}
	j.fresh = j.fresh || j.entry.Intent == nil
	if err := j.s.commit(j.id, in, through); err != nil {
		return outcome{intent: in, through: through, fresh: j.fresh, err: err}
	}
	return j.settle(ctx, in, through, slot)
}

// settle has a durable intention.
func (j job) settle(ctx context.Context, in *Intent, through time.Time, slot *reservation) outcome {
	out := outcome{intent: in, through: through, fresh: j.fresh}
	if in.Held != nil {
		out.held, out.waiting = true, in.Held.Slots && (j.fresh || j.waiting)
		return out
	}
	if in.Folded > 0 && !in.Missed {
		if out.err = j.append(ctx, j.folded(in)); out.err != nil {
			return out
		}
		out.intent = in.unfolded()
	}
	if in.Missed {
		return j.record(ctx, out, j.missed(in))
	}
	rec, err := j.decide(ctx, in, slot)
	var held *HeldError
	if errors.As(err, &held) { // the slot was gone before the launch
		next := *out.intent
		next.Held = heldBy(held, j.s.now())
		out.intent, out.held, out.changed, out.waiting = &next, true, true, held.Slots && (j.fresh || j.waiting)
		return out
	}
	if err != nil {
		out.err = err
		return out
	}
	return j.record(ctx, out, rec)
}

// record tells the audit what was decided; the intention is dealt with then.
func (j job) record(ctx context.Context, out outcome, rec gate.Record) outcome {
	if out.err = j.append(ctx, rec); out.err != nil {
		out.decided = &rec
		return out
	}
	out.intent, out.changed, out.record, out.fresh = nil, true, &rec, false
	j.s.verdict(ctx, j.id, rec, j.entry.LastError)
	return out
}

// append writes a record unless it is there. It is not cut short by the end of the
// scheduler: what was decided is to be written down.
func (j job) append(ctx context.Context, rec gate.Record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishWithin)
	defer cancel()
	if _, err := j.s.o.Audit.AppendOnce(ctx, rec); err != nil {
		return fmt.Errorf("write the tick record: %w", err)
	}
	return nil
}

// verdict tells of the health of the binding when that changed.
func (s *Scheduler) verdict(ctx context.Context, id string, rec gate.Record, was string) {
	now, ok := verdictOf(rec)
	if !ok || now == was || s.o.Verdict == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishWithin)
	defer cancel()
	s.o.Verdict(ctx, id, now)
}

func (j job) again(in *Intent, err error) outcome {
	return outcome{intent: in, through: j.entry.Through, fresh: j.fresh, waiting: j.waiting, err: err}
}

func (j job) stillHeld(in *Intent, by *HeldError) outcome {
	next := *in
	next.Held = heldBy(by, in.Held.Since)
	return outcome{intent: &next, through: j.entry.Through, fresh: j.fresh, waiting: j.waiting && by.Slots, held: true}
}

func heldBy(by *HeldError, since time.Time) *Held {
	return &Held{Since: since.UTC(), Guard: by.Guard, Reason: by.Reason, Slots: by.Slots}
}

// recall finds out what became of an intention whose decider died, or did not come to
// an end.
func (j job) recall(ctx context.Context, in *Intent) (outcome, bool) {
	out := outcome{intent: in, through: j.entry.Through, fresh: j.fresh}
	if j.decided != nil {
		return j.record(ctx, out, *j.decided), true
	}
	if rec, err := j.inAudit(in); err != nil {
		return j.again(in, err), true
	} else if rec != nil {
		out.intent, out.changed, out.record = nil, true, rec
		return out, true
	}
	made, unstarted, err := j.s.o.Runs.Made(ctx, in.RunID)
	if err != nil {
		return j.again(in, fmt.Errorf("look for run %s: %w", in.RunID, err)), true
	}
	if !made {
		j.endLeft(ctx, in)
		return out, false
	}
	return j.record(ctx, out, j.firedBefore(in, unstarted)), true
}

// endLeft ends what the guard of an intention left behind whose decider was killed.
// What withstands is told, and holds nothing up: the schedule has nothing to do with
// it any more.
func (j job) endLeft(ctx context.Context, in *Intent) {
	if j.fresh { // this life ends its own guards
		return
	}
	if err := gate.EndLeft(ctx, in.RunID); err != nil && ctx.Err() == nil {
		j.s.o.Log.Warn("something is left of a schedule's guard", "schedule_id", j.id, "run_id", in.RunID, "err", err)
	}
}

// tellFolded tells the audit of the slots that an intention had folded before it was
// cut off, unless it was told. What comes due since is folded for itself: nothing is
// told twice.
func (j *job) tellFolded(ctx context.Context) error {
	in := j.entry.Intent
	if in.Folded == 0 {
		return nil
	}
	if err := j.append(ctx, j.folded(in)); err != nil {
		return err
	}
	j.entry.Intent = in.unfolded()
	return nil
}

// unfolded is the intention without the slots that the audit was told of.
func (in *Intent) unfolded() *Intent {
	next := *in
	next.Folded, next.FoldedFirst, next.FoldedLast = 0, time.Time{}, time.Time{}
	return &next
}

// inAudit finds the record of an intention's slot.
func (j job) inAudit(in *Intent) (found *gate.Record, err error) {
	key := j.blank(in).Key()
	_, err = j.s.o.Audit.Read(audit.Filter{ID: j.id, Surface: gate.Trigger, Since: in.Slot}, func(r gate.Record) error {
		if r.Key() == key {
			found = &r
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for the tick record: %w", err)
	}
	return found, nil
}
