package cronspec

import "time"

// Next returns the first slot after an instant, in the spec's zone. There always
// is one.
func (s Spec) Next(after time.Time) time.Time {
	return time.Unix(s.next(after.Unix()), 0).In(s.zone)
}

func (s *Spec) next(t int64) int64 {
	switch {
	case s.every > 0:
		return t + int64(s.every/time.Second)
	case s.elapsed:
		return s.nextElapsed(t)
	}
	return s.nextFixed(t)
}

// Last returns the newest slot in (after, until], and whether there is one.
func (s Spec) Last(after, until time.Time) (time.Time, bool) {
	from, t := after.Unix(), until.Unix()
	if t <= from {
		return time.Time{}, false
	}
	switch {
	case s.every > 0:
		step := int64(s.every / time.Second)
		t = from + (t-from)/step*step
	case s.elapsed:
		t = s.lastElapsed(t, from)
	default:
		t = s.lastFixed(t)
	}
	if t <= from {
		return time.Time{}, false
	}
	return time.Unix(t, 0).In(s.zone), true
}

// Count returns how many slots are in (after, until], but no more than max.
func (s Spec) Count(after, until time.Time, max int) int {
	from, to := after.Unix(), until.Unix()
	if to <= from || max <= 0 {
		return 0
	}
	if s.every > 0 {
		return int(min(int64(max), (to-from)/int64(s.every/time.Second)))
	}
	return min(max, s.count(from, to))
}
