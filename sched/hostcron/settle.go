package hostcron

import (
	"context"
	"fmt"
	"time"

	"iterion/sched/gate"
)

// settle gives the decisions of deciders that died their records. The caller holds
// the schedule's lock, so nobody is at work on them. What cannot be told stays
// pending.
func (c Clock) settle(ctx context.Context, row Row, s *State) ([]gate.Record, error) {
	if len(s.Pending) == 0 {
		return nil, nil
	}
	var out []gate.Record
	var left []Pending
	for _, p := range s.Pending {
		made, sure, err := c.settleOne(ctx, row, p)
		if err != nil {
			return out, fmt.Errorf("schedule %s: settle the slot of a tick that died: %w", c.Name, err)
		}
		out = append(out, made...)
		if !sure {
			p.Missed = nil // written already
			left = append(left, p)
		}
	}
	s.Pending = left
	if n := len(out); n > 0 && s.Decision == "" {
		s.Decision, s.RunID = out[n-1].Decision, out[n-1].RunID
	}
	return out, c.write(*s, "settle")
}

// settleOne writes what one pending entry owes and was not written.
func (c Clock) settleOne(ctx context.Context, row Row, p Pending) (made []gate.Record, sure bool, err error) {
	if p.Missed != nil {
		if made, err = c.once(ctx, made, *p.Missed); err != nil {
			return made, false, err
		}
	}
	if p.RunID == "" {
		return made, true, nil
	}
	r := c.base(row, c.now())
	r.BotID, r.Cron, r.Slot, r.RunID = p.BotID, p.Cron, p.Slot, p.RunID
	is := ofKey(r)
	if p.Slot.IsZero() {
		// One by hand that made no run does not name it. None was decided since.
		is = func(there gate.Record) bool {
			return there.Slot.IsZero() && (there.RunID == p.RunID || there.RunID == "" && !there.At.Before(p.At))
		}
	}
	if found, err := c.recorded(is); found || err != nil {
		return made, true, err
	}
	exists := false
	if p.StoreDir != "" {
		if exists, err = c.RunExists(ctx, p.StoreDir, p.RunID); err != nil {
			return made, false, nil
		}
	}
	who := "the tick that decided this slot"
	if p.Slot.IsZero() {
		who = "the run by hand"
	}
	began := ", begun at " + p.At.Format(time.RFC3339)
	r.Decision, r.Reason = gate.LaunchFailed, who+" died before the launch"+began
	if exists {
		r.Decision, r.Reason = gate.Fired, who+" died after the launch"+began
	} else if err := gate.EndLeft(ctx, p.RunID); err != nil {
		r.Error = "its guard left something behind: " + err.Error()
	}
	made, err = c.once(ctx, made, r)
	return made, true, err
}

// once appends a record unless the audit has it, however far back.
func (c Clock) once(ctx context.Context, made []gate.Record, r gate.Record) ([]gate.Record, error) {
	found, err := c.recorded(ofKey(r))
	if found || err != nil {
		return made, err
	}
	if _, err := c.Audit.AppendOnce(ctx, r); err != nil {
		return made, err
	}
	return append(made, r), nil
}
