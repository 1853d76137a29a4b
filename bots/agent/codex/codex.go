package codex

import (
	"path/filepath"
	"slices"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/stream"
)

// program is the base name of the command that this package knows.
const program = "codex"

// New returns the engine of one run.
func New(s agent.Start) agent.Engine {
	return &engine{start: s, meter: stream.NewMeter(s), calls: stream.Calls{}}
}

type engine struct {
	start agent.Start
	meter *stream.Meter
	calls stream.Calls
	notes stream.Notes

	text   string // of the agent, the last that was said
	notice string // the last error that ends nothing
	other  bool   // another session than the one to go on with was begun
	last   *event // turn.completed or turn.failed, nil while there is none
}

// Argv puts resume at the end and the run's folder among what the sandbox lets the
// agent write. Only a command line that reads its prompt from standard input can be
// gone on with: exec with - at its end, or without a prompt.
func (e *engine) Argv(argv []string, session string) []string {
	at := slices.IndexFunc(argv, func(arg string) bool { return arg == "exec" || arg == "e" })
	if len(argv) == 0 || filepath.Base(argv[0]) != program || at < 1 {
		return argv
	}
	out := slices.Clone(argv)
	if stream.ID(session) != "" && !slices.Contains(argv, "resume") {
		if out[len(out)-1] == "-" {
			out = out[:len(out)-1]
		}
		out = append(out, "resume", session, "-")
	}
	if e.start.RunDir != "" && confined(argv) {
		out = slices.Insert(out, at+1, "--add-dir", e.start.RunDir)
	}
	return out
}

// confined reports whether the agent may write in its working folder alone.
func confined(argv []string) bool {
	const mode = "workspace-write"
	for i, arg := range argv {
		switch arg {
		case "--sandbox=" + mode, "-s" + mode, "-s=" + mode:
			return true
		case "--sandbox", "-s":
			return i+1 < len(argv) && argv[i+1] == mode
		}
	}
	return false
}

func (e *engine) Prompt(p agent.Prompt) string { return e.start.Text(p) }

func (e *engine) Note(line []byte) { e.notes.Add(line) }

// Read shows a line that is no event as it is.
func (e *engine) Read(line []byte) agent.Said {
	var ev event
	if !stream.Decode(line, &ev) {
		return agent.Said{Log: string(line)}
	}
	switch ev.Type {
	case "thread.started":
		return e.begins(&ev)
	case "turn.started":
		e.last = nil
		return agent.Said{Progress: "thinking"}
	case "item.started", "item.updated", "item.completed":
		return e.item(&ev.Item, ev.Type == "item.completed")
	case "error":
		e.notice = stream.Sentence(ev.Message)
		return stream.Warning(ev.Message)
	case "turn.completed", "turn.failed":
		return e.ends(&ev)
	}
	return agent.Said{}
}

// begins takes the session. One that is not the one to go on with is not made
// known: it does not know the task.
func (e *engine) begins(ev *event) agent.Said {
	id := stream.ID(ev.Thread)
	e.meter.Session(id)
	if e.start.Session != "" && id != "" && id != e.start.Session {
		e.other = true
		return agent.Said{Log: stream.Line("! Codex began session " + ev.Thread + " instead of going on with " + e.start.Session)}
	}
	if id == "" {
		return agent.Said{}
	}
	return agent.Said{Session: id, Log: "Codex, session " + id}
}

func (e *engine) ends(ev *event) agent.Said {
	e.last = ev
	said := agent.Said{Over: true}
	e.meter.Reached(stream.Use{In: int64(ev.Usage.In), Out: int64(ev.Usage.Out)})
	e.meter.Tell(&said)
	if why := stream.Sentence(ev.Error.Message); ev.Type == "turn.failed" && why != e.notice {
		said.Log = "! " + why
	}
	return said
}
