package claude

import (
	"path/filepath"
	"slices"
	"strings"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/stream"
)

// program is the base name of the command that this package knows.
const program = "claude"

// New returns the engine of one run.
func New(s agent.Start) agent.Engine {
	return &engine{start: s, meter: stream.NewMeter(s), calls: stream.Calls{}}
}

type engine struct {
	start agent.Start
	meter *stream.Meter
	calls stream.Calls
	notes stream.Notes

	named   bool   // the session was shown
	text    string // of the agent, the last that was said
	refusal string // kind of the last request that the service refused
	limit   *limit // as it was told last
	last    *event // the result, nil while there is none
}

// Argv adds --resume behind the program's name, where no flag that takes a list
// can swallow it. A command line that chooses its session itself is left alone.
func (e *engine) Argv(argv []string, session string) []string {
	if len(argv) == 0 || filepath.Base(argv[0]) != program || stream.ID(session) == "" || slices.ContainsFunc(argv[1:], choosesSession) {
		return argv
	}
	return append([]string{argv[0], "--resume", session}, argv[1:]...)
}

func choosesSession(arg string) bool {
	flag, _, _ := strings.Cut(arg, "=")
	return slices.Contains([]string{"--resume", "-r", "--continue", "-c", "--session-id"}, flag)
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
	if ev.Parent != "" {
		said.Log = stream.Indent(said.Log)
	}
	return said
}

func (e *engine) take(ev *event) agent.Said {
	switch ev.Type {
	case "system":
		return e.system(ev)
	case "assistant":
		return e.assistant(ev)
	case "user":
		return e.results(ev)
	case "tool_progress":
		return working(ev)
	case "rate_limit_event":
		return e.limited(ev)
	case "result":
		return e.result(ev)
	}
	return agent.Said{}
}
