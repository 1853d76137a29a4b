package board

import "time"

// Schema is the board itself: its columns, custom fields and saved views.
type Schema struct {
	States    []State   `json:"states"` // in display order
	Fields    []Field   `json:"fields"`
	Views     []View    `json:"views"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`

	Extra Extra `json:"-"`
}

// State is one column.
type State struct {
	Name     string `json:"name"`
	Display  string `json:"display"`
	Color    string `json:"color"`
	Terminal bool   `json:"terminal"` // a sink: only Reopen leads out to a working column
	Eligible bool   `json:"eligible"` // the dispatcher may start cards from here

	Extra Extra `json:"-"`
}

// Field is one custom field.
type Field struct {
	Name       string   `json:"name"`
	Display    string   `json:"display"`
	Type       string   `json:"type"` // text, number, bool, date (RFC 3339) or enum
	Required   bool     `json:"required"`
	EnumValues []string `json:"enum_values"`
	Default    any      `json:"default"`

	Extra Extra `json:"-"`
}

// View is one saved selection of cards.
type View struct {
	Name     string   `json:"name"`
	Search   string   `json:"search"`
	Labels   []string `json:"labels"`
	Assignee string   `json:"assignee"`
	Bot      string   `json:"bot"`
	Sort     string   `json:"sort"`
	GroupBy  string   `json:"group_by"`

	Extra Extra `json:"-"`
}

// Names of the default columns that code refers to.
const (
	StateInbox         = "inbox"
	StateBacklog       = "backlog"
	StateReady         = "ready"
	StateWaitingDeps   = "waiting_deps"
	StateInProgress    = "in_progress"
	StateAwaitingInput = "awaiting_input"
	StateReview        = "review"
	StateDone          = "done"
	StateBlocked       = "blocked"
)
