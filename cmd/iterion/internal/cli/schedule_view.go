package cli

import (
	"context"
	"time"

	"iterion/sched/gate"
	"iterion/sched/hostcron"
)

// scheduleJSON is a schedule in JSON: the keys of the manifest, and what is known
// beside them.
type scheduleJSON struct {
	Name             string            `json:"name"`
	Cron             string            `json:"cron"`
	TZ               string            `json:"tz,omitempty"`
	Bot              string            `json:"bot"`
	Workdir          string            `json:"workdir,omitempty"`
	StoreDir         string            `json:"store_dir,omitempty"`
	Timeout          string            `json:"timeout,omitempty"`
	Vars             map[string]string `json:"vars,omitempty"`
	Description      string            `json:"description,omitempty"`
	Disabled         bool              `json:"disabled"`
	Overlap          gate.Overlap      `json:"overlap"`
	MaxConcurrent    int               `json:"max_concurrent,omitempty"`
	StaleAfter       string            `json:"stale_after,omitempty"`
	Guard            string            `json:"guard,omitempty"`
	GuardTimeout     string            `json:"guard_timeout,omitempty"`
	GuardVar         string            `json:"guard_var,omitempty"`
	RetryUsageWindow string            `json:"retry_usage_window,omitempty"`
	RetryMaxAttempts *int              `json:"retry_max_attempts,omitempty"`
	RetryMaxWait     string            `json:"retry_max_wait,omitempty"`
	RetryJitter      string            `json:"retry_jitter,omitempty"`

	// Problems keep the schedule from being used.
	Problems []string  `json:"problems,omitempty"`
	Meaning  string    `json:"meaning,omitempty"`
	Next     []dueJSON `json:"next,omitempty"` // of an enabled one
	Last     *lastJSON `json:"last,omitempty"`
	// Installed tells whether the crontab has a line for it; missing: it cannot be
	// looked at.
	Installed *bool `json:"installed,omitempty"`

	row hostcron.Row
}

// lastJSON is the last decision that is known of a schedule.
type lastJSON struct {
	Decision string    `json:"decision"`
	At       time.Time `json:"at"`
	Slot     time.Time `json:"slot,omitzero"` // the last one decided
	RunID    string    `json:"run_id,omitempty"`
}

// newScheduleJSON fills in what the manifest says, and what follows from that.
func (s *schedules) newScheduleJSON(row hostcron.Row, slots int) scheduleJSON {
	p := row.Policy.Filled()
	v := scheduleJSON{
		row: row, Name: row.Name, Cron: row.Cron, TZ: row.TZ, Bot: row.Bot, Workdir: row.Workdir, StoreDir: row.StoreDir,
		Timeout: spanText(row.Timeout), Vars: row.Vars, Description: row.Description, Disabled: row.Disabled,
		Overlap: p.Overlap, MaxConcurrent: p.MaxConcurrent,
		RetryUsageWindow: row.Retry.UsageWindow, RetryMaxAttempts: row.Retry.MaxAttempts,
		RetryMaxWait: spanOf(row.Retry.MaxWait), RetryJitter: spanOf(row.Retry.Jitter),
	}
	if p.Overlap == gate.Keepalive {
		v.StaleAfter = spanText(p.StaleAfter)
	}
	if p.Guard != "" {
		v.Guard, v.GuardTimeout, v.GuardVar = p.Guard, spanText(p.GuardTimeout), p.GuardVar
	}
	for _, wrong := range row.Problems {
		v.Problems = append(v.Problems, wrong.String())
	}
	if spec, err := row.Spec(time.Local); err == nil {
		v.Meaning = spec.Explain()
		if !row.Disabled && len(row.Problems) == 0 {
			v.Next = dueAfter(spec, s.f.Now(), slots)
		}
	}
	v.Last = s.last(row.Name)
	return v
}

// last is what the schedule's state remembers. A state that cannot be read is told
// by `why`.
func (s *schedules) last(name string) *lastJSON {
	p, err := s.paths()
	if err != nil {
		return nil
	}
	st, known, err := hostcron.ReadState(p, name)
	if err != nil || !known || st.Decision == "" {
		return nil
	}
	return &lastJSON{Decision: string(st.Decision), At: st.DecidedAt, Slot: st.Slot, RunID: st.RunID}
}

// view is one schedule with all that is known of it.
func (s *schedules) view(ctx context.Context, name string) (scheduleJSON, error) {
	m, err := s.load()
	if err != nil {
		return scheduleJSON{}, err
	}
	row, err := m.Find(name)
	if err != nil {
		return scheduleJSON{}, err
	}
	v := s.newScheduleJSON(row, nextShown)
	if in := s.crontab(ctx); in.err == nil {
		has := in.has(name)
		v.Installed = &has
	}
	return v, nil
}

func spanOf(d *time.Duration) string {
	switch {
	case d == nil:
		return ""
	case *d == 0:
		return "0s"
	}
	return spanText(*d)
}
