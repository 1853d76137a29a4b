package daemon

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"iterion/daemon/control"
	"iterion/native/board"
	"iterion/sched/trigger"
)

// noTriggers refuses for a daemon that only dispatches.
func (d service) noTriggers() error {
	if d.singleton.Load() {
		return nil
	}
	return fmt.Errorf("%w: this daemon only dispatches; triggers are with the one that owns the store's singletons", board.ErrConflict)
}

// Subscriptions returns what there is to be fired, see control.Triggering.
func (d service) Subscriptions(context.Context) (control.Subscriptions, error) {
	set, err := trigger.Load(TriggerOptions(d.o.Layout, d.bots))
	if err != nil {
		return control.Subscriptions{}, fmt.Errorf("%w: %w", board.ErrInvalid, err)
	}
	out := control.Subscriptions{All: set.All()}
	for _, p := range set.Problems {
		out.Problems = append(out.Problems, p.String())
	}
	return out, nil
}

// SetSubscription puts a subscription in force or takes it out.
func (d service) SetSubscription(ctx context.Context, id string, in control.SetSchedule) (trigger.Subscription, error) {
	if err := d.noTriggers(); err != nil {
		return trigger.Subscription{}, err
	}
	file := trigger.File{Options: TriggerOptions(d.o.Layout, d.bots), NoFsync: d.o.NoFsync}
	sub, err := file.Edit(ctx, id, trigger.Setting{Key: "enabled", Value: in.Enabled})
	if err != nil {
		return sub, asClockTrouble(err)
	}
	d.log.Info("subscription switched", "subscription_id", id, "enabled", in.Enabled, "by", in.By)
	d.clocks.Reload()
	d.sight.spine.look()
	return sub, nil
}

// Effects returns the newest effects, and all that have failed.
func (d service) Effects(ctx context.Context) ([]trigger.Effect, error) {
	if err := d.noTriggers(); err != nil {
		return nil, err
	}
	all, err := d.sight.spine.outbox.List(ctx, trigger.EffectQuery{})
	out := []trigger.Effect{}
	others := 0
	for _, e := range all {
		if e.State != trigger.Failed {
			if others++; others > control.EffectsMax {
				continue
			}
		}
		out = append(out, e)
	}
	return out, err
}

// RetryEffect lets an effect be tried again now.
func (d service) RetryEffect(ctx context.Context, id string, by control.By) (trigger.Effect, error) {
	if err := d.noTriggers(); err != nil {
		return trigger.Effect{}, err
	}
	e, err := d.sight.spine.outbox.Retry(ctx, id, time.Now().UTC())
	if err == nil {
		d.log.Info("effect is tried again", "effect_id", id, "by", by.By)
		d.sight.spine.worker.Wake()
	}
	return e, err
}

// DropEffect calls an effect off.
func (d service) DropEffect(ctx context.Context, id string, by control.By) (trigger.Effect, error) {
	if err := d.noTriggers(); err != nil {
		return trigger.Effect{}, err
	}
	e, err := d.sight.spine.outbox.Get(ctx, id)
	if err == nil {
		err = d.sight.spine.outbox.Drop(ctx, id)
	}
	if err == nil {
		d.log.Info("effect was called off", "effect_id", id, "by", by.By)
	}
	return e, err
}

// Emit leaves an event.
func (d service) Emit(ctx context.Context, in control.EmitEvent) (trigger.Event, error) {
	source := cmp.Or(in.Source, trigger.SourceCustom)
	e := trigger.Event{
		ID: trigger.NewEventID(source, in.Key), Source: source, Kind: in.Kind, Subject: in.Subject, Labels: in.Labels,
		Actor: in.By, OccurredAt: time.Now().UTC(),
	}
	if len(in.Vars) > 0 {
		e.Payload = map[string]any{"vars": in.Vars}
	}
	if err := trigger.CheckEmit(e); err != nil {
		return e, err
	}
	s := d.sight.spine
	if err := trigger.Arm(ctx, s.outbox, d.store, s.inbox); err != nil {
		return e, err
	}
	_, err := s.inbox.Put(ctx, e)
	s.reader.Nudge()
	return e, err
}
