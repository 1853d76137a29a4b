package opencode

import (
	"cmp"
	"encoding/json"

	"iterion/bots/agent/internal/stream"
)

// event is one line of the stream. The types of lines share it.
type event struct {
	Type    string  `json:"type"`
	Session string  `json:"sessionID"`
	Part    part    `json:"part"`
	Error   failure `json:"error"`
}

type part struct {
	Text   string  `json:"text"`
	Tool   string  `json:"tool"`
	State  state   `json:"state"`  // of a tool
	Reason string  `json:"reason"` // of a step: stop, tool-calls, length, …
	Cost   float64 `json:"cost"`
	Tokens tokens  `json:"tokens"`
}

// state is how a call went: completed, or error with a reason.
type state struct {
	Status string          `json:"status"`
	Input  json.RawMessage `json:"input"`
	Title  string          `json:"title"`
	Error  string          `json:"error"`
}

// tokens are those of one step. Neither is the cache part of Input nor the
// reasoning of Output.
type tokens struct {
	Input     stream.Count `json:"input"`
	Output    stream.Count `json:"output"`
	Reasoning stream.Count `json:"reasoning"`
	Cache     struct {
		Read  stream.Count `json:"read"`
		Write stream.Count `json:"write"`
	} `json:"cache"`
}

type failure struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Data    struct {
		Message   string `json:"message"`
		Status    int64  `json:"statusCode"`
		Retryable bool   `json:"isRetryable"`
	} `json:"data"`
}

func (f *failure) text() string { return cmp.Or(f.Data.Message, f.Message, f.Name) }
