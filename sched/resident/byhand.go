package resident

import (
	"context"
	"errors"
	"fmt"

	"iterion/sched/gate"
)

// ErrNoSchedule: there is no clock subscription of that id.
var ErrNoSchedule = errors.New("no such schedule")

// ErrBroken: the subscription cannot be used as it is written.
var ErrBroken = errors.New("the schedule cannot be used as it is")

// RunNow takes a schedule through the gate by hand, whether it is due, and in force,
// or not. What the gate says is in the record, which the audit has then. A *HeldError
// means that nothing may be started now; nothing is recorded then.
func (s *Scheduler) RunNow(ctx context.Context, id, by string) (gate.Record, error) {
	sub, ok, err := s.rowOf(ctx, id)
	switch {
	case err != nil:
		return gate.Record{}, err
	case !ok:
		return gate.Record{}, fmt.Errorf("schedule %s: %w", id, ErrNoSchedule)
	case sub.Problem != "":
		return gate.Record{}, fmt.Errorf("schedule %s: %w: %s", id, ErrBroken, sub.Problem)
	}
	j := job{s: s, id: id, sub: sub}
	runID := s.o.NewID()
	slot := j.reserve(ctx, runID, nil)
	defer slot.giveBack()
	if slot.held != nil {
		return gate.Record{}, slot.held
	}
	if slot.err != nil {
		return gate.Record{}, slot.err
	}
	rec, err := s.cross(ctx, sub, gate.Tick{
		Surface: gate.Trigger, ScheduleID: id, ScheduleName: id, BotID: sub.BotID, TenantID: sub.TenantID,
		Cron: clockText(sub), At: s.now().UTC(), RunID: runID,
	}, slot, by)
	if err != nil {
		return rec, err
	}
	rec.Reason = sentence("by hand"+byName(by), rec.Reason)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishWithin)
	defer cancel()
	if err := s.o.Audit.Append(ctx, rec); err != nil { // it has no slot, and so no key that a repeat could share
		return rec, fmt.Errorf("write the tick record: %w", err)
	}
	s.ranByHand(id, rec)
	return rec, nil
}

func byName(by string) string {
	if by == "" {
		return ""
	}
	return ", " + by
}

func sentence(a, b string) string {
	if b == "" {
		return a
	}
	return a + "; " + b
}
