package codex

import (
	"encoding/json"

	"iterion/bots/agent/internal/stream"
)

// event is one line of the stream. The types of lines share it.
type event struct {
	Type    string  `json:"type"`
	Thread  string  `json:"thread_id"`
	Item    item    `json:"item"`
	Message string  `json:"message"` // of an error
	Error   failure `json:"error"`   // of turn.failed
	Usage   usage   `json:"usage"`
}

type failure struct {
	Message string `json:"message"`
}

// usage holds tokens; those from the cache are part of In, the reasoning of Out.
type usage struct {
	In  stream.Count `json:"input_tokens"`
	Out stream.Count `json:"output_tokens"`
}

// item is one thing that the agent says or does. The types of items share it.
type item struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	Status  string  `json:"status"` // in_progress, completed, failed, declined
	Text    string  `json:"text"`
	Message string  `json:"message"`
	Error   failure `json:"error"`

	Command  json.RawMessage `json:"command"`
	Output   string          `json:"aggregated_output"`
	ExitCode *int64          `json:"exit_code"`
	Changes  []change        `json:"changes"`
	Server   string          `json:"server"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"arguments"`
	Query    json.RawMessage `json:"query"`
	Todos    []todo          `json:"items"`
}

type change struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // add, delete, update
}

type todo struct {
	Text string `json:"text"`
	Done bool   `json:"completed"`
}
