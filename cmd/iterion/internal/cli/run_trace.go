package cli

import (
	"context"

	"iterion/bots/supervise"
	"iterion/native"
	"iterion/sched/trigger"
)

// leaveTrace leaves the event of a run that a person has started. It launches
// nothing; a run that goes on without it is no failure.
func (f *Factory) leaveTrace(ctx context.Context, l native.Layout, spec supervise.Spec) {
	e := trigger.Launched(spec.RunID, spec.Bot.Slug(), f.Actor())
	if _, err := f.inbox(l).Put(ctx, e); err != nil {
		f.Warn("the event of run %s could not be left: %v", spec.RunID, err)
	}
}
