package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// load writes text as a config file and loads it; FILE in messages stands for
// its path.
func load(t *testing.T, text string) (Config, string, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, ConfigName)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := LoadConfig(path, "/work/dir", "/store/workspaces")
	return c, dir, err
}

func TestConfigWithoutFileIsThePreset(t *testing.T) {
	got, err := LoadConfig("", "/w", "/s/workspaces")
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Name: "iterion", Tracker: TrackerConfig{"native"}, Polling: PollingConfig{30000},
		Agent: AgentConfig{MaxConcurrent: 4, MaxAttempts: 10, MaxRetryBackoffMS: 300000,
			RunningState: "in_progress", CompletedState: "review", FailedState: "blocked"},
		Stall:  StallConfig{600000},
		Limits: LimitsConfig{MaxChainDepth: 8}, TicketRouter: RouterConfig{ImplementBot: "feature-dev"},
		Workspace: WorkspaceConfig{"/s/workspaces", "keep"},
		Bots:      BotsConfig{[]string{"/w/bots", "/w/examples", "/w/.botz"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestConfigFileOverridesThePreset(t *testing.T) {
	got, dir, err := load(t, `
name: dev-loop
bot: triage
assignee_bots: {alice-bot: feature-dev}
dispatch: {vars: {prompt: "{{issue.title}}"}}
tracker: {kind: native}
polling: {interval_ms: 500}
agent:
  max_concurrent: 2
  max_concurrent_by_state: {ready: 1}
  failed_state: none
assignee_dispatch: {feature-dev: {vars: {prompt: "{{issue.body}}"}}}
stall: {timeout_ms: 0}
limits: {max_cost_per_day_usd: 12.5, max_chain_depth: 3}
hooks:
  after_create: {script: "git clone ."}
  before_run: {path: ./check.sh, timeout_ms: 500}
ticket_router: {enabled: true, implement_bot: triage}
workspace: {root: ./w, persist: cleanup_on_done}
bots: {paths: [mine, /opt/bots]}
watchdog: {enabled: true}
server: {listen: 9090}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := preset("/work/dir", "")
	want.Name, want.Bot, want.Polling.IntervalMS = "dev-loop", "triage", 500
	want.AssigneeBots = map[string]string{"alice-bot": "feature-dev"}
	want.Dispatch.Vars = map[string]string{"prompt": "{{issue.title}}"}
	want.Agent.MaxConcurrent, want.Agent.FailedState = 2, "none"
	want.Agent.MaxConcurrentByState = map[string]int{"ready": 1}
	want.AssigneeDispatch = map[string]DispatchConfig{"feature-dev": {map[string]string{"prompt": "{{issue.body}}"}}}
	want.Stall, want.Limits = StallConfig{0}, LimitsConfig{MaxCostPerDayUSD: 12.5, MaxChainDepth: 3}
	want.Hooks.AfterCreate = &HookConfig{Script: "git clone .", TimeoutMS: 60000}
	want.Hooks.BeforeRun = &HookConfig{Path: filepath.Join(dir, "check.sh"), TimeoutMS: 500}
	want.TicketRouter = RouterConfig{true, "triage"}
	want.Workspace = WorkspaceConfig{filepath.Join(dir, "w"), "cleanup_on_done"}
	want.Watchdog, want.Server = WatchdogConfig{true}, ServerConfig{"127.0.0.1:9090"}
	want.Bots.Paths = []string{"/work/dir/mine", "/opt/bots"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got.dispatch().PollInterval != 500*time.Millisecond {
		t.Errorf("dispatcher polls every %v", got.dispatch().PollInterval)
	}
}

func TestConfigProblemsNameFileLineAndRemedy(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"misspelt key", "name: x\nagent:\n  max_concurent: 3\n",
			"FILE:3: agent.max_concurent: unknown key, did you mean max_concurrent?"},
		{"strange key", "zzzzqqqq: 1\n",
			"FILE:1: zzzzqqqq: unknown key, want one of agent, assignee_bots, assignee_dispatch, bot, bots, dispatch, hooks, limits, name, polling, server, stall, ticket_router, tracker, watchdog, workspace"},
		{"address", "server: {listen: here}\n",
			"FILE:1: server.listen: \"here\" is not an address like 9090, 127.0.0.1:9090 or 0.0.0.0:9090"},
		{"zero cap", "agent: {max_concurrent: 0}\n",
			"FILE:1: agent.max_concurrent: \"0\" is not a whole number of at least 1"},
		{"text for number", "polling:\n  interval_ms: soon\n",
			"FILE:2: polling.interval_ms: \"soon\" is not a whole number of at least 100"},
		{"duration for number", "polling: {interval_ms: 30s}\n",
			"FILE:1: polling.interval_ms: \"30s\" is not a whole number of at least 100"},
		{"cap of a column", "agent: {max_concurrent_by_state: {ready: 0}}\n",
			"FILE:1: agent.max_concurrent_by_state.ready: \"0\" is not a whole number of at least 1"},
		{"foreign tracker", "tracker: {kind: jira}\n",
			"FILE:1: tracker.kind: \"jira\" is not one of native"},
		{"persist", "workspace: {persist: sometimes}\n",
			"FILE:1: workspace.persist: \"sometimes\" is not one of keep, cleanup_on_done, cleanup_on_terminal"},
		{"template", "dispatch:\n  vars:\n    prompt: '{{issue.titel}}'\n",
			"FILE:3: dispatch.vars.prompt: unknown reference {{issue.titel}}, did you mean {{issue.title}}?"},
		{"template of an assignee", "assignee_dispatch: {x: {vars: {p: '{{issue.titel}}'}}}\n",
			"FILE:1: assignee_dispatch.x.vars.p: unknown reference {{issue.titel}}, did you mean {{issue.title}}?"},
		{"hook of nothing", "hooks:\n  after_run: {timeout_ms: 5}\n",
			"FILE:2: hooks.after_run: want either script: (a text for sh) or path: (a program)"},
		{"hook of both", "hooks: {before_run: {script: a, path: b}}\n",
			"FILE:1: hooks.before_run: want either script: (a text for sh) or path: (a program)"},
		{"no such hook", "hooks: {befor_run: {script: a}}\n",
			"FILE:1: hooks.befor_run: unknown key, did you mean before_run?"},
		{"cap below nothing", "limits: {max_cost_per_day_usd: -1}\n",
			"FILE:1: limits.max_cost_per_day_usd: \"-1\" is not an amount in US dollars, 0 or more"},
		{"a chain without a link", "limits: {max_chain_depth: 0}\n",
			"FILE:1: limits.max_chain_depth: \"0\" is not a whole number of at least 1"},
		{"cap that is no number", "limits: {max_cost_per_day_usd: NaN}\n",
			"FILE:1: limits.max_cost_per_day_usd: \"NaN\" is not an amount in US dollars, 0 or more"},
		{"maybe", "ticket_router: {enabled: maybe}\n",
			"FILE:1: ticket_router.enabled: \"maybe\" is neither true nor false"},
		{"twice", "bot: a\nbot: b\n", "FILE:2: bot: is given twice"},
		{"blank", "bot: ' '\n", "FILE:1: bot: want a text that is not empty"},
		{"list", "bots: {paths: bots}\n", "FILE:1: bots.paths: want a list, like [bots, examples]"},
		{"scalar for block", "agent: 4\n", "FILE:1: agent: want a block of keys, like {key: value}"},
		{"two at once", "a1b2c3d4: 1\nagent: {max_attempts: -1}\n",
			"FILE:1: a1b2c3d4: unknown key, want one of agent, assignee_bots, assignee_dispatch, bot, bots, dispatch, hooks, limits, name, polling, server, stall, ticket_router, tracker, watchdog, workspace\n" +
				"FILE:2: agent.max_attempts: \"-1\" is not a whole number of at least 1"},
		{"no yaml", "a: [\n", "FILE: line 1: did not find expected node content"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, dir, err := load(t, tc.text)
			var bad *ConfigError
			if !errors.As(err, &bad) {
				t.Fatalf("got %v", err)
			}
			got := strings.ReplaceAll(err.Error(), filepath.Join(dir, ConfigName), "FILE")
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestConfigFileInCwdIsNotLoadedUnasked(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ConfigName), []byte("bot: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := LoadConfig("", dir, dir); err != nil || c.Bot != "" {
		t.Errorf("loaded it: %+v %v", c, err)
	}
}
