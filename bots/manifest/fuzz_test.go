package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func FuzzParse(f *testing.F) {
	full, err := os.ReadFile(filepath.Join("testdata", "full.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	for _, seed := range []string{
		"name: a\nrun: {script: x, env: &e {A: *e}}\n",
		"name: a\nvars: {? [x] : y}\ninvocations: [*a, &a {kind: forge}]\n",
		"a: &a [*a]\n? *a\n: *a\n",
		"forge: {{},<<}",
		"name: a\nforge: {x: {1: .nan, 2001-01-01: ~}, <<: {y: z}}\n",
		"name: a\nvars: &v {p: &p {default: &d 1, enum: [*d]}, q: *p}\nx: *v\n",
		"name: a\nrun: {command: [x, !!binary aGk=], pass_env: [~, [a], *n], stall: 1e3h, max_log: 9223372036854775807GiB}\n",
		"name: a\nretry: {usage_window: off, max_attempts: 99999999999999999999, max_wait: 2562048h, jitter: -0s}\n",
		"name: a\ninvocations:\n- {kind: keepalive, keepalive: {interval: 5s, default_vars: {a: b}}}\n- {kind: board, board: {on: [*x]}}\n",
		"name: a\n\"na\\nme\": b\nrun: {\"tim\\teout\": 1}\n",
		"%YAML 1.2\n---\nname: a\n...\n---\nname: b\n",
		"\ufeffname: a\ndispatch_vars: {p: \"{{issue.title}}{{ {{\"}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse("m", data)
		if err != nil {
			wantProblems(t, err, data)
			return
		}
		wantUsable(t, m)
		again, err := Parse("m", data)
		if err != nil || !cmp.Equal(m.Vars, again.Vars) || !cmp.Equal(m.Run, again.Run) || !cmp.Equal(m.Ignored, again.Ignored) {
			t.Fatalf("reads differently the second time: %v", err)
		}
	})
}

// wantProblems checks that an error is a list of lines that exist in the file, in
// order, each of them one line of text.
func wantProblems(t *testing.T, err error, data []byte) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || len(e.Problems) == 0 {
		t.Fatalf("error %#v is no *Error with problems", err)
	}
	lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 1 +
		bytes.Count(data, []byte("\u0085")) + bytes.Count(data, []byte("\u2028")) + bytes.Count(data, []byte("\u2029"))
	last := 1
	for _, p := range e.Problems {
		if p.Line < last || p.Line > lines+1 && bytes.IndexByte(data, 0) < 0 {
			t.Fatalf("problem %q is behind line %d in a file of %d lines", p, last, lines)
		}
		last = p.Line
		if strings.ContainsFunc(p.String(), unicode.IsControl) {
			t.Fatalf("problem %q is more than a line of text", p)
		}
	}
}

// wantUsable checks what the rest of the program takes for granted.
func wantUsable(t *testing.T, m Manifest) {
	t.Helper()
	if !ValidName(m.Name) {
		t.Fatalf("accepted the name %q", m.Name)
	}
	for name, s := range m.DispatchVars {
		if err := CheckTemplate(s); err != nil {
			t.Fatalf("accepted the template of %s: %v", name, err)
		}
	}
	taken := map[string]bool{}
	for _, v := range m.Vars {
		if taken[EnvName(v.Name)] {
			t.Fatalf("two vars are %s", EnvName(v.Name))
		}
		taken[EnvName(v.Name)] = true
	}
	for _, name := range m.Run.PassEnv {
		if strings.ContainsAny(name, "=\x00 ") || strings.HasPrefix(name, "ITERION_") {
			t.Fatalf("accepted %q in pass_env", name)
		}
	}
	if m.Run.Timeout < 0 || m.Run.MaxLog <= 0 || m.Run.Stall != nil && *m.Run.Stall < 0 || m.Retry.MaxWait < 0 || m.Retry.MaxAttempts < 0 {
		t.Fatalf("accepted a negative bound: %+v %+v", m.Run, m.Retry)
	}
	if m.Launchable() == nil && m.Enabled && len(m.Run.Command) == 0 && strings.TrimSpace(m.Run.Script) == "" {
		t.Fatal("can be launched without a program")
	}
	if _, err := json.Marshal(m); err != nil {
		t.Fatalf("cannot be said in JSON: %v", err)
	}
	if _, err := m.FitVars(nil); err != nil && !errors.Is(err, ErrInvalid) {
		t.Fatal(err)
	}
}
