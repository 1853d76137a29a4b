package daemon

import (
	"context"
	"errors"
	"fmt"

	"iterion/daemon/control"
	"iterion/native/board"
	"iterion/sched/audit"
	"iterion/sched/gate"
	"iterion/sched/resident"
	"iterion/sched/trigger"
)

// noClocks refuses for a daemon that only dispatches.
func (d service) noClocks() error {
	if d.singleton.Load() {
		return nil
	}
	return fmt.Errorf("%w: this daemon only dispatches; the clocks of the store are with the one that owns its singletons", board.ErrConflict)
}

// Schedules returns the clocks, see control.Clocking.
func (d service) Schedules(ctx context.Context) ([]resident.Row, error) {
	if err := d.noClocks(); err != nil {
		return nil, err
	}
	return d.clocks.List(ctx)
}

// RunSchedule takes a schedule through its gate by hand, see control.Clocking. It goes
// on when the client hangs up.
func (d service) RunSchedule(ctx context.Context, ref string, by control.By) (gate.Record, error) {
	if err := d.noClocks(); err != nil {
		return gate.Record{}, err
	}
	rec, err := d.clocks.RunNow(context.WithoutCancel(ctx), ref, by.By)
	return rec, asClockTrouble(err)
}

// SetSchedule puts a schedule in force or takes it out, see control.Clocking.
func (d service) SetSchedule(ctx context.Context, ref string, in control.SetSchedule) (resident.Row, error) {
	if err := d.noClocks(); err != nil {
		return resident.Row{}, err
	}
	options := TriggerOptions(d.o.Layout, d.bots)
	set, err := trigger.Load(options)
	if err != nil {
		return resident.Row{}, fmt.Errorf("%w: %w", board.ErrInvalid, err)
	}
	if sub, err := set.Get(ref); err == nil && !sub.Clock() {
		return resident.Row{}, fmt.Errorf("subscription %s: %w: it is not fired by a clock", ref, board.ErrInvalid)
	}
	sub, err := trigger.File{Options: options, NoFsync: d.o.NoFsync}.Edit(ctx, ref, trigger.Setting{Key: "enabled", Value: in.Enabled})
	if err != nil {
		return resident.Row{}, asClockTrouble(err)
	}
	d.log.Info("schedule switched", "schedule_id", ref, "enabled", in.Enabled, "by", in.By)
	d.clocks.Reload()
	return resident.Describe(sub), nil
}

// Ticks reads the tick audit, see control.Clocking.
func (d service) Ticks(ctx context.Context, q control.TickQuery, send func(gate.Record) error) error {
	f := audit.Filter{ID: q.ID, Tail: q.Tail}
	if q.Follow {
		return d.audit.Follow(ctx, f, send)
	}
	_, err := d.audit.Read(f, send)
	return err
}

// asClockTrouble classes the refusals of the clocks and their subscriptions.
func asClockTrouble(err error) error {
	var held *resident.HeldError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &held), errors.Is(err, trigger.ErrUnknown), errors.Is(err, resident.ErrStopped):
		return fmt.Errorf("%w: %w", board.ErrConflict, err)
	case errors.Is(err, resident.ErrNoSchedule), errors.Is(err, trigger.ErrNoSubscription):
		return fmt.Errorf("%w: %w", board.ErrNotFound, err)
	case errors.Is(err, resident.ErrBroken), errors.Is(err, trigger.ErrInvalid):
		return fmt.Errorf("%w: %w", board.ErrInvalid, err)
	}
	return err
}
