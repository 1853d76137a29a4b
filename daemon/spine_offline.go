package daemon

import (
	"context"

	"iterion/daemon/control"
	"iterion/sched/trigger/local"
)

// offlineTriggers is what files tell of triggers without a daemon.
func (d *Daemon) offlineTriggers(ctx context.Context) *control.TriggerStatus {
	l := d.o.Layout
	outbox := local.OpenOutbox(l.TriggerEffects(), l.TriggerEffectsLog(), local.Options{})
	look, err := measureSpine(ctx, outbox, local.OpenInbox(l.TriggerInbox(), local.Options{}), d.store)
	if err != nil {
		return &control.TriggerStatus{LastError: err.Error()}
	}
	st := new(control.TriggerStatus)
	look.fill(st)
	return st
}
