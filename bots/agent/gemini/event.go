package gemini

import (
	"encoding/json"

	"iterion/bots/agent/internal/stream"
)

// event is one line of the stream. The types of lines share it.
type event struct {
	Type    string `json:"type"`
	Session string `json:"session_id"`
	Model   string `json:"model"`

	Role    string `json:"role"` // of a message
	Content string `json:"content"`
	Delta   bool   `json:"delta"` // more of the same follows

	Tool   string          `json:"tool_name"`
	CallID string          `json:"tool_id"`
	Args   json.RawMessage `json:"parameters"`
	Output string          `json:"output"`

	Status  string  `json:"status"`  // of a tool_result and of the result: success, error
	Error   failure `json:"error"`   // likewise
	Message string  `json:"message"` // of an error
	Stats   stats   `json:"stats"`
}

type failure struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// stats holds tokens; those from the cache are part of In.
type stats struct {
	In  stream.Count `json:"input_tokens"`
	Out stream.Count `json:"output_tokens"`
}
