package claude

import (
	"fmt"
	"strings"
	"time"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/stream"
)

// system shows what of the program's own news matters to people.
func (e *engine) system(ev *event) agent.Said {
	switch ev.Subtype {
	case "init":
		return e.begins(ev)
	case "api_retry":
		again := fmt.Sprintf("%s; trying again, %d of %d", refused(ev), ev.Attempt, ev.MaxRetries)
		return stream.Warning(again)
	case "compact_boundary":
		return agent.Said{Progress: "the conversation was summed up to make room"}
	}
	return agent.Said{}
}

func refused(ev *event) string {
	switch {
	case ev.Error != "" && ev.Status != 0:
		return stream.Line(fmt.Sprintf("the service answers %d (%s)", ev.Status, ev.Error))
	case ev.Status != 0:
		return fmt.Sprintf("the service answers %d", ev.Status)
	}
	return stream.Line("the service does not answer: " + ev.Error)
}

// begins takes the session; it is shown once, for each turn begins with it.
func (e *engine) begins(ev *event) agent.Said {
	said := agent.Said{Session: stream.ID(ev.Session)}
	e.meter.Session(said.Session)
	if !e.named {
		e.named = true
		said.Log = stream.Line(fmt.Sprintf("Claude Code %s, model %s, session %s", ev.Version, ev.Model, ev.Session))
	}
	return said
}

func (e *engine) assistant(ev *event) agent.Said {
	e.refusal = ev.Error
	var said agent.Said
	for _, b := range blocks(ev.Message.Content) {
		switch b.Type {
		case "text":
			text := stream.Text(b.Text)
			said.Log = stream.Join(said.Log, text)
			said.Progress = stream.FirstLine(text)
			if ev.Parent == "" && text != "" {
				e.text = text
			}
		case "thinking":
			said.Progress = stream.FirstLine("thinking: " + b.Thinking)
		case "tool_use", "server_tool_use", "mcp_tool_use":
			call := stream.Call(b.Name, b.Input)
			e.calls.Open(b.ID, call)
			said.Log, said.Progress = stream.Join(said.Log, "> "+call), call
		}
	}
	return said
}

// results shows the calls that failed. The others are progress: the agent goes on.
func (e *engine) results(ev *event) agent.Said {
	var said agent.Said
	for _, b := range blocks(ev.Message.Content) {
		if b.Type != "tool_result" {
			continue
		}
		call := e.calls.Close(b.CallID)
		if !b.IsError {
			said.Progress = stream.Line("done: " + call)
			continue
		}
		said.Progress = stream.Line("failed: " + call)
		said.Log = stream.Join(said.Log, "! "+said.Progress, stream.Indent(firstText(b)))
	}
	return said
}

func firstText(b block) string {
	for _, part := range blocks(b.Content) {
		if line := stream.FirstLine(part.Text); line != "" {
			return line
		}
	}
	return ""
}

func working(ev *event) agent.Said {
	tool := ev.Tool
	if tool == "" {
		tool = "a tool"
	}
	if ev.Elapsed < 1 || ev.Elapsed > 1e6 {
		return agent.Said{Progress: stream.Line(tool + " is at work")}
	}
	return agent.Said{Progress: stream.Line(fmt.Sprintf("%s is at work for %s", tool, time.Duration(ev.Elapsed)*time.Second))}
}

func (e *engine) limited(ev *event) agent.Said {
	if ev.Limit == nil {
		return agent.Said{}
	}
	e.limit = ev.Limit
	if !e.limit.rejected() {
		return agent.Said{}
	}
	return stream.Warning(strings.TrimRight("the plan's limit is reached: "+e.limit.Kind, ": "))
}

// result is the last word. What was not allowed is told with it, since that is
// what a person can change.
func (e *engine) result(ev *event) agent.Said {
	e.last = ev
	said := agent.Said{Over: true, Session: stream.ID(ev.Session)}
	e.meter.Reached(ev.used())
	e.meter.Tell(&said)
	if ev.failed() && ev.reason() != e.text { // which was shown already
		said.Log = "! " + stream.Sentence(ev.reason())
	}
	for i, d := range ev.Denials {
		if i == maxDenials {
			said.Log = stream.Join(said.Log, fmt.Sprintf("! %d more calls were not allowed", len(ev.Denials)-i))
			break
		}
		said.Log = stream.Join(said.Log, stream.Line("! not allowed: "+stream.Call(d.Tool, d.Input)))
	}
	return said
}

// maxDenials is how many calls that were not allowed are named.
const maxDenials = 10
