package hostcron

import (
	"context"
	"errors"
	"time"
)

// State is what is known of one schedule.
type State struct {
	Slot      time.Time `json:"slot,omitzero"`       // the last one decided
	RunID     string    `json:"run_id,omitempty"`    // of the last decision that launched one
	Decision  string    `json:"decision,omitempty"`  // of the last slot, or of missed ones
	DecidedAt time.Time `json:"decided_at,omitzero"` // when
	ArmedAt   time.Time `json:"armed_at,omitzero"`   // slots count from then on
	Cron      string    `json:"cron,omitempty"`      // what it was armed for
	TZ        string    `json:"tz,omitempty"`        // the same
	Pending   []Pending `json:"pending,omitempty"`   // decided, and not recorded yet
}

// Pending is a decision that is under way, or whose decider died.
type Pending struct {
	Slot     time.Time `json:"slot,omitzero"` // zero: by hand
	RunID    string    `json:"run_id"`
	At       time.Time `json:"at"`
	StoreDir string    `json:"store_dir,omitempty"`
}

// ReadState returns the state of a schedule; known is false when it has none yet.
func ReadState(p Paths, name string) (s State, known bool, err error) {
	return State{}, false, errors.ErrUnsupported
}

// Arm makes the slots of schedules count from now on.
func Arm(ctx context.Context, p Paths, now time.Time, noFsync bool, names ...string) error {
	return errors.ErrUnsupported
}
