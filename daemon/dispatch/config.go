package dispatch

import (
	"maps"
	"time"
)

// None as a completed or failed state says that cards are not filed there.
const None = "none"

// Config is what an operator may set. The zero value of a field means its default.
type Config struct {
	Name         string                       // of this dispatcher, for templates
	Bot          string                       // default for cards that name none; empty: such cards wait
	AssigneeBots map[string]string            // assignee -> bot
	DispatchVars map[string]string            // templates
	AssigneeVars map[string]map[string]string // templates by bot, of cards that came to it through their assignee; they replace DispatchVars
	Router       Router

	Stall                 time.Duration  // of runs whose bot does not say; 0: off
	PollInterval          time.Duration  // 30 s
	MaxConcurrent         int            // 4
	MaxConcurrentByState  map[string]int // by the column that the card comes from
	MaxAttempts           int            // 10
	MaxRetryBackoff       time.Duration  // 300 s
	RunningState          string         // "in_progress"
	CompletedState        string         // "review", or None
	FailedState           string         // "blocked", or None
	WorkspaceRoot         string         // only recorded in the journal
	Lease                 time.Duration  // of a claim: 15 min
	ShutdownGrace         time.Duration  // for writes in flight: 700 ms
	AwaitingInputState    string         // "awaiting_input"
	MaxInfrastructureWait time.Duration  // longest pause after trouble around us: 60 s
}

// Router gives cards that name neither a bot nor an assignee to a bot of its own.
type Router struct {
	Enabled      bool
	ImplementBot string
}

const firstBackoff = 10 * time.Second

func (c Config) withDefaults() Config {
	orDuration(&c.PollInterval, 30*time.Second)
	orDuration(&c.MaxRetryBackoff, 300*time.Second)
	orDuration(&c.Lease, 15*time.Minute)
	orDuration(&c.ShutdownGrace, 700*time.Millisecond)
	orDuration(&c.MaxInfrastructureWait, time.Minute)
	orInt(&c.MaxConcurrent, 4)
	orInt(&c.MaxAttempts, 10)
	orString(&c.Name, "iterion")
	orString(&c.RunningState, "in_progress")
	orString(&c.CompletedState, "review")
	orString(&c.FailedState, "blocked")
	orString(&c.AwaitingInputState, "awaiting_input")
	orString(&c.Router.ImplementBot, "feature-dev")
	c.AssigneeBots = maps.Clone(c.AssigneeBots)
	c.DispatchVars = maps.Clone(c.DispatchVars)
	c.MaxConcurrentByState = maps.Clone(c.MaxConcurrentByState)
	return c
}

func orDuration(v *time.Duration, def time.Duration) {
	if *v <= 0 {
		*v = def
	}
}

func orInt(v *int, def int) {
	if *v <= 0 {
		*v = def
	}
}

func orString(v *string, def string) {
	if *v == "" {
		*v = def
	}
}
