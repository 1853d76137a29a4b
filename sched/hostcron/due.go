package hostcron

import (
	"fmt"
	"time"

	"iterion/sched/cronspec"
	"iterion/sched/gate"
)

// Window is how far back a tick looks for a slot.
const Window = 10 * time.Minute

const (
	// firstSight is how far before its first tick a schedule's slots count: cron is
	// hardly ever later than that.
	firstSight = time.Minute
	// farAhead is how far in the future the last slot may lie before the clock that
	// decided it is no longer believed.
	farAhead = 24 * time.Hour
	// countMost bounds the counting of missed slots.
	countMost = 100_000
)

// due is what a tick finds.
type due struct {
	slot   time.Time // zero: nothing
	missed gap
}

// gap is a row of slots that nobody decided.
type gap struct {
	count       int // countMost: at least so many
	first, last time.Time
}

// armFor makes the state count the slots of an expression, anew when it counted
// those of another one, and reports whether that changed it. Arm leaves the
// expression open. An instant that lies in the future is of a clock that was set
// back; what was decided is known by its slot.
func (s *State) armFor(row Schedule, now time.Time) (changed bool) {
	same := s.Cron == row.Cron && s.TZ == row.TZ
	if s.ArmedAt.IsZero() || s.ArmedAt.After(now) || !same && s.Cron != "" {
		s.ArmedAt, changed = now.Add(-firstSight).UTC(), true
	}
	s.Cron, s.TZ = row.Cron, row.TZ
	return changed || !same
}

// ahead reports that the last slot was decided by a clock that was far ahead.
func (s State) ahead(now time.Time) bool { return s.Slot.After(now.Add(farAhead)) }

// look finds the newest undecided slot of the window, and the ones before it that
// passed undecided. decided is asked only when the state cannot tell.
func (s State) look(spec cronspec.Spec, now time.Time, decided func(slot time.Time) (bool, error)) (due, error) {
	begin := now.Add(-Window)
	if s.ahead(now) {
		slot, ok := spec.Last(later(s.ArmedAt, begin), now)
		if !ok {
			return due{}, nil
		}
		was, err := decided(slot)
		if was || err != nil {
			return due{}, err
		}
		return due{slot: slot}, nil
	}
	from := later(s.ArmedAt, s.Slot)
	var d due
	until := begin
	if slot, ok := spec.Last(later(from, begin), now); ok {
		d.slot, until = slot, slot.Add(-time.Nanosecond)
	}
	if last, ok := spec.Last(from, until); ok {
		d.missed = gap{count: spec.Count(from, until, countMost), first: spec.Next(from), last: last}
	}
	return d, nil
}

// withoutState takes back a slot that the audit knows, and notes it in the state.
func (d *due) withoutState(s *State, decided func(slot time.Time) (bool, error)) error {
	if d.slot.IsZero() {
		return nil
	}
	was, err := decided(d.slot)
	if was {
		s.Slot, d.slot = d.slot.UTC(), time.Time{}
	}
	return err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// record returns the missed record of a gap, in the zone of its schedule.
func (m gap) record(base gate.Record) gate.Record {
	base.Decision, base.Slot = gate.Missed, m.last.UTC()
	few := "1 slot passed undecided"
	if m.count > 1 {
		few = fmt.Sprintf("%d slots passed undecided", m.count)
	}
	if m.count >= countMost {
		few = "at least " + few
	}
	at := func(t time.Time) string { return t.Format(time.RFC3339) }
	when := "at " + at(m.last)
	if m.count > 1 {
		when = "from " + at(m.first) + " to " + at(m.last)
	}
	base.Reason = fmt.Sprintf("%s, %s: no tick came within %s", few, when, spanText(Window))
	if !m.last.Before(base.At.Add(-Window)) {
		base.Reason = fmt.Sprintf("%s, %s: no tick came before the next one was due", few, when)
	}
	return base
}
