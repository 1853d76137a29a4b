package trigger

import (
	"strings"
	"time"

	"iterion/bots/manifest"
	"iterion/sched/gate"
)

// Invocation is the kind of a subscription.
type Invocation string

// The kinds. Forge and command subscriptions are kept and not fired by a local
// daemon.
const (
	OnForge     Invocation = "forge"
	OnCommand   Invocation = "command"
	OnSchedule  Invocation = "schedule"
	OnBoard     Invocation = "board" // board, run, manual and custom events
	OnKeepalive Invocation = "keepalive"
)

// Mode is how a subscription starts its bot.
type Mode string

// The modes.
const (
	Direct  Mode = "direct" // launch a run now
	Promote Mode = "board"  // stamp the bot on the card; the dispatcher starts it
)

// Origins of a subscription.
const (
	FromManifest = "manifest" // derived at each start
	FromOperator = "operator" // in triggers.yaml
)

// Match selects events. An empty dimension matches all; within one, any value will
// do, but of AllLabels every one. All dimensions must agree. Sources, kinds and
// states are compared exactly; actions, repos, authors and labels case-folded.
type Match struct {
	Sources   []string `json:"sources,omitempty"`
	Kinds     []string `json:"kinds,omitempty"`
	Actions   []string `json:"actions,omitempty"`
	Repos     []string `json:"repos,omitempty"`
	Authors   []string `json:"authors,omitempty"`
	States    []string `json:"states,omitempty"`
	AllLabels []string `json:"all_labels,omitempty"`
}

// Subscription binds events or a clock to a bot.
type Subscription struct {
	ID         string            `json:"id"`
	TenantID   string            `json:"tenant_id,omitempty"`
	Repo       string            `json:"repo,omitempty"`
	BotID      string            `json:"bot_id"`
	Invocation Invocation        `json:"invocation"`
	Mode       Mode              `json:"mode,omitempty"`
	Match      Match             `json:"match,omitzero"`
	Vars       map[string]string `json:"vars,omitempty"`
	ArgsVar    string            `json:"args_var,omitempty"`

	// Of the clock kinds.
	Cron     string       `json:"cron,omitempty"`
	TZ       string       `json:"tz,omitempty"`
	Interval Duration     `json:"interval,omitempty"`
	CatchUp  *Duration    `json:"catch_up,omitempty"` // nil: the kind's default
	Workdir  string       `json:"workdir,omitempty"`  // empty: the store's project folder
	Overlap  gate.Overlap `json:"overlap,omitempty"`

	MaxConcurrent int      `json:"max_concurrent,omitempty"`
	StaleAfter    Duration `json:"stale_after,omitempty"`
	Guard         string   `json:"guard,omitempty"`
	GuardTimeout  Duration `json:"guard_timeout,omitempty"`
	GuardVar      string   `json:"guard_var,omitempty"`

	ConsumeLabels bool `json:"consume_labels,omitempty"`
	Enabled       bool `json:"enabled"`

	// What is done when an allowance is used up, see manifest.Retry. Zero fields leave
	// what the bot says in force.
	RetryUsageWindow string   `json:"retry_usage_window,omitempty"`
	RetryMaxAttempts int      `json:"retry_max_attempts,omitempty"`
	RetryMaxWait     Duration `json:"retry_max_wait,omitempty"`
	RetryJitter      Duration `json:"retry_jitter,omitempty"`

	// Problem says why the subscription cannot be used as it is written. One that has
	// a problem is never in force.
	Problem string `json:"problem,omitempty"`

	Origin string `json:"origin"`
	// Retuned: a row of triggers.yaml changes what the manifest says.
	Retuned     bool      `json:"retuned,omitempty"`
	LastError   string    `json:"last_error,omitempty"`
	LastErrorAt time.Time `json:"last_error_at,omitzero"`
	CreatedBy   string    `json:"created_by,omitempty"`
	CreatedAt   time.Time `json:"created_at,omitzero"`
	UpdatedAt   time.Time `json:"updated_at,omitzero"`
	// EnabledAt is when an operator last put the subscription in force again.
	EnabledAt time.Time `json:"enabled_at,omitzero"`
}

// Clock reports whether the resident scheduler fires the subscription.
func (s Subscription) Clock() bool { return s.Invocation == OnSchedule || s.Invocation == OnKeepalive }

// Active reports whether the subscription is in force.
func (s Subscription) Active() bool { return s.Enabled && s.Problem == "" }

// Retry returns what the subscription says of used up allowances.
func (s Subscription) Retry() manifest.Retry {
	return manifest.Retry{
		UsageWindow: s.RetryUsageWindow, MaxAttempts: s.RetryMaxAttempts,
		MaxWait: time.Duration(s.RetryMaxWait), Jitter: time.Duration(s.RetryJitter),
	}
}

// Policy returns how a clock subscription crosses the gate.
func (s Subscription) Policy() gate.Policy {
	return gate.Policy{
		Overlap: s.Overlap, MaxConcurrent: s.MaxConcurrent, StaleAfter: time.Duration(s.StaleAfter),
		Guard: s.Guard, GuardTimeout: time.Duration(s.GuardTimeout), GuardVar: s.GuardVar,
	}
}

// Duration is a span that is written as people write it: "30s".
type Duration time.Duration

// String writes the span as people do: 5m, not 5m0s.
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalText writes the span.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a span.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = Duration(v)
	return err
}
