package resident

import (
	"fmt"
	"time"

	"iterion/sched/cronspec"
	"iterion/sched/trigger"
)

const (
	// longestWait is how long a timer may be before the wall clock is read again.
	longestWait = 30 * time.Second
	// onTime is how late a slot may be decided and still be on time: a timer's
	// longest wait, and as much for a machine that is busy.
	onTime = 2 * longestWait
	// defaultCatchUp is how late a slot of a cron kind may be decided.
	defaultCatchUp = 10 * time.Minute
	// mostCounted bounds the counting of slots that passed.
	mostCounted = 100_000
)

// clock says when a row is due.
type clock interface {
	// next returns the first slot behind an instant.
	next(after time.Time) time.Time
	// passed returns the slots in (after, until]: the newest, the one before that, and
	// how many there are, at most mostCounted.
	passed(after, until time.Time) (newest, before time.Time, n int)
}

// clockOf returns the clock of a subscription, and the text by which it is told
// whether the clock was edited.
func clockOf(s trigger.Subscription, host *time.Location) (clock, string, error) {
	if s.Invocation == trigger.OnKeepalive {
		d := time.Duration(s.Interval)
		if d < time.Second {
			return nil, "", fmt.Errorf("interval %s is too short", d)
		}
		return every(d), "@every " + d.String(), nil
	}
	spec, err := cronspec.Parse(s.Cron, s.TZ, host)
	if err != nil {
		return nil, "", err
	}
	text := spec.String()
	if d, ok := spec.Every(); ok {
		return every(d), text, nil
	}
	if s.TZ != "" || spec.Zone() != host {
		text = "TZ=" + spec.Zone().String() + " " + text
	}
	return cron{spec}, text, nil
}

// every is a clock of equal steps, each counted from the slot before.
type every time.Duration

func (e every) next(after time.Time) time.Time {
	return after.Truncate(time.Second).Add(time.Duration(e))
}

func (e every) passed(after, until time.Time) (newest, before time.Time, n int) {
	step := time.Duration(e)
	first := e.next(after)
	if until.Before(first) {
		return newest, before, 0
	}
	steps := until.Sub(first) / step
	newest = first.Add(steps * step)
	if steps > 0 {
		before = newest.Add(-step)
	}
	return newest, before, int(min(steps+1, mostCounted))
}

// cron is a clock of an expression.
type cron struct{ spec cronspec.Spec }

func (c cron) next(after time.Time) time.Time { return c.spec.Next(after) }

func (c cron) passed(after, until time.Time) (newest, before time.Time, n int) {
	newest, ok := c.spec.Last(after, until)
	if !ok {
		return newest, before, 0
	}
	before, _ = c.spec.Last(after, newest.Add(-time.Nanosecond))
	return newest, before, c.spec.Count(after, until, mostCounted)
}

// latest is how late a row's slot may be decided.
func latest(s trigger.Subscription) time.Duration {
	switch {
	case s.CatchUp != nil:
		return max(onTime, time.Duration(*s.CatchUp))
	case s.Invocation == trigger.OnKeepalive:
		return onTime
	}
	return defaultCatchUp
}
