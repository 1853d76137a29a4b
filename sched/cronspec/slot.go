package cronspec

import "time"

// clock walks the stretches of time in which a zone's offset stands still.
type clock struct{ zone *time.Location }

// stretch is [start, end) in seconds since 1970, and how far civil time is ahead
// in it. Without a bound, start or end are at forever.
type stretch struct {
	start, end int64
	ahead      int64
}

const forever = 1 << 60

// far is longer than any two offsets are apart: civil time that is so much earlier
// or later is so in every zone.
const far = 30 * 60 * 60

// at returns the stretch that an instant is in, or a part of it: beyond the end of
// its tables package time begins a new one with each year.
func (c clock) at(t int64) stretch {
	in := time.Unix(t, 0).In(c.zone)
	_, ahead := in.Zone()
	start, end := in.ZoneBounds()
	s := stretch{start: -forever, end: forever, ahead: int64(ahead)}
	if !start.IsZero() {
		s.start = start.Unix()
	}
	if !end.IsZero() {
		s.end = end.Unix()
	}
	if s.end <= t {
		// Package time lets leap years end a day early.
		s.end = (floorDiv(t, daySeconds) + 1) * daySeconds
	}
	return s
}

// after returns the stretch that follows.
func (c clock) after(s stretch) stretch {
	next := c.at(s.end)
	next.start = s.end
	return next
}

// before returns the stretch that goes before.
func (c clock) before(s stretch) stretch {
	last := c.at(s.start - 1)
	last.end = s.start
	return last
}

// shown returns the furthest that civil time has come at any instant up to t.
func (c clock) shown(t int64) int64 {
	s := c.at(t)
	furthest := t + s.ahead
	for s.start > t-far {
		s = c.before(s)
		furthest = max(furthest, s.end-1+s.ahead)
	}
	return furthest
}

// reached returns the first instant at which civil time is at or past a second.
func (c clock) reached(civil int64) int64 {
	for s := c.at(civil - far); ; s = c.after(s) {
		if t := max(s.start, civil-s.ahead); t < s.end {
			return t
		}
	}
}

// nextFixed returns the first slot after t of a fixed time.
func (s *Spec) nextFixed(t int64) int64 {
	c := clock{s.zone}
	m := s.cal.next(floorDiv(c.shown(t), 60) + 1)
	return c.reached(m * 60)
}

// lastFixed returns the last slot up to and with t of a fixed time.
func (s *Spec) lastFixed(t int64) int64 {
	c := clock{s.zone}
	return c.reached(s.cal.prev(floorDiv(c.shown(t), 60)) * 60)
}

// nextElapsed returns the first slot after t of what follows elapsed time.
func (s *Spec) nextElapsed(t int64) int64 {
	c := clock{s.zone}
	here := c.at(t)
	from := floorDiv(t+here.ahead, 60) + 1
	for {
		if slot := s.cal.next(from)*60 - here.ahead; slot < here.end {
			return slot
		}
		before := here
		here = c.after(before)
		if s.owed(before, here) {
			return here.start
		}
		from = -floorDiv(-(here.start + here.ahead), 60)
	}
}

// lastElapsed returns the last slot up to and with t of what follows elapsed time,
// or one before the limit.
func (s *Spec) lastElapsed(t, limit int64) int64 {
	c := clock{s.zone}
	here := c.at(t)
	for {
		if slot := s.cal.prev(floorDiv(t+here.ahead, 60))*60 - here.ahead; slot >= here.start {
			return slot
		}
		if here.start <= limit {
			return limit
		}
		t = here.start - 1
		before := c.before(here)
		if s.owed(before, here) {
			return here.start
		}
		here = before
	}
}

// owed says whether the gap between two stretches, if there is one, skipped a
// minute that elapsed time does not bring in any case.
func (s *Spec) owed(before, after stretch) bool {
	from, until := -floorDiv(-(after.start+before.ahead), 60), -floorDiv(-(after.start+after.ahead), 60)
	width := until - from
	for m := from; m < until; m++ {
		if m = s.cal.next(m); m < until && !s.cal.has(m+width) {
			return true
		}
	}
	return false
}

// count returns how many slots are in (from, to].
func (s *Spec) count(from, to int64) int {
	c := clock{s.zone}
	n := 0
	if !s.elapsed {
		n = s.cal.count(floorDiv(c.shown(from), 60)+1, floorDiv(c.shown(to), 60)+1)
	}
	for here := c.at(from); ; {
		if s.elapsed {
			first := max(from+1, here.start) + here.ahead
			n += s.cal.count(-floorDiv(-first, 60), floorDiv(min(to, here.end-1)+here.ahead, 60)+1)
		}
		if here.end > to {
			return n
		}
		before := here
		here = c.after(before)
		switch {
		case !s.elapsed:
			n -= s.collapsed(here)
		case s.owed(before, here) && !s.shows(here):
			n++
		}
	}
}

// collapsed returns how many fixed times are due together with another one at the
// instant at which a stretch begins.
func (s *Spec) collapsed(after stretch) int {
	c := clock{s.zone}
	from := floorDiv(c.shown(after.start-1), 60) + 1
	until := floorDiv(after.start+after.ahead, 60) + 1
	if until <= from {
		return 0
	}
	return max(0, s.cal.count(from, until)-1)
}

// shows says whether the clock shows a minute of the calendar, on the full minute,
// when a stretch begins.
func (s *Spec) shows(here stretch) bool {
	civil := here.start + here.ahead
	return civil%60 == 0 && s.cal.has(civil/60)
}
