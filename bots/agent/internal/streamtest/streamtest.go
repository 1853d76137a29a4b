// Package streamtest runs engines over sample streams and compares what they make
// of them with golden files, and throws anything at all at them.
package streamtest

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/bots/agent"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Now is the clock of all samples, a Monday.
var Now = time.Date(2026, 11, 30, 15, 0, 0, 0, time.UTC)

// New makes an engine.
type New func(agent.Start) agent.Engine

// Case is one run. Its stream is testdata/<Stream>.jsonl, what it must be read as
// testdata/<Name>.golden.
type Case struct {
	Name   string
	Stream string // empty: Name
	Start  agent.Start
	Stderr string
	Exit   agent.Exit
	Class  agent.Class
	Code   string
}

// Run runs all cases and wants every sample to be in one.
func Run(t *testing.T, newEngine New, cases []Case) {
	used := map[string]bool{}
	for _, c := range cases {
		file := cmp.Or(c.Stream, c.Name) + ".jsonl"
		used[file] = true
		t.Run(c.Name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			tale := Read(newEngine, c.Start, data, c.Stderr)
			v := tale.End(c.Exit)
			if v.Class != c.Class || v.Code != c.Code {
				t.Errorf("verdict %q %q, want %q %q: %s", v.Class, v.Code, c.Class, c.Code, v.Message)
			}
			golden(t, filepath.Join("testdata", c.Name+".golden"), tale.String())
		})
	}
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !used[filepath.Base(f)] {
			t.Errorf("%s is in no case", f)
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	if got != string(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", file, got, want)
	}
}

// Tale is what an engine made of a stream.
type Tale struct {
	engine        agent.Engine
	log, progress []string
	session       string
	cost          float64
	in, out       int64
	counted, over bool
	falls         bool // a total was less than the one before
	verdict       agent.Verdict
}

// Read feeds an engine with a whole stream.
func Read(newEngine New, s agent.Start, stdout []byte, stderr string) *Tale {
	if s.Now == nil {
		s.Now = func() time.Time { return Now }
	}
	t := &Tale{engine: newEngine(s), cost: s.CostUSD, in: s.TokensIn, out: s.TokensOut}
	for line := range strings.Lines(stderr) {
		t.engine.Note([]byte(strings.TrimSuffix(line, "\n")))
	}
	for line := range bytes.Lines(stdout) {
		t.take(t.engine.Read(bytes.TrimSuffix(line, []byte("\n"))))
	}
	return t
}

func (t *Tale) take(s agent.Said) {
	if s.Log != "" {
		t.log = append(t.log, s.Log)
	}
	if s.Progress != "" {
		t.progress = append(t.progress, s.Progress)
	}
	t.session = cmp.Or(s.Session, t.session)
	if s != (agent.Said{}) {
		t.over = s.Over
	}
	if s.Counted {
		t.falls = t.falls || s.CostUSD < t.cost || s.TokensIn < t.in || s.TokensOut < t.out
		t.counted, t.cost, t.in, t.out = true, s.CostUSD, s.TokensIn, s.TokensOut
	}
}

// End ends the run.
func (t *Tale) End(e agent.Exit) agent.Verdict {
	t.verdict = t.engine.End(e)
	return t.verdict
}

func (t *Tale) String() string {
	var b strings.Builder
	section := func(name string, lines []string) {
		fmt.Fprintf(&b, "-- %s --\n", name)
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	section("log", append(t.log, nonEmpty(t.verdict.Rest)...))
	section("progress", t.progress)
	section("end", t.facts())
	return b.String()
}

func (t *Tale) facts() []string {
	facts := []string{"session: " + t.session, fmt.Sprintf("over: %t", t.over)}
	if t.counted {
		facts = append(facts, fmt.Sprintf("used: %g USD, %d tokens in, %d out", t.cost, t.in, t.out))
	}
	v := t.verdict
	facts = append(facts, strings.TrimSpace(fmt.Sprintf("verdict: %s %s", cmp.Or(v.Class, "ok"), v.Code)))
	if v.Message != "" {
		facts = append(facts, "message: "+v.Message)
	}
	if !v.RetryAt.IsZero() {
		facts = append(facts, "retry at: "+v.RetryAt.Format(time.RFC3339Nano))
	}
	if v.NoSession {
		facts = append(facts, "the session is gone")
	}
	return append(facts, nonEmpty(prefixed("result: ", v.Result))...)
}

func prefixed(label, s string) string {
	if s == "" {
		return ""
	}
	return label + s
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
