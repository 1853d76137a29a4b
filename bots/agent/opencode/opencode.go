package opencode

import (
	"path/filepath"
	"slices"
	"strings"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/stream"
)

// program is the base name of the command that this package knows.
const program = "opencode"

// New returns the engine of one run.
func New(s agent.Start) agent.Engine {
	return &engine{start: s, meter: stream.NewMeter(s)}
}

type engine struct {
	start agent.Start
	meter *stream.Meter
	notes stream.Notes

	session string
	text    stream.Tail // what the agent said in this step
	reason  string      // why the last step ended, empty while one is under way
	failure *failure    // the last error, nil when a step began behind it
}

// Argv adds --session behind run, where no flag that takes a list can swallow it. A
// command line that chooses its session itself is left alone.
func (e *engine) Argv(argv []string, session string) []string {
	at := slices.Index(argv, "run")
	if at < 1 || filepath.Base(argv[0]) != program || stream.ID(session) == "" || slices.ContainsFunc(argv, choosesSession) {
		return argv
	}
	return slices.Insert(slices.Clone(argv), at+1, "--session", session)
}

func choosesSession(arg string) bool {
	flag, _, _ := strings.Cut(arg, "=")
	return slices.Contains([]string{"--session", "-s", "--continue", "-c"}, flag)
}

func (e *engine) Prompt(p agent.Prompt) string { return e.start.Text(p) }

func (e *engine) Note(line []byte) { e.notes.Add(line) }

// Read shows a line that is no event as it is.
func (e *engine) Read(line []byte) agent.Said {
	var ev event
	if !stream.Decode(line, &ev) {
		return agent.Said{Log: string(line)}
	}
	said := e.take(&ev)
	if id := stream.ID(ev.Session); id != "" && id != e.session {
		e.session = id
		said.Session = id
		said.Log = stream.Join("opencode, session "+id, said.Log)
	}
	return said
}

func (e *engine) take(ev *event) agent.Said {
	switch ev.Type {
	case "step_start":
		e.reason, e.failure = "", nil
		e.text.Reset()
		return agent.Said{Progress: "thinking"}
	case "text":
		return e.says(&ev.Part)
	case "reasoning":
		return agent.Said{Progress: stream.FirstLine("thinking: " + ev.Part.Text)}
	case "tool_use":
		return used(&ev.Part)
	case "step_finish":
		return e.stepEnds(&ev.Part)
	case "error":
		e.failure = &ev.Error
		return stream.Warning(ev.Error.text())
	}
	return agent.Said{}
}
