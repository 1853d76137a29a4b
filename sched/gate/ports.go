package gate

import (
	"context"
	"time"
)

// Tick is one slot that is due, or one run by hand.
type Tick struct {
	Surface      Surface
	ScheduleID   string
	ScheduleName string
	BotID        string
	TenantID     string
	Cron         string
	Slot         time.Time // zero: by hand
	At           time.Time // now
	RunID        string    // of the run that it may start, fixed and kept by the caller
}

// Request is a Tick with all that decides it.
type Request struct {
	Tick
	Policy  Policy
	Vars    map[string]string // of the launch; the guard's output is added
	Workdir string            // the guard runs there
	// Env is what the guard is given besides ITERION_SCHEDULE and
	// ITERION_SCHEDULE_BOT. Nil: a PATH and nothing else.
	Env []string
	// MayReap: the caller's clock may end runs. Elsewhere a stale run is only named.
	MayReap bool
}

// Live is a run of the schedule that has not ended, or of which that cannot be
// said.
type Live struct {
	RunID   string
	Started time.Time
	// LastSign is when the run last said something useful.
	LastSign time.Time
	// Running: it can go stale. A queued or paused one cannot.
	Running bool
	// Status is what its record says, for messages.
	Status string
	// Unreadable says what is wrong with the run's record. It is judged by its lock:
	// only one whose lock is held, or cannot be told, is among the live.
	Unreadable string
}

// Ports are what Decide needs of the world.
type Ports struct {
	// Live returns the live runs of the schedule, oldest first.
	Live func(ctx context.Context, scheduleID string) ([]Live, error)
	// End ends a run and returns once its tree is proven gone. The run becomes
	// failed_resumable when stale, else cancelled. Nil where MayReap is false.
	End func(ctx context.Context, runID string, stale bool, reason string) error
	// Intend makes the decision to launch durable. Nil: nothing to note. After an
	// error nothing is launched.
	Intend func(ctx context.Context) error
	// Launch makes the run under the tick's id. A run of that id that exists is
	// success. An error with a method RunMade() bool that says true is a launch that
	// failed and left a run on record.
	Launch func(ctx context.Context, runID string, vars map[string]string) error
	// Now returns the time of a decision after the guard has run; nil: time.Now.
	Now func() time.Time
}
