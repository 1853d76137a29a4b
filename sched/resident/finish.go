package resident

import (
	"time"

	"iterion/sched/gate"
)

// busy reports whether a decision is under way.
func (s *state) busy() bool {
	for _, r := range s.rows {
		if r.busy {
			return true
		}
	}
	return false
}

// note puts a row's intention into the calendar.
func (s *state) note(id string, in *Intent, through time.Time) {
	e := s.calendar[id]
	e.Intent = in
	if through.After(e.Through) {
		e.Through = through
	}
	if r := s.rows[id]; r != nil && r.clock != nil {
		r.next = r.clock.next(e.Through)
		e.Next = r.next.UTC()
	}
	s.calendar[id] = e
}

// finish takes in what came of a row.
func (s *state) finish(id string, out outcome, now time.Time) {
	r := s.rows[id]
	r.busy = false
	s.note(id, out.intent, out.through)
	r.fresh, r.waiting, r.decided = out.fresh, out.waiting, out.decided
	switch {
	case out.err != nil:
		r.errs++
		r.retryAt, r.lastErr = now.Add(backoff(r.errs)), out.err.Error()
	case out.held:
		r.errs, r.lastErr, r.retryAt = 0, "", time.Time{}
		s.shut(now)
	default:
		r.errs, r.lastErr, r.retryAt = 0, "", time.Time{}
	}
	if out.record != nil {
		s.learnRecord(id, *out.record)
	}
	if r.gone {
		s.retire(id)
	}
}

// learnRecord remembers a row's newest decision.
func (s *state) learnRecord(id string, rec gate.Record) {
	s.counts[rec.Decision]++
	e, known := s.calendar[id]
	if !known {
		return // a run by hand of a row that is switched off
	}
	e.Last = short(rec)
	if text, ok := verdictOf(rec); ok {
		e.LastError = text
	}
	s.calendar[id] = e
}

// backoff is 1 s doubling up to the longest wait.
func backoff(n int) time.Duration {
	d := time.Second
	for ; n > 1 && d < longestWait; n-- {
		d *= 2
	}
	return min(d, longestWait)
}
