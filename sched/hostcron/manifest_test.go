package hostcron

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/sched/gate"
)

// manifestOf writes a manifest and returns its place.
func manifestOf(t *testing.T, text string) Paths {
	t.Helper()
	p := Paths{Manifest: filepath.Join(t.TempDir(), manifestName)}
	if err := os.WriteFile(p.Manifest, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func mustLoad(t *testing.T, p Paths) *Manifest {
	t.Helper()
	m, err := Load(p.Manifest, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ptr[T any](v T) *T { return &v }

func TestLocatePrefersTheFlagThenTheEnvironment(t *testing.T) {
	if got := Locate("", "", "u", "/cwd").Manifest; got != "/cwd/u/.iterion/schedules.yaml" {
		t.Errorf("of a relative home: %s, which cron would look for elsewhere", got)
	}
	for _, c := range []struct{ flag, env, want string }{
		{"", "", "/home/u/.iterion/schedules.yaml"},
		{"", "/e/s.yaml", "/e/s.yaml"},
		{"f.yaml", "/e/s.yaml", "/cwd/f.yaml"},
		{"", "../e.yaml", "/e.yaml"},
	} {
		if got := Locate(c.flag, c.env, "/home/u", "/cwd").Manifest; got != c.want {
			t.Errorf("flag %q, env %q: %s, want %s", c.flag, c.env, got, c.want)
		}
	}
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"nightly": true, "a": true, "A-1_b.c": true, "9to5": true, strings.Repeat("x", nameMax): true,
		"": false, ".install": false, "-n": false, "_x": false, "a b": false, "a/b": false, "a%b": false, "a'b": false,
		"ü": false, "a\n": false, "..": false, strings.Repeat("x", nameMax+1): false,
	} {
		if err := CheckName(name); (err == nil) != ok || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestLoadReadsEveryKey(t *testing.T) {
	p := manifestOf(t, `version: 1
schedules:
  - name: nightly
    cron: "0 2 * * *"
    tz: Europe/Berlin
    bot: audit
    workdir: ~/src/my app
    store_dir: /srv/100%/.iterion
    timeout: 1h30m
    vars: {depth: 3, deep: true, note: "a: b"}
    description: looks at everything
    disabled: yes
    overlap: allow
    max_concurrent: 2
    guard: |
      test -e go &&
        echo hello
    guard_timeout: 90s
    guard_var: out
    retry_usage_window: fresh
    retry_max_attempts: 0
    retry_max_wait: 192h
    retry_jitter: 10m
`)
	want := Schedule{
		Name: "nightly", Cron: "0 2 * * *", TZ: "Europe/Berlin", Bot: "audit", Workdir: "~/src/my app",
		StoreDir: "/srv/100%/.iterion", Timeout: 90 * time.Minute,
		Vars:        map[string]string{"depth": "3", "deep": "true", "note": "a: b"},
		Description: "looks at everything", Disabled: true,
		Policy: gate.Policy{Overlap: gate.Allow, MaxConcurrent: 2, Guard: "test -e go &&\n  echo hello\n",
			GuardTimeout: 90 * time.Second, GuardVar: "out"},
		Retry: Retry{UsageWindow: "fresh", MaxAttempts: ptr(0), MaxWait: ptr(192 * time.Hour), Jitter: ptr(10 * time.Minute)},
	}
	m := mustLoad(t, p)
	if len(m.Rows) != 1 || m.Rows[0].Problems != nil || m.Rows[0].Odd != nil {
		t.Fatalf("%+v", m)
	}
	if d := cmp.Diff(want, m.Rows[0].Schedule); d != "" {
		t.Error(d)
	}
	if got := Expand(m.Rows[0].Workdir, "/home/u"); got != "/home/u/src/my app" {
		t.Errorf("expanded: %s", got)
	}
}

func TestLoadOfAMissingManifestHasNoRows(t *testing.T) {
	m, err := Load(filepath.Join(t.TempDir(), "none.yaml"), time.UTC)
	if err != nil || !m.Missing || len(m.Rows) != 0 {
		t.Fatalf("%+v, %v", m, err)
	}
	var unknown *UnknownError
	if _, err := m.Find("nightly"); !errors.As(err, &unknown) || !errors.Is(err, ErrUnknown) {
		t.Errorf("find: %v", err)
	}
}

// Its schedules are not gone: an install must not take their lines away.
func TestLoadOfALinkToNothingIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.Symlink("elsewhere.yaml", path); err != nil {
		t.Fatal(err)
	}
	if m, err := Load(path, time.UTC); err == nil || !strings.Contains(err.Error(), "is a link to a file that does not exist") {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestLoadReadsManifestsWithoutRows(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "comment": "# nothing\n", "version": "version: 1\n", "null": "schedules:\n",
		"list": "version: 1\nschedules: []\n", "null document": "---\n",
	} {
		if m := mustLoad(t, manifestOf(t, text)); len(m.Rows) != 0 || m.Odd != nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestLoadRefusesAFileThatIsNoManifestWithItsLine(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no yaml":        {"version: 1\nschedules:\n  - name: [\n", ":3: is no YAML"},
		"star":           {"schedules:\n  - name: a\n    cron: */5 * * * *\n", `:3: cron: an expression that begins with a star needs quotes: cron: "*/5 * * * *"`},
		"version":        {"version: 2\n", ":1: version: \"2\" is not known here"},
		"no list":        {"schedules:\n  name: a\n", ":2: schedules: is a mapping, want a list"},
		"no mapping":     {"- name: a\n", ":1: is a list, want"},
		"two lists":      {"schedules: []\nschedules: []\n", ":2: schedules: is given twice"},
		"two documents":  {"schedules: []\n---\nschedules: []\n", "a second document"},
		"tab":            {"schedules:\n\t- name: a\n", "is no YAML"},
		"unknown anchor": {"schedules:\n  - *x\n", "is no YAML"},
	} {
		_, err := Load(manifestOf(t, c.text).Manifest, time.UTC)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A bad row is between two good ones, which are usable all the same.
func TestLoadNamesWhatIsWrongWithARowAndKeepsTheOthers(t *testing.T) {
	for name, c := range map[string]struct{ row, want string }{
		"no name":       {"cron: '0 2 * * *'\n    bot: b", `:6: name: invalid name "": want letters`},
		"bad name":      {"name: a b\n    cron: '0 2 * * *'\n    bot: b", `:6: a b: name: invalid name "a b": want letters`},
		"twin":          {"name: First\n    cron: '0 2 * * *'\n    bot: b", ":6: First: name: is the name of line 3 already"},
		"no cron":       {"name: x\n    bot: b", ":6: x: cron: is missing"},
		"bad cron":      {"name: x\n    cron: '0 2 * *'\n    bot: b", `:7: x: cron: cron expression "0 2 * *"`},
		"line break":    {"name: x\n    cron: \"0 2 *\\n* *\"\n    bot: b", "line break"},
		"never":         {"name: x\n    cron: '0 0 30 2 *'\n    bot: b", ":7: x: cron: "},
		"every":         {"name: x\n    cron: '@every 90s'\n    bot: b", "iterion trigger add"},
		"zone":          {"name: x\n    cron: '0 2 * * *'\n    tz: Mars/Base\n    bot: b", "Mars/Base"},
		"no bot":        {"name: x\n    cron: '0 2 * * *'", ":6: x: bot: is missing"},
		"relative":      {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    workdir: src", ":9: x: workdir: \"src\" depends on where it is read"},
		"timeout":       {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    timeout: 30", ":9: x: timeout: is \"30\", want a duration"},
		"negative":      {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    timeout: -1s", "is negative"},
		"vars list":     {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    vars: [a]", ":9: x: vars: is a list, want names and values"},
		"vars nested":   {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    vars: {a: {b: c}}", "x: vars: a is a mapping, want text"},
		"flag":          {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    disabled: perhaps", "is \"perhaps\", want true or false"},
		"overlap":       {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    overlap: queue", `overlap "queue" is not one of`},
		"supersede":     {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    overlap: supersede", "supersede needs a clock that can end runs"},
		"max":           {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    max_concurrent: 2", "max_concurrent goes only with overlap allow"},
		"guard parts":   {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    guard_timeout: 3s", "go only with a guard"},
		"retry":         {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    retry_usage_window: later", `:9: x: retry_usage_window: "later" is not one of resume, fresh, off`},
		"jitter":        {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    retry_max_wait: 1m\n    retry_jitter: 1h", "is more than retry_max_wait"},
		"twice":         {"name: x\n    cron: '0 2 * * *'\n    bot: b\n    bot: c", ":9: x: bot: is given twice"},
		"no mapping":    {"just text", ":6: the row is a single value"},
		"name is list":  {"name: [x]\n    cron: '0 2 * * *'\n    bot: b", ":6: name: is a list, want text"},
		"merges itself": {"&m\n    <<: *m\n    name: x\n    bot: b", "cron: is missing"},
	} {
		text := "version: 1\nschedules:\n  - name: first\n    cron: '0 1 * * *'\n    bot: b\n  - " + c.row +
			"\n  - name: last\n    cron: '0 3 * * *'\n    bot: b\n"
		m, err := Load(manifestOf(t, text).Manifest, time.UTC)
		if err != nil || len(m.Rows) != 3 {
			t.Errorf("%s: %+v, %v", name, m, err)
			continue
		}
		if err := m.Rows[1].Err(); err == nil || !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if m.Rows[0].Err() != nil || m.Rows[2].Err() != nil {
			t.Errorf("%s: the others suffer: %v, %v", name, m.Rows[0].Err(), m.Rows[2].Err())
		}
	}
}

func TestLoadNotesUnknownKeysAndSlips(t *testing.T) {
	m := mustLoad(t, manifestOf(t, "schedule: []\nx-mine: 1\nschedules:\n  - {name: a, cron: '0 1 * * *', bot: b, gaurd: test, owner: me}\n"))
	if len(m.Odd) != 1 || !strings.Contains(m.Odd[0].String(), ":1: schedule: unknown key, did you mean schedules?") {
		t.Errorf("file: %v", m.Odd)
	}
	r := m.Rows[0]
	if r.Err() != nil || len(r.Odd) != 2 || !strings.Contains(r.Odd[0].String(), "a: gaurd: unknown key, did you mean guard?") ||
		!strings.Contains(r.Odd[1].What, "kept") {
		t.Errorf("row: %v, %v", r.Err(), r.Odd)
	}
}

func TestLoadFollowsAnchorsAndMerges(t *testing.T) {
	m := mustLoad(t, manifestOf(t, `defaults: &d {bot: audit, timeout: 1h, tz: UTC}
schedules:
  - {<<: *d, name: a, cron: "0 1 * * *"}
  - <<: [*d]
    name: b
    cron: "0 2 * * *"
    timeout: 2h
`))
	for i, want := range []time.Duration{time.Hour, 2 * time.Hour} {
		if r := m.Rows[i]; r.Err() != nil || r.Bot != "audit" || r.Timeout != want {
			t.Errorf("row %d: %+v, %v", i, r.Schedule, r.Err())
		}
	}
}

func TestFindGuessesWhatWasMeant(t *testing.T) {
	m := mustLoad(t, manifestOf(t, "schedules:\n  - {name: nightly, cron: '0 1 * * *', bot: b}\n"))
	if _, err := m.Find("nightyl"); err == nil || !strings.Contains(err.Error(), "did you mean nightly?") {
		t.Error(err)
	}
	if r, err := m.Find("nightly"); err != nil || r.Line != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}
