package board

import "time"

// Issue is one card. The JSON names are the file format and every JSON surface.
type Issue struct {
	// ID is "native:<uuid>" in the file twin.
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Body     string            `json:"body,omitempty"`
	State    string            `json:"state"`
	Labels   []string          `json:"labels,omitempty"`
	Priority int               `json:"priority,omitempty"` // higher is sooner
	Assignee string            `json:"assignee,omitempty"`
	Blockers []string          `json:"blockers,omitempty"` // ids of hard blockers
	ParentID string            `json:"parent_id,omitempty"`
	Fields   map[string]any    `json:"fields,omitempty"` // string, bool or json.Number, by Schema.Fields
	Bot      string            `json:"bot,omitempty"`    // slug; empty: the dispatcher's default
	BotArgs  map[string]string `json:"bot_args,omitempty"`

	// Claim is the holder's marker; empty means unclaimed. A marker stays in
	// force after ClaimLeaseUntil: an expired lease only makes the card visible
	// to sweeps.
	Claim           string    `json:"claim,omitempty"`
	ClaimEpoch      int64     `json:"claim_epoch,omitempty"` // grows by one at each fresh acquisition, never shrinks
	ClaimedAt       time.Time `json:"claimed_at,omitzero"`
	ClaimLeaseUntil time.Time `json:"claim_lease_until,omitzero"`

	LastRunID     string         `json:"last_run_id,omitempty"`
	LastWorkdir   string         `json:"last_workdir,omitempty"`
	AwaitingInput bool           `json:"awaiting_input,omitempty"`
	GaveUp        *GaveUp        `json:"gave_up,omitempty"`
	LaunchRefusal *LaunchRefusal `json:"launch_refusal,omitempty"`
	Runs          []RunRef       `json:"runs,omitempty"` // newest last, one entry per run id

	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	StateAt     time.Time `json:"state_at,omitzero"`      // instant of the last column change
	StateReason string    `json:"state_reason,omitempty"` // its provenance; empty: a person or a bot

	External *External `json:"external,omitempty"`
	Comments []Comment `json:"comments,omitempty"` // append-only

	Extra Extra `json:"-"`
}

// RunRef is one entry of a card's run history.
type RunRef struct {
	RunID   string    `json:"run_id"`
	Workdir string    `json:"workdir,omitempty"`
	At      time.Time `json:"at"`

	Extra Extra `json:"-"`
}

// GaveUp is the stamp of a card that the dispatcher stopped trying. It is
// current only while the card is still in State and RunID is still the card's
// last run (or Launch is true).
type GaveUp struct {
	RunID    string    `json:"run_id,omitempty"`
	State    string    `json:"state"`
	Attempts int       `json:"attempts"`
	Reason   string    `json:"reason"`
	Launch   bool      `json:"launch,omitempty"` // no run ever started
	At       time.Time `json:"at"`

	Extra Extra `json:"-"`
}

// LaunchRefusal counts launches that were refused before a run existed.
type LaunchRefusal struct {
	Attempts   int       `json:"attempts"`
	LastAt     time.Time `json:"last_at,omitzero"`
	NotBefore  time.Time `json:"not_before,omitzero"`
	LastReason string    `json:"last_reason,omitempty"`

	Extra Extra `json:"-"`
}

// Comment is one remark on a card.
type Comment struct {
	ID        string    `json:"id"`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	CreatedAt time.Time `json:"created_at"`

	Extra Extra `json:"-"`
}

// External links a card to its twin in a foreign tracker.
type External struct {
	Provider     string           `json:"provider,omitempty"`
	ConnectionID string           `json:"connection_id,omitempty"`
	Repo         string           `json:"repo,omitempty"`
	Number       int              `json:"number,omitempty"`
	URL          string           `json:"url,omitempty"`
	State        string           `json:"state,omitempty"`
	Author       string           `json:"author,omitempty"`
	Project      *ExternalProject `json:"project,omitempty"`

	Extra Extra `json:"-"`
}

// ExternalProject is the card's place on a foreign project board.
type ExternalProject struct {
	Owner    string    `json:"owner,omitempty"`
	Number   int       `json:"number,omitempty"`
	ItemID   string    `json:"item_id,omitempty"`
	Status   string    `json:"status,omitempty"`
	StatusAt time.Time `json:"status_at,omitzero"`
	StateAt  time.Time `json:"state_at,omitzero"`

	Extra Extra `json:"-"`
}
