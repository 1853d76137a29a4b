package manifest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseReadsEveryKey(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "full.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("full.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fullManifest(), got, cmpopts.IgnoreUnexported(Manifest{})); diff != "" {
		t.Errorf("manifest differs (-want +got):\n%s", diff)
	}
}

func fullManifest() Manifest {
	stall, one := 10*time.Minute, "1"
	return Manifest{
		SchemaVersion: 1, Name: "fix-lint", DisplayName: "Linty", Icon: "🧹", Version: "0.2", Enabled: true,
		Description: "Runs the linters.", WhenToUse: "When they complain.",
		Run: Run{
			Command: []string{"./run.sh", "--all"}, Protocol: JSONL, Timeout: 30 * time.Minute, Stall: &stall, Resume: true,
			Env: map[string]string{"FOO": "bar", "N": "3"}, PassEnv: []string{"TOKEN"}, MaxLog: 64 << 20,
			Install: "ask the team for run.sh",
		},
		Vars: []Var{
			{Name: "prompt", Required: true, Description: "What to do"},
			{Name: "depth", Default: &one, Enum: []string{"1", "2"}},
			{Name: "note"},
		},
		DispatchVars: map[string]string{"prompt": "{{issue.title}}\n\n{{ issue.fields.repo }}"},
		Retry:        Retry{UsageWindow: "resume", MaxAttempts: 5, MaxWait: 192 * time.Hour, Jitter: 10 * time.Minute},
		Invocations: []Invocation{
			{Kind: "board", Mode: "board", ArgsVar: "prompt", Line: 32, Board: &OnBoard{
				On: []string{"card.moved"}, ToStates: []string{"ready"}, AllLabels: []string{"auto"}}},
			{Kind: "board", Mode: "board", Line: 35},
			{Kind: "schedule", Mode: "direct", Line: 36, Schedule: &OnSchedule{SuggestedCron: "0 2 * * 1", DefaultVars: map[string]string{}}},
			{Kind: "keepalive", Mode: "direct", Line: 37, Keepalive: &OnKeepalive{Interval: 30 * time.Second, StaleAfter: 5 * time.Minute}},
			{Kind: "command", Mode: "direct", Line: 38, Command: &OnCommand{Name: "lint", Aliases: []string{"fix-lint"},
				Scope: "any", MinReplierRole: "maintainer", Disambiguator: "when_args_present"}},
			{Kind: "forge", Mode: "direct", Line: 39, Forge: &OnForge{Event: "pull_request", Actions: []string{"opened"}}},
		},
		Forge:   map[string]any{"token_scope": "repo", "labels": []any{"a", "b"}, "limits": map[string]any{"5": 0.5, "on": true, "off": nil}},
		Ignored: []string{"capabilities", "x-team"},
	}
}

func TestKeysAreThoseThatAreRead(t *testing.T) {
	for _, key := range Keys() {
		m, err := Parse("m", []byte("name: b\n"+key+"s: 1\n"))
		if err != nil || len(m.Ignored) != 1 || Nearest(m.Ignored[0], Keys()) != key {
			t.Errorf("%ss: ignored %v, %v, nearest %q", key, m.Ignored, err, Nearest(key+"s", Keys()))
		}
		if m, err = Parse("m", []byte("name: b\n"+key+": {}\n")); err == nil && len(m.Ignored) > 0 {
			t.Errorf("%s is not read", key)
		}
	}
	data, err := os.ReadFile(filepath.Join("testdata", "full.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		key, _, ok := strings.Cut(line, ":")
		if ok && key[0] != ' ' && !slices.Contains(append(Keys(), "capabilities", "x-team"), key) {
			t.Errorf("%s is read and not among the keys", key)
		}
	}
}

func TestParseFillsInDefaults(t *testing.T) {
	m, err := Parse("m", []byte("name: tiny\nrun: {script: echo hi}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !m.Enabled || m.SchemaVersion != 1 || m.Run.Protocol != Plain || m.Run.MaxLog != DefaultMaxLog || m.Run.Stall != nil {
		t.Errorf("defaults are not filled in: %+v", m)
	}
	if err := m.Launchable(); err != nil {
		t.Errorf("Launchable() = %v, want nil", err)
	}
}

// Each case is a body after the line "name: b"; want are the messages without
// the file name.
func TestParseNamesWhatIsWrongAndWhatIsRight(t *testing.T) {
	run := "run: {script: x}\n"
	for name, c := range map[string]struct{ body, want string }{
		"both programs":         {"run:\n  command: [a]\n  script: b\n", `4: run: has both command and script, keep one`},
		"no program":            {"run: {timeout: 1m}\n", `2: run: has neither command nor script, add command: ["./run.sh"]`},
		"empty command":         {"run: {command: []}\n", `2: run.command: is an empty list, want the program and its arguments like ["./run.sh"]`},
		"command as text":       {"run: {command: ./run.sh}\n", `2: run.command: is a single value, want a list like [a, b]`},
		"empty word":            {"run: {command: [a, \"\"]}\n", `2: run.command[1]: is empty, want text`},
		"blank script":          {"run: {script: \" \"}\n", `2: run.script: is empty, want text for sh`},
		"run is a list":         {"run: [a]\n", `2: run: is a list, want a mapping of keys to values`},
		"misspelt run key":      {"run: {script: x, timout: 1m}\n", `2: run.timout: unknown key, did you mean timeout?`},
		"strange run key":       {"run: {script: x, zzzzzzzz: 1}\n", `2: run.zzzzzzzz: unknown key, want one of command, script, protocol, timeout, stall, resume, env, pass_env, max_log, install`},
		"misspelt protocol":     {"run: {script: x, protocol: jsnol}\n", `2: run.protocol: unknown value "jsnol", did you mean jsonl?`},
		"unknown protocol":      {"run: {script: x, protocol: xml-rpc}\n", `2: run.protocol: unknown value "xml-rpc", want one of plain, jsonl, claude, codex, gemini, opencode`},
		"duration without unit": {"run: {script: x, timeout: 30}\n", `2: run.timeout: is "30", want a duration like 90s, 30m or 1h30m`},
		"negative duration":     {"run: {script: x, stall: -1s}\n", `2: run.stall: is "-1s", want a duration like 90s, 30m or 1h30m`},
		"size":                  {"run: {script: x, max_log: 3 parsecs}\n", `2: run.max_log: is "3 parsecs", want a size like 512KiB, 64MiB or 1GiB`},
		"size of nothing":       {"run: {script: x, max_log: 0}\n", `2: run.max_log: is "0", want a size like 512KiB, 64MiB or 1GiB`},
		"flag":                  {"run: {script: x, resume: maybe}\n", `2: run.resume: is "maybe", want true or false`},
		"install":               {"run: {script: x, install: \"a\\nb\"}\n", `2: run.install: has several lines, want one`},
		"own environment":       {"run: {script: x, env: {ITERION_RUN_ID: a}}\n", `2: run.env: ITERION_RUN_ID is set by iterion itself, choose a name without ITERION_`},
		"environment name":      {"run: {script: x, pass_env: [a=b]}\n", `2: run.pass_env: "a=b" cannot name an environment variable, want letters, digits and _, without $ or *`},
		"environment pattern":   {"run: {script: x, pass_env: [AWS_*]}\n", `2: run.pass_env: "AWS_*" cannot name an environment variable, want letters, digits and _, without $ or *`},
		"own variable passed":   {"run: {script: x, pass_env: [ITERION_STORE_DIR]}\n", `2: run.pass_env: ITERION_STORE_DIR is set by iterion itself, choose a name without ITERION_`},
		"script of a megabyte":  {"run: {script: \"" + strings.Repeat("x", 200_000) + "\"}\n", `2: run.script: is longer than 131071 bytes, which no system can start: put it into a file of the bundle`},
		"duplicate key":         {run + "version: 1\nversion: 2\n", `4: version: is given twice, keep one`},
		"newer schema":          {run + "schema_version: 2\n", `3: schema_version: is 2, this iterion reads up to 1: use a newer iterion`},
		"schema is text":        {run + "schema_version: new\n", `3: schema_version: is "new", want 1`},
		"merge key":             {run + "x: &x {required: true}\nvars: {a: {<<: *x}}\n", `4: vars.a: has a merge key <<, write the keys out`},
		"var name":              {run + "vars: {1st: {}}\n", `3: vars.1st: "1st" is no var name, want a letter, then letters, digits, - and _`},
		"var key":               {run + "vars: {a: {requird: true}}\n", `3: vars.a.requird: unknown key, did you mean required?`},
		"vars that collide":     {run + "vars:\n  a-b: {}\n  a_b: {}\n", `5: vars.a_b: is ITERION_VAR_A_B in the environment, as is a-b: rename one`},
		"default not in enum":   {run + "vars: {a: {default: z, enum: [x, y]}}\n", `3: vars.a.default: "z" is not in enum: x, y`},
		"var is text":           {run + "vars: {a: text}\n", `3: vars.a: is a single value, want a mapping of keys to values`},
		"dispatch var":          {run + "vars: {prompt: {}}\ndispatch_vars: {promt: x}\n", `4: dispatch_vars.promt: no var "promt", did you mean prompt?`},
		"reference":             {run + "dispatch_vars: {a: \"{{issue.titel}}\"}\n", `3: dispatch_vars.a: unknown reference {{issue.titel}}, did you mean {{issue.title}}?`},
		"open braces":           {run + "dispatch_vars: {a: \"{{issue.title\"}\n", `3: dispatch_vars.a: "{{issue.title" is not closed, write it like {{issue.title}}`},
		"retry count":           {run + "retry: {max_attempts: -1}\n", `3: retry.max_attempts: is "-1", want a number of at least 0`},
		"usage window":          {run + "retry: {usage_window: resum}\n", `3: retry.usage_window: unknown value "resum", did you mean resume?`},
		"jitter":                {run + "retry: {max_wait: 1m, jitter: 1h}\n", `3: retry.jitter: is 1h0m0s, more than max_wait: want less than 1m0s`},
		"retry key":             {run + "retry: {max_atempts: 1}\n", `3: retry.max_atempts: unknown key, did you mean max_attempts?`},
		"forge with a list key": {run + "forge:\n  a: {[x]: b}\n", `4: forge.a: has a list for a key, want text`},
		"forge with a merge":    {run + "forge: {{},<<}\n", `3: forge: has a mapping for a key, want text` + "\n" + `m.yaml:3: forge: has a merge key <<, write the keys out`},
		"default vars":          {run + "vars: {depth: {}}\ninvocations: [{kind: schedule, schedule: {default_vars: {dept: 1}}}]\n", `4: invocations[0].schedule.default_vars.dept: no var "dept", did you mean depth?`},
		"key with a line break": {run + "vars: {\"a\\nb\": {}}\n", `3: vars.a b: "a\nb" is no var name, want a letter, then letters, digits, - and _`},
		"forge is text":         {run + "forge: yes\n", `3: forge: is a single value, want a mapping of keys to values`},
		"invocations":           {run + "invocations: {}\n", `3: invocations: is a mapping, want a list`},
		"no kind":               {run + "invocations: [{}]\n", `3: invocations[0].kind: is missing, want board, schedule, keepalive, command or forge`},
		"kind":                  {run + "invocations: [{kind: bord}]\n", `3: invocations[0].kind: unknown value "bord", did you mean board?`},
		"mode":                  {run + "invocations: [{kind: board, mode: drect}]\n", `3: invocations[0].mode: unknown value "drect", did you mean direct?`},
		"board event":           {run + "invocations: [{kind: board, board: {on: [card.moved, card.mvoed]}}]\n", `3: invocations[0].board.on[1]: unknown value "card.mvoed", did you mean card.moved?`},
		"wrong block":           {run + "invocations: [{kind: board, schedule: {}}]\n", `3: invocations[0].schedule: does not fit kind: board, drop one of the two`},
		"keepalive too short":   {run + "invocations: [{kind: keepalive, keepalive: {interval: 4s}}]\n", `3: invocations[0].keepalive.interval: is 4s, want at least 5s`},
		"keepalive without":     {run + "invocations: [{kind: keepalive}]\n", `3: invocations[0].keepalive: is missing, kind: keepalive needs it`},
		"command name":          {run + "invocations: [{kind: command, command: {name: Lint}}]\n", `3: invocations[0].command.name: "Lint" is no command name, want a lower-case letter, then lower-case letters, digits, - and _`},
		"command scope":         {run + "invocations: [{kind: command, command: {name: a, scope: isue}}]\n", `3: invocations[0].command.scope: unknown value "isue", did you mean issue?`},
		"command twice":         {run + "invocations:\n- {kind: command, command: {name: a}}\n- {kind: command, command: {name: b, aliases: [a]}}\n", `5: invocations[1].command.name: command "a" is there already, use each name once`},
		"forge event":           {run + "invocations: [{kind: forge, forge: {event: pull_reqest}}]\n", `3: invocations[0].forge.event: unknown event "pull_reqest", did you mean pull_request?`},
		"args var":              {run + "vars: {a: {}}\ninvocations: [{kind: board, args_var: zzzz}]\n", `4: invocations[0].args_var: no var "zzzz", the bot declares a`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("m.yaml", []byte("name: b\n"+c.body))
			if err == nil {
				t.Fatalf("no error, want %q", c.want)
			}
			if diff := cmp.Diff("m.yaml:"+c.want, err.Error()); diff != "" {
				t.Errorf("message differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRefusesWhatIsNoManifest(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"empty":       {"", "m:1: is empty, want at least name: and run:"},
		"a comment":   {"# nothing\n", "m:1: is empty, want at least name: and run:"},
		"a list":      {"- a\n", "m:1: is a list, want a mapping"},
		"two":         {"name: a\n---\nname: b\n", "m:2: has a second document, keep one"},
		"bad YAML":    {"name: a\nrun: [\n", "m:2: is not YAML: "},
		"no name":     {"version: 1\n", "m:1: name: is missing, want the folder's name"},
		"upper case":  {"name: Bot\n", `m:1: name: "Bot" is no bot name, want a lower-case letter`},
		"path":        {"name: ../x\n", `m:1: name: "../x" is no bot name`},
		"alias cycle": {"name: a\nforge: &f {x: *f}\n", "m:2: forge: stands for more than 10000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("m", []byte(c.data))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestParseReportsEveryProblemByLine(t *testing.T) {
	_, err := Parse("m", []byte("name: B\nrun:\n  timeout: soon\n  protocol: morse\nvars:\n  a: {requird: 1}\n"))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error = %v, want an *Error", err)
	}
	var lines []int
	for _, p := range e.Problems {
		lines = append(lines, p.Line)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4, 6}, lines); diff != "" {
		t.Errorf("lines of the problems (-want +got):\n%s\n%v", diff, err)
	}
}

func TestLaunchableSaysWhatIsMissing(t *testing.T) {
	for body, want := range map[string]string{
		"":                                   "bot b has no run: block: add run.command (a list) or run.script to its manifest",
		"run: {script: x}\nenabled: false\n": "bot b is disabled: its manifest says enabled: false",
	} {
		m, err := Parse("m", []byte("name: b\n"+body))
		if err != nil {
			t.Fatalf("%q must parse: %v", body, err)
		}
		if err := m.Launchable(); err == nil || err.Error() != want {
			t.Errorf("Launchable() of %q = %v, want %q", body, err, want)
		}
	}
}

func TestEveryProtocolIsRun(t *testing.T) {
	for _, p := range Protocols() {
		m, err := Parse("m", []byte("name: b\nrun: {command: [x], protocol: "+string(p)+"}\n"))
		if err != nil || m.Run.Protocol != p || m.Launchable() != nil {
			t.Errorf("%s: parsed to %q, %v, launchable: %v", p, m.Run.Protocol, err, m.Launchable())
		}
		if want := p != Plain && p != JSONL; p.Agent() != want {
			t.Errorf("%s.Agent() = %t", p, !want)
		}
	}
}

func TestManifestsOfOtherImplementationsLoad(t *testing.T) {
	m, err := Parse("m", []byte(`
name: feature-dev
display_name: Featurly
capabilities: [git, forge]
schedules: {nightly: "0 2 * * *"}
vars:
  prompt: {type: string, required: true, ui: {widget: textarea}}
retry: {usage_window: resume, circuit: open}
invocations:
  - {kind: board, label: On the board, board: {on: [card.created], priority_at_least: 2}}
  - {kind: forge, forge: {event: pull_request, actions: [opened], branches: [main]}}
forge: {token_scope: repo, limits: {prs: 3}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"capabilities", "schedules", "vars.prompt.type", "vars.prompt.ui", "retry.circuit",
		"invocations[0].board.priority_at_least", "invocations[0].label", "invocations[1].forge.branches"}
	if diff := cmp.Diff(want, m.Ignored); diff != "" {
		t.Errorf("ignored keys differ (-want +got):\n%s", diff)
	}
	if err := m.Launchable(); err == nil || !strings.Contains(err.Error(), "has no run: block") {
		t.Errorf("Launchable() = %v", err)
	}
}

func TestCheckName(t *testing.T) {
	m := Manifest{Name: "fix-lint", nameLine: 3}
	if err := m.CheckName("m", "folder", "fix_lint"); err != nil {
		t.Errorf("- and _ count as equal: %v", err)
	}
	want := `m:3: name: is "fix-lint" but the archive is "lint", name them alike`
	if err := m.CheckName("m", "archive", "lint"); err == nil || err.Error() != want {
		t.Errorf("CheckName = %v, want %q", err, want)
	}
}

func TestIgnoredKeysAreOneLineEach(t *testing.T) {
	m, err := Parse("m", []byte("name: b\n\"of\\nothers\\e[31m\": 1\nvars: {v: {\"of\\nothers\": 1}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"of others [31m", "vars.v.of others"}, m.Ignored); diff != "" {
		t.Errorf("ignored (-want +got):\n%s", diff)
	}
}
