package dispatch

import (
	"testing"
	"time"

	"iterion/native/board"
)

// Whatever the dispatcher waits for when the clock is set back comes as soon as it
// would have come.
func TestClockThatIsSetBackProlongsNoWait(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	s := newState(Config{}.withDefaults(), "o", "m")
	s.step(booted{schema: board.DefaultSchema()}, now)
	s.cards["x"] = &card{phase: PhaseParked, goAt: now.Add(20 * time.Second)}
	s.discoverAt, s.infra.until = now.Add(10*time.Second), now.Add(time.Minute)
	earlier := now.Add(-time.Hour)
	s.step(woke{}, earlier)
	for name, wait := range map[string]struct {
		at   time.Time
		want time.Duration
	}{
		"look at the board": {s.discoverAt, 10 * time.Second},
		"trouble":           {s.infra.until, time.Minute},
		"parked card":       {s.cards["x"].goAt, 20 * time.Second},
	} {
		if got := wait.at.Sub(earlier); got != wait.want {
			t.Errorf("%s waits for %s, want %s", name, got, wait.want)
		}
	}
	at := s.discoverAt
	if s.step(woke{}, earlier.Add(5*time.Second)); !s.discoverAt.Equal(at) {
		t.Error("time that passes moved the wait")
	}
}
