package hostcron

import (
	"time"

	"iterion/sched/cronspec"
	"iterion/sched/gate"
)

// Schedule is one row of the manifest.
type Schedule struct {
	Name        string
	Cron        string
	TZ          string // empty: the host's zone
	Bot         string
	Workdir     string            // absolute, or below ~/
	StoreDir    string            // the same; empty: the caller finds the store
	Timeout     time.Duration     // of the run; 0: the bot's own
	Vars        map[string]string // of the bot
	Description string
	Disabled    bool
	Policy      gate.Policy
	Retry       Retry
}

// Retry is what a schedule says over its bot's wishes about used up allowances.
// Nil and empty fields say nothing.
type Retry struct {
	UsageWindow string // resume, fresh or off
	MaxAttempts *int
	MaxWait     *time.Duration
	Jitter      *time.Duration
}

// Spec reads the schedule's expression.
func (s Schedule) Spec(host *time.Location) (cronspec.Spec, error) {
	return cronspec.Parse(s.Cron, s.TZ, host)
}
