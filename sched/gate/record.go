package gate

import (
	"time"
)

// Schema is the version of Record that this package writes. A reader refuses a
// higher one.
const Schema = 1

// Surface is a clock.
type Surface string

// The clocks.
const (
	HostCron Surface = "host-cron" // the host's cron calls `iterion schedule run --tick`
	Trigger  Surface = "trigger"   // the resident scheduler of a daemon
	Cloud    Surface = "cloud"     // the ticker of a replica
)

// Decision is what became of a due slot.
type Decision string

// The decisions. Missed is no tick: it records slots that passed undecided.
const (
	Fired          Decision = "fired"
	SkippedOverlap Decision = "skipped_overlap"
	GuardBlocked   Decision = "guard_blocked"
	GuardError     Decision = "guard_error"
	LaunchFailed   Decision = "launch_failed"
	Missed         Decision = "missed"
)

// Record is one line of the tick audit. Keys are the contract with other
// implementations.
type Record struct {
	Schema        int           `json:"schema"`
	Surface       Surface       `json:"surface"`
	ScheduleID    string        `json:"schedule_id"`
	ScheduleName  string        `json:"schedule_name"`
	BotID         string        `json:"bot_id"`
	TenantID      string        `json:"tenant_id,omitempty"`
	Cron          string        `json:"cron,omitempty"` // or "@every 30s" of a keepalive
	At            time.Time     `json:"at"`             // when it was decided
	Slot          time.Time     `json:"slot,omitzero"`  // what was due; zero: run by hand
	Decision      Decision      `json:"decision"`
	Reason        string        `json:"reason,omitempty"`
	RunID         string        `json:"run_id,omitempty"`
	BlockingRunID string        `json:"blocking_run_id,omitempty"`
	GuardExit     *int          `json:"guard_exit,omitempty"` // nil: no guard, or it had no exit
	GuardDuration time.Duration `json:"guard_duration_ns,omitempty"`
	StdoutTail    string        `json:"stdout_tail,omitempty"` // the last TailMax bytes
	StderrTail    string        `json:"stderr_tail,omitempty"`
	Error         string        `json:"error,omitempty"`
}

// TailMax bounds the tails of a Record, in bytes; the end is kept.
const TailMax = 16 << 10

// Verdict is what a record means for the health of its schedule.
type Verdict int

// The verdicts.
const (
	Leaves Verdict = iota // says nothing about health
	Clears                // the schedule works
	Raises                // Record.Error, or Reason, is its last error now
)

// Verdict returns what the record means for its schedule's last error.
func (r Record) Verdict() Verdict {
	switch r.Decision {
	case Fired, GuardBlocked:
		return Clears
	case GuardError, LaunchFailed:
		return Raises
	}
	return Leaves
}

// Key tells the record's tick from all others: two records of one key are one
// decision that was written twice. One by hand that made no run is told by its
// instant.
func (r Record) Key() string {
	of := string(r.Surface) + "|" + r.ScheduleID + "|"
	switch {
	case !r.Slot.IsZero():
		return of + r.Slot.UTC().Format(time.RFC3339Nano)
	case r.RunID != "":
		return of + "run|" + r.RunID
	}
	return of + "at|" + r.At.UTC().Format(time.RFC3339Nano)
}
