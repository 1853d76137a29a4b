package stream

import (
	"time"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/reset"
)

// Now returns the time of a run's clock.
func Now(s agent.Start) time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// Resets returns when the limit ends that text tells of, or zero.
func Resets(s agent.Start, text string) time.Time { return reset.Time(text, Now(s), s.Zone) }
