package resident

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// state is all that the scheduler's goroutine knows. Its methods read no clock, no
// file and no channel.
type state struct {
	started  time.Time
	rows     map[string]*row
	calendar Calendar
	lastTick time.Time

	open   bool      // what is held may be tried
	openAt time.Time // when it may in any case
	trying bool      // a held row asks for its slot
	counts map[gate.Decision]int64

	loaded, reading, readAgain     bool     // of the calendar, and of the subscriptions
	problems                       []string // of the subscriptions
	calendarErr, rowsErr, writeErr string
}

// row is a subscription with what this process knows of it.
type row struct {
	sub     trigger.Subscription
	clock   clock
	listed  bool   // among the subscriptions
	gone    bool   // not in force any more; only an intention of it is left
	problem string // why it is not armed
	next    time.Time

	busy    bool
	retryAt time.Time
	errs    int
	lastErr string // why the last try came to no decision

	fresh   bool         // its intention was planned by this process
	waiting bool         // its intention waits for a free slot since this process planned it
	decided *gate.Record // what the audit has still to be told of its intention
}

// heldRetry is how long what is held waits at most before the oldest is tried again.
const heldRetry = 15 * time.Second

func newState() *state {
	return &state{rows: map[string]*row{}, calendar: Calendar{}, open: true, counts: map[gate.Decision]int64{}}
}

// reading is the subscriptions with their clocks.
type reading struct {
	Rows
	clocks []timed // of Clocks
}

type timed struct {
	clock clock
	text  string
	err   error
}

// understand reads the clocks of subscriptions.
func understand(in Rows, host *time.Location) reading {
	out := reading{Rows: in, clocks: make([]timed, len(in.Clocks))}
	for i, sub := range in.Clocks {
		if t := &out.clocks[i]; sub.Active() {
			t.clock, t.text, t.err = clockOf(sub, host)
		}
	}
	return out
}

// learnRows takes in the subscriptions. It reports whether the calendar changed.
func (s *state) learnRows(in reading, now time.Time) (changed bool) {
	s.rowsErr, s.problems = "", in.Problems
	seen := map[string]bool{}
	for i, sub := range in.Clocks {
		if sub.TenantID != "" || !sub.Clock() || seen[sub.ID] {
			continue
		}
		seen[sub.ID] = true
		changed = s.learnRow(sub, in.clocks[i], now) || changed
	}
	for id := range s.rows {
		if !seen[id] && (in.Unknown == nil || !in.Unknown(id)) {
			s.rows[id].listed = false
			changed = s.retire(id) || changed
		}
	}
	for id, e := range s.calendar { // of rows that this process never saw
		if s.rows[id] == nil && (in.Unknown == nil || !in.Unknown(id)) {
			s.rows[id] = &row{sub: trigger.Subscription{ID: id, BotID: botOf(e)}}
			changed = s.retire(id) || changed
		}
	}
	return changed
}

func botOf(e Entry) string {
	if e.Intent != nil {
		return e.Intent.BotID
	}
	return ""
}

func (s *state) learnRow(sub trigger.Subscription, t timed, now time.Time) (changed bool) {
	r := s.rows[sub.ID]
	if r == nil {
		r = &row{}
		s.rows[sub.ID] = r
	}
	armed := r.clock != nil
	r.sub, r.listed, r.gone, r.problem = sub, true, false, sub.Problem
	if t.err != nil {
		r.problem = t.err.Error()
	}
	if t.clock == nil || t.err != nil {
		return s.retire(sub.ID)
	}
	r.clock = t.clock
	e, known := s.calendar[sub.ID]
	switch {
	case !known || e.Clock != t.text:
		s.calendar[sub.ID] = arm(e, t.text, now, t.clock)
		r.next = s.calendar[sub.ID].Next
		return true
	case !armed:
		r.next = t.clock.next(e.Through)
	}
	return false
}

// arm begins anew from now on. What was dealt with stays dealt with, and an intention
// of the old clock is still to be brought to its end.
func arm(e Entry, text string, now time.Time, c clock) Entry {
	e.Clock, e.ArmedAt = text, now.UTC()
	if now.After(e.Through) {
		e.Through = now.UTC()
	}
	e.Next = c.next(e.Through).UTC()
	return e
}

// retire takes a row out of the calendar; an intention is brought to its end first.
func (s *state) retire(id string) (changed bool) {
	r := s.rows[id]
	r.clock, r.next, r.gone = nil, time.Time{}, true
	e, known := s.calendar[id]
	if r.busy || e.Intent != nil {
		return false
	}
	if !r.listed {
		delete(s.rows, id)
	}
	delete(s.calendar, id)
	return known
}

// rests reports whether a row is to be left alone after a try that failed. The clock
// may have been set back since.
func (r *row) rests(now time.Time) bool { return rests(now, r.retryAt) }

func rests(now, until time.Time) bool {
	return now.Before(until) && !until.After(now.Add(longestWait))
}

// tick returns the rows that are due, and marks them busy.
func (s *state) tick(now time.Time) []*row {
	s.lastTick = now
	var due, held []*row
	for id, r := range s.rows {
		if r.busy {
			continue
		}
		in := s.calendar[id].Intent
		switch {
		case in == nil:
			if r.clock == nil || now.Before(r.next) || r.rests(now) {
				continue
			}
			due = append(due, r)
		case in.Held != nil && !r.gone:
			if (s.open || !rests(now, s.openAt)) && !r.rests(now) {
				held = append(held, r)
			}
		case !r.rests(now):
			due = append(due, r)
		}
	}
	if len(held) > 0 && !s.trying { // one asks after the other, so that the oldest goes first
		s.trying = true
		due = append(due, slices.MinFunc(held, s.older))
	}
	for _, r := range due {
		r.busy = true
	}
	return due
}

// older puts those that are held into the order of their slots.
func (s *state) older(a, b *row) int {
	x, y := s.calendar[a.sub.ID].Intent, s.calendar[b.sub.ID].Intent
	return cmp.Or(x.Slot.Compare(y.Slot), cmp.Compare(a.sub.ID, b.sub.ID))
}

// asked takes in whether a row that was held got its slot. What is refused to one is
// refused to all, until something changes.
func (s *state) asked(refused bool, now time.Time) {
	s.trying = false
	if refused {
		s.shut(now)
	}
}

func (s *state) shut(now time.Time) { s.open, s.openAt = false, now.Add(heldRetry) }

// wakeAt is when the scheduler has to look again.
func (s *state) wakeAt(now time.Time) time.Time {
	next := now.Add(longestWait)
	soonest := func(t time.Time) {
		if t.After(now) && t.Before(next) {
			next = t
		}
	}
	for id, r := range s.rows {
		switch in := s.calendar[id].Intent; {
		case r.busy:
		case in == nil && r.clock != nil:
			soonest(r.next)
			soonest(r.retryAt)
		case in != nil && in.Held != nil:
			soonest(s.openAt)
			soonest(r.retryAt)
		case in != nil:
			soonest(r.retryAt)
		}
	}
	return next
}

// snapshotCalendar is the calendar as it is now, to be written by somebody else.
func (s *state) snapshotCalendar() Calendar { return maps.Clone(s.calendar) }
