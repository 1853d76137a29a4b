package supervise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"iterion/bots/agent"
	"iterion/bots/agent/claude"
	"iterion/bots/agent/codex"
	"iterion/bots/agent/gemini"
	"iterion/bots/agent/opencode"
	"iterion/bots/manifest"
	"iterion/native/atomicfile"
	"iterion/native/run"
)

// promptFile is the standard input of an agent.
const promptFile = "prompt.txt"

// DefaultLinger is how long an agent may live on after its last word.
const DefaultLinger = 30 * time.Second

// engines are the protocols of agent command lines.
var engines = map[manifest.Protocol]func(agent.Start) agent.Engine{
	manifest.Claude:   claude.New,
	manifest.Codex:    codex.New,
	manifest.Gemini:   gemini.New,
	manifest.OpenCode: opencode.New,
}

// talk is what is heard of an agent.
type talk struct {
	said   *account
	log    *logFile
	stream *logFile
	hide   *redactor

	complaints ringTap // the end of stderr

	mu     sync.Mutex // an engine is used by one at a time
	engine agent.Engine
	over   time.Time // when the last word was said; zero: not yet
}

// newTalk returns nil for a bot that is no agent.
func newTalk(p plan, rec run.Record, runDir string) (*talk, error) {
	if !p.Protocol.Agent() {
		return nil, nil
	}
	engine, ok := engines[p.Protocol]
	if !ok {
		return nil, fmt.Errorf("the bot speaks run.protocol %s, which this version of iterion does not know", p.Protocol)
	}
	return &talk{engine: engine(agent.Start{
		Session: rec.Session, CostUSD: rec.CostUSD, TokensIn: rec.TokensIn, TokensOut: rec.TokensOut,
		Now: time.Now, Zone: zoneOf(p.Env), RunDir: runDir,
	})}, nil
}

// zoneOf is the zone that an agent tells times in: that of its environment.
func zoneOf(env map[string]string) *time.Location {
	zone, err := time.LoadLocation(env["TZ"])
	if err != nil {
		return time.UTC
	}
	return zone
}

// hears returns the tap of the agent's stream.
func (t *talk) hears() *lines {
	return &lines{each: t.line, max: maxSpoken, tooLong: func() { t.said.tooLong("a line of the agent's stream", maxSpoken) }}
}

func (t *talk) line(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// Before it is read, too: what an engine cuts short may be cut within a secret.
	said := t.engine.Read(t.hide.bytes(b))
	if said == (agent.Said{}) {
		return
	}
	if said.Log != "" {
		t.log.Line(t.hide.clean(said.Log))
	}
	t.said.hear(said)
	t.over = time.Time{} // it went on after what seemed its last word
	if said.Over {
		t.over = time.Now()
	}
}

// lingers reports how long ago the agent said its last word; 0: it has not.
func (t *talk) lingers() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over.IsZero() {
		return 0
	}
	return max(1, time.Since(t.over))
}

// verdict judges the run when all was heard. An agent that had to be ended after
// its last word is judged as if it had left by itself.
func (t *talk) verdict(ws unix.WaitStatus, lingered bool) agent.Verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	for line := range bytes.Lines(t.hide.bytes(t.stderr())) {
		t.engine.Note(bytes.TrimRight(line, "\r\n"))
	}
	exit := agent.Exit{Code: ws.ExitStatus()}
	switch {
	case lingered:
		exit = agent.Exit{}
	case ws.Signaled():
		exit = agent.Exit{Code: -1, Signal: unix.SignalName(ws.Signal())}
	}
	v := t.engine.End(exit)
	if v.Rest != "" {
		t.log.Line(t.hide.clean(v.Rest))
	}
	return v
}

// stderr is the end of what the agent printed there.
func (t *talk) stderr() []byte {
	kept, _ := t.complaints.ring.end()
	return kept
}

// ringTap keeps the end of a stream.
type ringTap struct{ ring ring }

func (t *ringTap) add(p []byte) { t.ring.add(p) }
func (t *ringTap) flush()       {}

// prompt writes what the agent is to do into the run's folder and returns it open,
// as its standard input.
func (s *supervisor) prompt() (*os.File, error) {
	answers, err := s.answers()
	if err != nil {
		return nil, err
	}
	vars, err := s.vars()
	if err != nil {
		return nil, err
	}
	text := s.talk.engine.Prompt(agent.Prompt{Task: vars["prompt"], Resume: s.rec.Session != "", Answers: answers})
	path := filepath.Join(s.dir, promptFile)
	if err := atomicfile.Write(path, []byte(text), 0o600, atomicfile.Options{NoFsync: true}); err != nil {
		return nil, fmt.Errorf("write the prompt: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the prompt: %w", err)
	}
	return f, nil
}

// answers returns what a person answered, as texts; nil when nobody was asked.
func (s *supervisor) answers() (map[string]string, error) {
	path := filepath.Join(s.dir, run.AnswersFile)
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var values map[string]any
	if err == nil {
		err = json.Unmarshal(data, &values)
	}
	if err != nil {
		return nil, fmt.Errorf("read answers: %w", err)
	}
	answers := make(map[string]string, len(values))
	for name, value := range values {
		answers[name] = plainText(value)
	}
	return answers, nil
}

func plainText(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}
