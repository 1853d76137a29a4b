package daemon

import (
	"context"
	"fmt"
	"time"

	"iterion/daemon/dispatch"
	"iterion/sched/trigger"
)

const (
	// idlePace is how often a daemon that works until nothing is left looks for what
	// events owe.
	idlePace = time.Second / 4
	// idleLooks is how often in a row it must see the same before it ends although
	// launches are held, or what is owed cannot be read. A slot that was just freed
	// goes to one of them meanwhile.
	idleLooks = 12
)

// untilIdle stops the daemon when there is nothing left to do, or nothing that it
// may do.
func (d *Daemon) untilIdle(ctx context.Context) error {
	changed, cancel := d.disp.Subscribe()
	defer cancel()
	for looks := 0; ; {
		s := d.disp.Snapshot()
		if s.Ready && s.Idle {
			left, held, err := d.sight.spine.owed(ctx)
			switch {
			case left > 0:
				looks = 0
			case err != nil && looks < idleLooks, held > 0 && looks < idleLooks:
				looks++
			case err != nil:
				return fmt.Errorf("look for what triggers owe: %w", err)
			case len(s.Queue)+held > 0 && s.Desired.Desired == dispatch.DesiredPaused:
				return pausedWith(s, held)
			default:
				d.stop()
				return nil
			}
		}
		if !idleWait(ctx, changed) {
			return nil
		}
	}
}

func pausedWith(s dispatch.Snapshot, held int) *PausedError {
	e := &PausedError{Waiting: len(s.Queue), Launches: held, Reason: "dispatch is paused"}
	if len(s.Queue) > 0 {
		e.Reason = s.Queue[0].Reason
	} else if s.Desired.Reason != "" {
		e.Reason += ": " + s.Desired.Reason
	}
	return e
}

// idleWait waits for the next look and reports whether there is one.
func idleWait(ctx context.Context, changed <-chan struct{}) bool {
	t := time.NewTimer(idlePace)
	defer t.Stop()
	select {
	case <-changed:
	case <-t.C:
	case <-ctx.Done():
		return false
	}
	return ctx.Err() == nil
}

// owed counts what is left to do: events that were not looked at and effects that have
// not come to their ends. Launches that are held are counted apart.
func (s *spine) owed(ctx context.Context) (left, held int, err error) {
	if !s.reigns() {
		return 0, 0, nil
	}
	if _, err := trigger.TellOutcomes(ctx, s.inbox, s.d.runs); err != nil {
		return 0, 0, err
	}
	look, err := s.measure(ctx)
	if err != nil {
		return 0, 0, err
	}
	open, err := s.outbox.List(ctx, trigger.EffectQuery{States: []trigger.EffectState{trigger.Pending, trigger.Claimed}})
	for _, e := range open {
		if e.Held {
			held++
		}
	}
	return int(look.boardLag+look.inboxLag) + len(open) - held, held, err
}
