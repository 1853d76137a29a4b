package daemon

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"iterion/bots"
	"iterion/daemon/dispatch"
	"iterion/daemon/workspace"
	"iterion/native/atomicfile"
	"iterion/sched/trigger"
)

// ConfigName is what a config file is usually called. A file of this name in the
// working folder is never loaded unasked.
const ConfigName = "iterion.dispatcher.yaml"

// Config is what an operator may set, with every default filled in. Its JSON is
// the effective config that the store keeps of the last start or reload; its keys are
// those of the YAML file.
type Config struct {
	Name         string            `json:"name"`
	Bot          string            `json:"bot,omitempty"` // for cards that name none; empty: those wait
	AssigneeBots map[string]string `json:"assignee_bots,omitempty"`
	// AssigneeDispatch holds inputs by bot: those of a card that came to the bot
	// through its assignee, in the place of Dispatch.
	AssigneeDispatch map[string]DispatchConfig `json:"assignee_dispatch,omitempty"`
	Dispatch         DispatchConfig            `json:"dispatch"`
	Tracker          TrackerConfig             `json:"tracker"`
	Polling          PollingConfig             `json:"polling"`
	Agent            AgentConfig               `json:"agent"`
	Stall            StallConfig               `json:"stall"`
	Limits           LimitsConfig              `json:"limits"`
	Hooks            HooksConfig               `json:"hooks"`
	TicketRouter     RouterConfig              `json:"ticket_router"`
	Workspace        WorkspaceConfig           `json:"workspace"`
	Bots             BotsConfig                `json:"bots"`
	Watchdog         WatchdogConfig            `json:"watchdog"`
	Server           ServerConfig              `json:"server"`
}

// DispatchConfig holds the inputs that every dispatched bot gets.
type DispatchConfig struct {
	Vars map[string]string `json:"vars,omitempty"` // templates
}

// TrackerConfig says where the cards are: native.
type TrackerConfig struct {
	Kind string `json:"kind"`
}

// PollingConfig is the net below the watcher.
type PollingConfig struct {
	IntervalMS int `json:"interval_ms"`
}

// AgentConfig bounds the work and names the columns that it is filed in.
type AgentConfig struct {
	MaxConcurrent        int            `json:"max_concurrent"`
	MaxConcurrentByState map[string]int `json:"max_concurrent_by_state,omitempty"`
	MaxAttempts          int            `json:"max_attempts"`
	MaxRetryBackoffMS    int            `json:"max_retry_backoff_ms"`
	RunningState         string         `json:"running_state"`
	CompletedState       string         `json:"completed_state"` // or none
	FailedState          string         `json:"failed_state"`    // or none
}

// StallConfig says when a run that says nothing useful is stopped.
type StallConfig struct {
	TimeoutMS int `json:"timeout_ms"` // 0: never; a bot's own setting counts first
}

// LimitsConfig bounds what a store may cost. Whoever starts a run reads it from the
// effective config, with a daemon or without.
type LimitsConfig struct {
	MaxCostPerDayUSD float64 `json:"max_cost_per_day_usd"` // 0: no cap
	MaxChainDepth    int     `json:"max_chain_depth"`      // launches by events of runs, one behind the other
}

// HooksConfig are commands that run around the work on a card.
type HooksConfig struct {
	AfterCreate  *HookConfig `json:"after_create,omitempty"`  // once in each new folder
	BeforeRun    *HookConfig `json:"before_run,omitempty"`    // before each start
	AfterRun     *HookConfig `json:"after_run,omitempty"`     // whenever a run has ended
	BeforeRemove *HookConfig `json:"before_remove,omitempty"` // before a folder is removed
}

// HookConfig is one hook: a text for sh -c, or a program.
type HookConfig struct {
	Script    string `json:"script,omitempty"`
	Path      string `json:"path,omitempty"` // absolute
	TimeoutMS int    `json:"timeout_ms"`
}

// RouterConfig gives cards that name neither a bot nor an assignee to a bot, unless
// a change request is linked to them already.
type RouterConfig struct {
	Enabled      bool   `json:"enabled"`
	ImplementBot string `json:"implement_bot"`
}

// WorkspaceConfig says where cards are worked on, and what becomes of the folder.
type WorkspaceConfig struct {
	Root    string `json:"root"` // absolute
	Persist string `json:"persist"`
}

// BotsConfig says where bots are looked for before the catalog.
type BotsConfig struct {
	Paths []string `json:"paths"` // absolute
}

// WatchdogConfig says whether expired claims are taken over.
type WatchdogConfig struct {
	Enabled bool `json:"enabled"`
}

// ServerConfig says where health and metrics are served.
type ServerConfig struct {
	Listen string `json:"listen,omitempty"` // host:port; empty: nowhere
}

// preset is the config of a daemon that was given no file.
func preset(cwd, root string) Config {
	return Config{
		Name:    "iterion",
		Tracker: TrackerConfig{Kind: "native"},
		Polling: PollingConfig{IntervalMS: 30_000},
		Agent: AgentConfig{
			MaxConcurrent: 4, MaxAttempts: 10, MaxRetryBackoffMS: 300_000,
			RunningState: "in_progress", CompletedState: "review", FailedState: "blocked",
		},
		Stall:        StallConfig{TimeoutMS: 600_000},
		Limits:       LimitsConfig{MaxChainDepth: trigger.DefaultMaxChain},
		TicketRouter: RouterConfig{ImplementBot: "feature-dev"},
		Workspace:    WorkspaceConfig{Root: root, Persist: workspace.Keep},
		Bots:         BotsConfig{Paths: bots.DefaultPaths(cwd)},
	}
}

// LoadConfig reads the config file at path, or returns the preset when path is
// empty. cwd is the folder that relative bot paths start from, root the default
// workspace root. What is wrong with a file is a *ConfigError.
func LoadConfig(path, cwd, root string) (Config, error) {
	c := preset(cwd, root)
	if path == "" {
		return c, nil
	}
	path = rooted(cwd, path)
	data, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("read config: %w", err)
	}
	if err := parseConfig(path, data, &c); err != nil {
		return c, err
	}
	c.Workspace.Root = rooted(filepath.Dir(path), c.Workspace.Root)
	for _, h := range []*HookConfig{c.Hooks.AfterCreate, c.Hooks.BeforeRun, c.Hooks.AfterRun, c.Hooks.BeforeRemove} {
		if h != nil && h.Path != "" {
			h.Path = rooted(filepath.Dir(path), h.Path)
		}
	}
	for i, p := range c.Bots.Paths {
		c.Bots.Paths[i] = rooted(cwd, p)
	}
	return c, nil
}

// rooted makes path absolute, a relative one against base.
func rooted(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// dispatch is the config as the dispatcher takes it.
func (c Config) dispatch() dispatch.Config {
	byBot := make(map[string]map[string]string, len(c.AssigneeDispatch))
	for slug, d := range c.AssigneeDispatch {
		byBot[slug] = d.Vars
	}
	return dispatch.Config{
		AssigneeVars: byBot, Router: dispatch.Router(c.TicketRouter),
		Name: c.Name, Bot: c.Bot, AssigneeBots: c.AssigneeBots, DispatchVars: c.Dispatch.Vars,
		Stall:                time.Duration(c.Stall.TimeoutMS) * time.Millisecond,
		PollInterval:         time.Duration(c.Polling.IntervalMS) * time.Millisecond,
		MaxConcurrent:        c.Agent.MaxConcurrent,
		MaxConcurrentByState: c.Agent.MaxConcurrentByState,
		MaxAttempts:          c.Agent.MaxAttempts,
		MaxRetryBackoff:      time.Duration(c.Agent.MaxRetryBackoffMS) * time.Millisecond,
		RunningState:         c.Agent.RunningState,
		CompletedState:       c.Agent.CompletedState,
		FailedState:          c.Agent.FailedState,
		WorkspaceRoot:        c.Workspace.Root,
	}
}

// workspace are the hooks as the workspaces take them.
func (h HooksConfig) workspace() workspace.Hooks {
	hook := func(c *HookConfig) *workspace.Hook {
		if c == nil {
			return nil
		}
		return &workspace.Hook{Script: c.Script, Path: c.Path, Timeout: time.Duration(c.TimeoutMS) * time.Millisecond}
	}
	return workspace.Hooks{AfterCreate: hook(h.AfterCreate), BeforeRun: hook(h.BeforeRun), AfterRun: hook(h.AfterRun), BeforeRemove: hook(h.BeforeRemove)}
}

// save keeps the effective config in the store, and where it came from.
func (c Config) save(file, from string, o atomicfile.Options) error {
	data, err := json.MarshalIndent(struct {
		Config
		From string `json:"from"`
	}{c, cmp.Or(from, "preset")}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode config: %w", err)
	}
	if err := atomicfile.WriteFile(file, append(data, '\n'), 0o600, o); err != nil {
		return fmt.Errorf("keep effective config: %w", err)
	}
	return nil
}
