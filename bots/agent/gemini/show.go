package gemini

import (
	"cmp"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/stream"
)

func (e *engine) begins(ev *event) agent.Said {
	id := stream.ID(ev.Session)
	e.meter.Session(id)
	return agent.Said{Session: id, Log: stream.Line("Gemini CLI, model " + ev.Model + ", session " + ev.Session)}
}

// message shows the lines that a piece of text completes.
func (e *engine) message(ev *event) agent.Said {
	if ev.Role != "assistant" || ev.Content == "" {
		return agent.Said{}
	}
	e.text.Add(ev.Content)
	piece := ev.Content
	if !ev.Delta {
		piece += "\n"
	}
	text := stream.Clean(e.pieces.Add(piece))
	return agent.Said{Log: text, Progress: cmp.Or(e.pieces.Line(), stream.FirstLine(text))}
}

func (e *engine) call(ev *event) agent.Said {
	e.text.Reset()
	call := stream.Call(ev.Tool, ev.Args)
	e.calls.Open(ev.CallID, call)
	return agent.Said{Log: "> " + call, Progress: call}
}

// called shows the calls that failed.
func (e *engine) called(ev *event) agent.Said {
	call := e.calls.Close(ev.CallID)
	if ev.Status != "error" && ev.Error.Message == "" {
		return agent.Said{Progress: stream.Line("done: " + call)}
	}
	said := agent.Said{Progress: stream.Line("failed: " + call)}
	why := cmp.Or(stream.FirstLine(ev.Error.Message), stream.FirstLine(ev.Output))
	said.Log = stream.Join("! "+said.Progress, stream.Indent(why))
	return said
}

func (e *engine) result(ev *event) agent.Said {
	e.last = ev
	said := agent.Said{Over: true}
	e.meter.Reached(stream.Use{In: int64(ev.Stats.In), Out: int64(ev.Stats.Out)})
	e.meter.Tell(&said)
	if why := stream.Sentence(ev.Error.Message); why != "" {
		said.Log = "! " + why
	}
	return said
}
