package resident

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/filelock"
	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// errNotLaunched gives a slot back that no run came to need.
var errNotLaunched = errors.New("nothing was launched")

// reservation is a slot of the dispatcher's, or why there is none.
type reservation struct {
	slots Slots
	runID string
	taken bool
	held  *HeldError
	err   error
}

// reserve asks for a slot for a row's run. A row that is refused for want of one may go
// on all the same: where a live run of its own is in the way the answer is known
// without a slot, and where one is to be ended that run has the slot. told, if not nil,
// hears what the dispatcher said.
func (j job) reserve(ctx context.Context, runID string, told func(refused bool)) *reservation {
	r := &reservation{slots: j.s.o.Slots, runID: runID}
	r.take(ctx, j.sub)
	if told != nil {
		told(!r.taken)
	}
	if r.held == nil || !r.held.Slots {
		return r
	}
	live, err := j.s.o.Runs.Live(ctx, j.id)
	if err != nil {
		return r // as long as nobody can say, it waits for the slot
	}
	if verdict := gate.Judge(j.sub.Policy(), live, j.s.now()); !verdict.Fire || len(verdict.End) > 0 {
		r.held = nil
	}
	return r
}

func (r *reservation) take(ctx context.Context, row trigger.Subscription) {
	r.held, r.err = nil, nil
	err := r.slots.Reserve(ctx, r.runID, row)
	if r.taken = err == nil; !r.taken && !errors.As(err, &r.held) {
		r.err = err
	}
}

// giveBack frees the slot unless a run has it.
func (r *reservation) giveBack() { r.told(errNotLaunched) }

func (r *reservation) told(err error) {
	if r.taken {
		r.taken = false
		r.slots.Launched(r.runID, err)
	}
}

// lateSlot is how long a launch waits for the slot of a run that was just ended.
const lateSlot = 5 * time.Second

// takeLate takes the slot right before the launch, where none was taken before.
func (r *reservation) takeLate(ctx context.Context, row trigger.Subscription) error {
	over := time.Now().Add(lateSlot)
	for !r.taken {
		r.take(ctx, row)
		switch {
		case r.err != nil:
			return r.err
		case r.held == nil:
		case !r.held.Slots || time.Now().After(over):
			return r.held
		default:
			if !pause(ctx, 20*time.Millisecond) {
				return ctx.Err()
			}
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// decide takes a slot through the gate. An error means that nothing was decided.
func (j job) decide(ctx context.Context, in *Intent, slot *reservation) (gate.Record, error) {
	now := j.s.now()
	rec, err := j.s.cross(ctx, j.sub, gate.Tick{
		Surface: gate.Trigger, ScheduleID: j.id, ScheduleName: j.id, BotID: j.sub.BotID, TenantID: j.sub.TenantID,
		Cron: in.Cron, Slot: in.Slot, At: now.UTC(), RunID: in.RunID,
	}, slot, "schedule "+j.id)
	return late(rec, in, now), err
}

// cross holds the schedule's lock from the overlap check until the run exists.
func (s *Scheduler) cross(ctx context.Context, sub trigger.Subscription, t gate.Tick, slot *reservation, by string) (gate.Record, error) {
	wait := sub.Policy().Filled().GuardTimeout + filelock.DefaultWait // another decider may be at its guard
	lock, err := filelock.Acquire(ctx, s.o.LockPath(sub.ID), filelock.Options{Wait: wait})
	if err != nil {
		return gate.Record{}, fmt.Errorf("lock schedule %s: %w", sub.ID, err)
	}
	defer lock.Release()
	if now := s.now().UTC(); now.After(t.At) {
		t.At = now
	}
	var undecided error
	req := gate.Request{Tick: t, Policy: sub.Policy(), Vars: sub.Vars, Workdir: s.workdir(sub), Env: s.o.Env, MayReap: true}
	rec := gate.Decide(ctx, req, gate.Ports{
		Live: s.o.Runs.Live, End: s.o.Runs.End, Now: s.now,
		Launch: func(ctx context.Context, runID string, vars map[string]string) error {
			if undecided = slot.takeLate(ctx, sub); undecided != nil {
				return undecided
			}
			err := s.o.Runs.Launch(ctx, Launch{RunID: runID, Row: sub, Vars: vars, Workdir: req.Workdir, Slot: t.Slot, By: by})
			slot.told(err)
			return err
		},
	})
	if undecided != nil {
		return rec, undecided
	}
	if rec.Decision != gate.Fired && ctx.Err() != nil { // cut short: it says nothing
		return rec, ctx.Err()
	}
	return rec, nil
}

func (s *Scheduler) workdir(sub trigger.Subscription) string {
	if sub.Workdir != "" {
		return sub.Workdir
	}
	return s.o.Workdir
}
