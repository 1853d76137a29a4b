package hostcron

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/sched/audit"
	"iterion/sched/gate"
)

// Tick decides the newest slot of the last ten minutes that nobody decided. Errors:
// *UnknownError, *Error for a row whose expression cannot be read,
// *filelock.HeldError when the lock did not come free, and what keeps a decision
// from being durable. Whatever else goes wrong is in the record.
func (c Clock) Tick(ctx context.Context) (Outcome, error) {
	if CheckName(c.Name) == nil {
		_ = TrimLog(c.Paths, c.Name) // a log that cannot be trimmed keeps no slot waiting
	}
	return c.locked(ctx, func(row Row) (Outcome, error) {
		out := Outcome{Schedule: row.Schedule, Disabled: row.Disabled}
		s, known, err := ReadState(c.Paths, c.Name)
		if err != nil {
			out.Record, err = c.blind(ctx, row, err)
			return out, err
		}
		if out.Settled, err = c.settle(ctx, row, &s); err != nil {
			return out, err
		}
		if row.Disabled {
			s.ArmedAt, s.Cron, s.TZ = c.now(), "", ""
			return out, s.write(c.Paths, c.Name, c.NoFsync)
		}
		return c.tick(ctx, row, s, known, out)
	})
}

// RunNow takes a run by hand through the gate, also of a schedule that is disabled.
// Errors as Tick, and any *Error of the row.
func (c Clock) RunNow(ctx context.Context) (Outcome, error) {
	return c.locked(ctx, func(row Row) (Outcome, error) {
		out := Outcome{Schedule: row.Schedule}
		if err := row.Err(); err != nil {
			return out, err
		}
		s, _, err := ReadState(c.Paths, c.Name)
		if err != nil {
			return out, err
		}
		if out.Settled, err = c.settle(ctx, row, &s); err != nil {
			return out, err
		}
		r, err := c.decide(ctx, row, s, Pending{})
		out.Record = r
		return out, err
	})
}

// tick looks for a slot and decides it. Without a state that was known, as where
// somebody removed one, the audit may tell that the slot was decided.
func (c Clock) tick(ctx context.Context, row Row, s State, known bool, out Outcome) (Outcome, error) {
	spec, err := row.Spec(c.Host)
	if err != nil {
		return out, errors.Join(row.Err(), err)
	}
	now := c.now()
	armed := s.armFor(row.Schedule, now)
	d, err := s.look(spec, now, c.decided)
	if err == nil && !known {
		err = d.withoutState(&s, c.decided)
	}
	if err != nil {
		return out, err
	}
	p := Pending{Slot: d.slot.UTC()}
	if d.missed.count > 0 {
		r := d.missed.record(c.base(row, now))
		p.Missed, out.Missed = &r, &r
	}
	switch {
	case !d.slot.IsZero():
		out.Record, err = c.decide(ctx, row, s, p)
	case p.Missed != nil:
		err = c.onlyMissed(ctx, s, p)
	case armed:
		err = s.write(c.Paths, c.Name, c.NoFsync)
	}
	return out, err
}

// blind refuses the slot of a tick that cannot know what was decided.
func (c Clock) blind(ctx context.Context, row Row, unread error) (*gate.Record, error) {
	spec, err := row.Spec(c.Host)
	if err != nil || row.Disabled {
		return nil, errors.Join(unread, row.Err())
	}
	now := c.now()
	slot, ok := spec.Last(now.Add(-Window), now)
	if !ok {
		return nil, unread
	}
	r := c.base(row, now)
	r.Slot, r.Decision, r.Error = slot.UTC(), gate.LaunchFailed, unread.Error()
	r.Reason = "mend the state file, or remove it to begin anew"
	made, err := c.once(ctx, nil, r)
	if len(made) == 0 {
		return nil, err
	}
	return &r, err
}

// decided asks the audit whether a slot has its record.
func (c Clock) decided(slot time.Time) (bool, error) {
	return c.recorded(ofKey(gate.Record{Surface: gate.HostCron, ScheduleID: c.Name, Slot: slot}))
}

func ofKey(r gate.Record) func(gate.Record) bool {
	key := r.Key()
	return func(there gate.Record) bool { return there.Key() == key }
}

// recorded looks through the whole audit; it is for what happens rarely.
func (c Clock) recorded(is func(gate.Record) bool) (found bool, err error) {
	_, err = c.Audit.Read(audit.Filter{ID: c.Name, Surface: gate.HostCron}, func(r gate.Record) error {
		if found = is(r); found {
			return audit.ErrStop
		}
		return nil
	})
	return found, err
}

// onlyMissed records slots that passed, when none is due.
func (c Clock) onlyMissed(ctx context.Context, s State, p Pending) error {
	p.At = c.now()
	ctx = context.WithoutCancel(ctx)
	s.Slot, s.Decision, s.DecidedAt, s.RunID = p.Missed.Slot, gate.Missed, p.At, ""
	settled := s
	s.Pending = append(s.Pending, p)
	if err := c.write(s, "pend"); err != nil {
		return err
	}
	if _, err := c.Audit.AppendOnce(ctx, *p.Missed); err != nil {
		return err
	}
	c.at("missed")
	return c.write(settled, "clear")
}

// decide takes one decision through the gate: p has its slot, or none for a run by
// hand, and what was missed before it.
func (c Clock) decide(ctx context.Context, row Row, s State, p Pending) (*gate.Record, error) {
	p.RunID, p.At, p.BotID, p.Cron = c.NewRunID(), c.now(), row.Bot, row.clockText()
	job, jobErr := c.prepare(ctx, row)
	p.StoreDir = job.StoreDir
	before := s.Pending
	s.Pending = append(s.Pending[:len(s.Pending):len(s.Pending)], p)
	s.RunID, s.Decision, s.DecidedAt = p.RunID, "", p.At
	if !p.Slot.IsZero() && !s.ahead(p.At) {
		s.Slot = p.Slot
	}
	if err := c.write(s, "pend"); err != nil {
		return nil, err
	}
	if p.Missed != nil {
		if _, err := c.Audit.AppendOnce(context.WithoutCancel(ctx), *p.Missed); err != nil {
			return nil, err
		}
		c.at("missed")
	}
	r := late(c.cross(ctx, row, p, job, jobErr), p)
	c.at("gate")
	// The decision has been made. Being told to stop is no reason to keep quiet of it.
	if _, err := c.Audit.AppendOnce(context.WithoutCancel(ctx), r); err != nil {
		return &r, err
	}
	c.at("record")
	s.Pending, s.Decision, s.RunID = before, r.Decision, r.RunID
	return &r, c.write(s, "clear")
}

func (c Clock) prepare(ctx context.Context, row Row) (Job, error) {
	if err := row.Err(); err != nil {
		return Job{}, err
	}
	return c.Prepare(ctx, row.Schedule)
}

// cross holds the store's lock while the gate decides.
func (c Clock) cross(ctx context.Context, row Row, p Pending, job Job, jobErr error) gate.Record {
	r := c.base(row, p.At)
	r.Slot, r.RunID, r.Decision = p.Slot, p.RunID, gate.LaunchFailed
	if jobErr != nil {
		r.Error = jobErr.Error()
		return r
	}
	lock, _, err := c.acquire(ctx, job.Lock)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	defer lock.Release()
	return gate.Decide(ctx, gate.Request{
		Tick: gate.Tick{Surface: gate.HostCron, ScheduleID: c.Name, ScheduleName: c.Name, BotID: row.Bot,
			Cron: row.clockText(), Slot: p.Slot, At: p.At, RunID: p.RunID},
		Policy: row.Policy, Vars: job.Vars, Workdir: job.Workdir, Env: job.Env,
	}, job.Ports)
}

// late adds to a record how late its slot was taken up. Cron itself is a few seconds
// late on a busy machine.
func late(r gate.Record, p Pending) gate.Record {
	by := p.At.Sub(p.Slot)
	if p.Slot.IsZero() || by < time.Minute {
		return r
	}
	text := fmt.Sprintf("catch-up, %s late", by.Round(time.Second))
	if r.Reason != "" {
		text += "; " + r.Reason
	}
	r.Reason = text
	return r
}

// base is what all records of a schedule have in common.
func (c Clock) base(row Row, at time.Time) gate.Record {
	return gate.Record{Schema: gate.Schema, Surface: gate.HostCron, ScheduleID: c.Name, ScheduleName: c.Name,
		BotID: row.Bot, Cron: row.clockText(), At: at}
}

func (c Clock) write(s State, step string) error {
	if err := s.write(c.Paths, c.Name, c.NoFsync); err != nil {
		return err
	}
	c.at(step)
	return nil
}

func (c Clock) at(step string) {
	if c.fault != nil {
		c.fault(step)
	}
}

// now is the wall clock: what a state says must hold across processes.
func (c Clock) now() time.Time {
	if c.Now != nil {
		return c.Now().Round(0).UTC()
	}
	return time.Now().Round(0).UTC()
}
