package supervise

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"iterion/bots/agent"
	"iterion/bots/manifest"
)

// fakeProtocol is that of an agent whose lines are the fields of agent.Said, and
// whose last line may hold a Verdict.
const fakeProtocol manifest.Protocol = "fake"

type fake struct {
	start   agent.Start
	verdict *agent.Verdict
	notes   []string
}

func newFake(s agent.Start) agent.Engine { return &fake{start: s} }

func (f *fake) Argv(argv []string, session string) []string {
	if session == "" || argv[0] == "/bin/sh" {
		return argv
	}
	return append(argv[:len(argv):len(argv)], "--resume", session)
}

func (f *fake) Prompt(p agent.Prompt) string {
	return fmt.Sprintf("task %s, resume %t, answers %v, spent %g\n", p.Task, p.Resume, p.Answers, f.start.CostUSD)
}

func (f *fake) Read(line []byte) agent.Said {
	var in struct {
		agent.Said
		Verdict *agent.Verdict
	}
	if json.Unmarshal(line, &in) != nil {
		return agent.Said{Log: string(line)}
	}
	if in.Verdict != nil {
		f.verdict = in.Verdict
	}
	return in.Said
}

func (f *fake) Note(line []byte) { f.notes = append(f.notes, string(line)) }

func (f *fake) End(e agent.Exit) agent.Verdict {
	switch {
	case f.verdict == nil:
		return agent.Verdict{Class: agent.Transient, Code: "CRASHED", Message: "no last word; stderr: " + strings.Join(f.notes, "|")}
	case e.Code != 0:
		return agent.Verdict{Class: agent.Transient, Code: "CRASHED", Message: fmt.Sprintf("exit %d %s", e.Code, e.Signal)}
	}
	return *f.verdict
}

var quotaReset = time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
