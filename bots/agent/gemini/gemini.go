package gemini

import (
	"path/filepath"
	"slices"
	"strings"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/stream"
)

// program is the base name of the command that this package knows.
const program = "gemini"

// New returns the engine of one run.
func New(s agent.Start) agent.Engine {
	return &engine{start: s, meter: stream.NewMeter(s), calls: stream.Calls{}}
}

type engine struct {
	start agent.Start
	meter *stream.Meter
	calls stream.Calls
	notes stream.Notes

	pieces stream.Pieces // of what the agent says, not shown yet
	text   stream.Tail   // what it said since its last call
	last   *event        // the result, nil while there is none
}

// Argv adds --resume behind the program's name, where no flag that takes a list can
// swallow it. A command line that chooses its session itself is left alone.
func (e *engine) Argv(argv []string, session string) []string {
	if len(argv) == 0 || filepath.Base(argv[0]) != program || stream.ID(session) == "" || slices.ContainsFunc(argv[1:], choosesSession) {
		return argv
	}
	return append([]string{argv[0], "--resume", session}, argv[1:]...)
}

func choosesSession(arg string) bool {
	flag, _, _ := strings.Cut(arg, "=")
	return slices.Contains([]string{"--resume", "-r", "--session-id", "--session-file"}, flag)
}

func (e *engine) Prompt(p agent.Prompt) string { return e.start.Text(p) }

func (e *engine) Note(line []byte) { e.notes.Add(line) }

// Read shows a line that is no event as it is. Whatever is not a piece of text ends
// the line that the pieces are at.
func (e *engine) Read(line []byte) agent.Said {
	var ev event
	if !stream.Decode(line, &ev) {
		return agent.Said{Log: stream.Join(e.rest(), string(line))}
	}
	if ev.Type == "message" {
		return e.message(&ev)
	}
	said := e.take(&ev)
	if said != (agent.Said{}) {
		said.Log = stream.Join(e.rest(), said.Log)
	}
	return said
}

func (e *engine) take(ev *event) agent.Said {
	switch ev.Type {
	case "init":
		return e.begins(ev)
	case "tool_use":
		return e.call(ev)
	case "tool_result":
		return e.called(ev)
	case "error":
		return stream.Warning(ev.Message)
	case "result":
		return e.result(ev)
	}
	return agent.Said{}
}

// rest is the text that pieces have not completed yet.
func (e *engine) rest() string { return stream.Text(e.pieces.Rest()) }
