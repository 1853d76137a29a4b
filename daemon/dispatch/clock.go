package dispatch

import "time"

// heedClock moves what the state waits for when the clock was set back: these are
// spans of this process, and an hour that comes twice is not waited for. What the
// ledger holds goes by the wall clock, whatever it says.
func (s *state) heedClock(now time.Time) {
	back := s.lastStep.Sub(now)
	s.lastStep = now
	if back <= time.Second {
		return
	}
	waits := []*time.Time{&s.bootAt, &s.discoverAt, &s.infra.until}
	for _, c := range s.cards {
		waits = append(waits, &c.planAt, &c.goAt)
	}
	for _, d := range s.directs {
		waits = append(waits, &d.goAt)
	}
	for _, t := range waits {
		if !t.IsZero() {
			*t = t.Add(-back)
		}
	}
}
