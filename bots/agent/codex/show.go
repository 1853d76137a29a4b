package codex

import (
	"encoding/json"
	"fmt"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/pattern"
	"iterion/bots/agent/internal/stream"
)

// item shows what the agent says and does.
func (e *engine) item(it *item, completed bool) agent.Said {
	e.notice = "" // the agent goes on
	switch it.Type {
	case "agent_message":
		return e.message(it, completed)
	case "reasoning":
		return agent.Said{Progress: stream.FirstLine("thinking: " + it.Text)}
	case "todo_list":
		return agent.Said{Progress: todos(it.Todos)}
	case "error":
		return stream.Warning(it.Message)
	case "command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call":
		return e.call(it, completed)
	}
	return agent.Said{}
}

func (e *engine) message(it *item, completed bool) agent.Said {
	text := stream.Text(it.Text)
	if !completed || text == "" {
		return agent.Said{}
	}
	e.text = text
	return agent.Said{Log: text, Progress: stream.FirstLine(text)}
}

// call shows the use of a tool once, when it begins; some are told only when they
// have ended.
func (e *engine) call(it *item, completed bool) agent.Said {
	call := describe(it)
	said := agent.Said{Progress: call}
	if e.calls.Open(it.ID, call) {
		said.Log = "> " + call
	}
	if !completed {
		return said
	}
	e.calls.Close(it.ID)
	why, failed := it.failure()
	if !failed {
		said.Progress = stream.Line("done: " + call)
		return said
	}
	said.Progress = stream.Line("failed: " + call)
	said.Log = stream.Join(said.Log, "! "+said.Progress, stream.Indent(why))
	return said
}

// describe names a call the way that the other engines do.
func describe(it *item) string {
	switch it.Type {
	case "command_execution":
		return stream.Call("shell", unwrap(it.Command))
	case "web_search":
		return stream.Call("search", it.Query)
	case "mcp_tool_call":
		return stream.Call(it.Server+"."+it.Tool, it.Args)
	case "file_change":
		return changed(it.Changes)
	}
	return stream.Line("agents: " + it.Tool)
}

// wrapped matches a command that is handed to a shell as one plain word.
var wrapped = pattern.New(`(?s)^"(?:/[a-z/]*/)?[a-z]*sh -l?c '([^']*)'"$`)

// unwrap leaves out the shell around a command: it is the same for all of them.
func unwrap(command json.RawMessage) json.RawMessage {
	return wrapped.ReplaceAll(command, []byte(`"$1"`))
}

func changed(changes []change) string {
	if len(changes) == 0 {
		return "edit"
	}
	line := "edit: " + changes[0].Path
	if more := len(changes) - 1; more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return stream.Line(line)
}

// failure returns why an item failed. A command that was not allowed is declined.
func (it *item) failure() (why string, failed bool) {
	switch {
	case it.Status == "declined":
		return "not allowed", true
	case it.ExitCode != nil && *it.ExitCode != 0:
		why = fmt.Sprintf("exit code %d", *it.ExitCode)
		if first := stream.FirstLine(it.Output); first != "" {
			why += ": " + first
		}
		return stream.Line(why), true
	case it.Status == "failed", it.Error.Message != "":
		return stream.FirstLine(it.Error.Message), true
	}
	return "", false
}

// todos is where the agent stands in its own list.
func todos(list []todo) string {
	done, next := 0, ""
	for _, t := range list {
		if t.Done {
			done++
		} else if next == "" {
			next = t.Text
		}
	}
	if len(list) == 0 {
		return ""
	}
	line := fmt.Sprintf("%d of %d done", done, len(list))
	if next != "" {
		line += ", next: " + next
	}
	return stream.Line(line)
}
