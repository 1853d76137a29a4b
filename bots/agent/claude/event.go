package claude

import (
	"encoding/json"

	"iterion/bots/agent/internal/stream"
)

// event is one line of the stream. The types of lines share it: what one of them
// does not have stays empty.
type event struct {
	Type    string  `json:"type"`
	Subtype string  `json:"subtype"`
	Session string  `json:"session_id"`
	Parent  string  `json:"parent_tool_use_id"` // of a subagent
	Message message `json:"message"`
	Error   string  `json:"error"` // kind of a refused request

	Model   string `json:"model"` // init
	Version string `json:"claude_code_version"`

	Attempt    int64 `json:"attempt"` // api_retry
	MaxRetries int64 `json:"max_retries"`
	Status     int64 `json:"error_status"`

	Tool    string  `json:"tool_name"` // tool_progress
	Elapsed float64 `json:"elapsed_time_seconds"`

	Limit *limit `json:"rate_limit_info"`

	IsError   bool                `json:"is_error"` // result
	Result    string              `json:"result"`
	Errors    []string            `json:"errors"`
	APIStatus int64               `json:"api_error_status"`
	CostUSD   float64             `json:"total_cost_usd"`
	Models    map[string]modelUse `json:"modelUsage"`
	Usage     usage               `json:"usage"`
	Denials   []denial            `json:"permission_denials"`
}

type message struct {
	// Content is a text or a list of blocks.
	Content json.RawMessage `json:"content"`
}

type block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	CallID   string          `json:"tool_use_id"`
	Content  json.RawMessage `json:"content"` // of a result: a text or blocks
	IsError  bool            `json:"is_error"`
}

// limit is where a plan's limit stands.
type limit struct {
	Status   string  `json:"status"` // allowed, allowed_warning, rejected
	ResetsAt float64 `json:"resetsAt"`
	Kind     string  `json:"rateLimitType"`
}

func (l *limit) rejected() bool { return l != nil && l.Status == "rejected" }

type modelUse struct {
	In         stream.Count `json:"inputTokens"`
	Out        stream.Count `json:"outputTokens"`
	CacheRead  stream.Count `json:"cacheReadInputTokens"`
	CacheWrite stream.Count `json:"cacheCreationInputTokens"`
}

type usage struct {
	In         stream.Count `json:"input_tokens"`
	Out        stream.Count `json:"output_tokens"`
	CacheRead  stream.Count `json:"cache_read_input_tokens"`
	CacheWrite stream.Count `json:"cache_creation_input_tokens"`
}

type denial struct {
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"tool_input"`
}

// blocks reads a content; a bare text is one block of it.
func blocks(content json.RawMessage) []block {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var list []block
	// Blocks that are none stay empty in the list, the others are read.
	_ = json.Unmarshal(content, &list)
	return list
}

// used is what a result says of the session so far. The usage of the main loop
// stands in where the models are not listed.
func (ev *event) used() stream.Use {
	use := stream.Use{USD: ev.CostUSD}
	for _, m := range ev.Models {
		use.In += int64(m.In + m.CacheRead + m.CacheWrite)
		use.Out += int64(m.Out)
	}
	if len(ev.Models) == 0 {
		use.In = int64(ev.Usage.In + ev.Usage.CacheRead + ev.Usage.CacheWrite)
		use.Out = int64(ev.Usage.Out)
	}
	return use
}
