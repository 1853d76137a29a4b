package trigger

import (
	"encoding/json"
	"time"
)

// Source is where an event comes from.
type Source string

// The sources.
const (
	SourceForge    Source = "forge"
	SourceSchedule Source = "schedule"
	SourceBoard    Source = "board"
	SourceRun      Source = "run"
	SourceManual   Source = "manual"
	SourceCustom   Source = "custom"
)

// The kinds of events that iterion itself makes. A custom event may bear any.
const (
	CardCreated  = "card.created"
	CardMoved    = "card.moved"
	CardLabeled  = "card.labeled"
	CardUpdated  = "card.updated"
	RunFinished  = "run.finished"
	RunFailed    = "run.failed"
	RunCancelled = "run.cancelled"
	RunPaused    = "run.paused"
)

// Sources returns all sources.
func Sources() []Source {
	return []Source{SourceForge, SourceSchedule, SourceBoard, SourceRun, SourceManual, SourceCustom}
}

// Kinds returns the kinds of events that iterion itself makes.
func Kinds() []string {
	return []string{CardCreated, CardMoved, CardLabeled, CardUpdated, RunFinished, RunFailed, RunCancelled, RunPaused}
}

// Event is something that happened and may owe a bot a launch. The id is the same
// whenever the same thing is told again.
type Event struct {
	ID         string         `json:"id"`
	Source     Source         `json:"source"`
	Kind       string         `json:"kind"`
	Action     string         `json:"action,omitempty"`
	TenantID   string         `json:"tenant_id,omitempty"`
	Repo       string         `json:"repo,omitempty"`
	Subject    Subject        `json:"subject,omitzero"`
	Actor      string         `json:"actor,omitempty"`
	Labels     []string       `json:"labels,omitempty"` // all that the subject bears
	Payload    map[string]any `json:"payload,omitempty"`
	OccurredAt time.Time      `json:"occurred_at"`

	// Reason is the machine's or the describing reason of a board event.
	Reason string `json:"reason,omitempty"`
	// LaunchedRunID: this event is itself the trace of a launch and yields nothing.
	LaunchedRunID string `json:"launched_run_id,omitempty"`
	// RunID and OutcomeSeq name the outcome that a run event tells.
	RunID      string `json:"run_id,omitempty"`
	OutcomeSeq int    `json:"outcome_seq,omitempty"`
	// ByRun is the run whose bot made a board or custom event.
	ByRun string `json:"by_run,omitempty"`
	// ChainDepth is that of the run which the event comes from: how many launches by
	// events of runs led to it.
	ChainDepth int `json:"chain_depth,omitempty"`
}

// Subject is what an event is about.
type Subject struct {
	Type  string `json:"type,omitempty"` // card, run, issue, pull_request, …
	ID    string `json:"id,omitempty"`
	URL   string `json:"url,omitempty"`
	Ref   string `json:"ref,omitempty"`
	SHA   string `json:"sha,omitempty"`
	Title string `json:"title,omitempty"`
	Body  string `json:"body,omitempty"`
	State string `json:"state,omitempty"` // column of a card, status of a run
}

// Decode reads one event.
func Decode(data []byte) (Event, error) {
	var e Event
	err := json.Unmarshal(data, &e)
	return e, err
}
