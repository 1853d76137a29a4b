package board

import "time"

// EventType names what happened to a card or to the board.
type EventType string

// The event types of the log.
const (
	EventIssueCreated         EventType = "issue_created"
	EventIssueUpdated         EventType = "issue_updated"
	EventIssueStateChanged    EventType = "issue_state_changed"
	EventIssueDeleted         EventType = "issue_deleted"
	EventIssueClaimed         EventType = "issue_claimed"
	EventIssueReleased        EventType = "issue_released"
	EventIssueLastRunUpdated  EventType = "issue_last_run_updated"
	EventIssueCommentAdded    EventType = "issue_comment_added"
	EventIssueGaveUp          EventType = "issue_gave_up"
	EventIssueLaunchRefused   EventType = "issue_launch_refused"
	EventIssueBlockersUpdated EventType = "issue_blockers_updated"
	EventIssueUnblocked       EventType = "issue_unblocked"
	EventBoardUpdated         EventType = "board_updated"
	EventLabelRename          EventType = "label_rename"
	EventLabelMerge           EventType = "label_merge"
	EventLabelDelete          EventType = "label_delete"
)

// EventTypes returns all of them.
func EventTypes() []EventType {
	return []EventType{
		EventIssueCreated, EventIssueUpdated, EventIssueStateChanged, EventIssueDeleted,
		EventIssueClaimed, EventIssueReleased, EventIssueLastRunUpdated, EventIssueCommentAdded,
		EventIssueGaveUp, EventIssueLaunchRefused, EventIssueBlockersUpdated, EventIssueUnblocked,
		EventBoardUpdated, EventLabelRename, EventLabelMerge, EventLabelDelete,
	}
}

// Reasons that an event or a card's state_reason may carry. The machine reasons
// are the ones that fire no trigger; an empty reason is a person or a bot.
const (
	ReasonWatchdog        = "watchdog"         // machine
	ReasonSchemaMigration = "schema_migration" // machine
	ReasonPromoted        = "promoted"         // machine
	ReasonLaunchRefused   = "launch_refused"   // machine
	ReasonLabelRenamed    = "label_renamed"    // machine
	ReasonStateRenamed    = "state_renamed"    // machine
	ReasonImport          = "import"           // machine
	ReasonUnblocked       = "unblocked"
	ReasonRunFinished     = "run_finished"
	ReasonRunFailed       = "run_failed"
)

// Event is one line of the board's log. Every content change of a card has
// exactly one. Seq starts at 0 and has neither gap nor repeat.
type Event struct {
	Seq       int64     `json:"seq"`
	Timestamp time.Time `json:"timestamp"`
	Type      EventType `json:"type"`
	IssueID   string    `json:"issue_id,omitempty"` // empty for board_updated
	Payload   Payload   `json:"payload"`

	Extra Extra `json:"-"`
}

// Payload is an event's detail; each event type uses the fields that the file
// format gives it. A patch of several parts is one issue_updated, which then
// also holds the new Blockers if they are among them, and an import that moves
// the card says in Changed what else it changed; issue_gave_up without GaveUp
// tells that a stamp was taken off, issue_launch_refused without Refused the same.
type Payload struct {
	From          string     `json:"from,omitempty"`
	To            string     `json:"to,omitempty"`
	Marker        string     `json:"marker,omitempty"`
	Epoch         int64      `json:"epoch,omitempty"`
	Supersedes    string     `json:"supersedes,omitempty"` // marker whose claim was taken over
	Reason        string     `json:"reason,omitempty"`
	RunID         string     `json:"run_id,omitempty"`
	Workdir       string     `json:"workdir,omitempty"`
	GaveUp        bool       `json:"gave_up,omitempty"`
	State         string     `json:"state,omitempty"`
	Attempts      int        `json:"attempts,omitempty"`
	Refused       bool       `json:"refused,omitempty"`
	NotBefore     *time.Time `json:"not_before,omitempty"`
	Blockers      []string   `json:"blockers,omitempty"`
	ClosedBlocker string     `json:"closed_blocker,omitempty"`
	Changed       []string   `json:"changed,omitempty"` // names of the changed keys
	LabelsAdded   []string   `json:"labels_added,omitempty"`
	LabelsRemoved []string   `json:"labels_removed,omitempty"`
	CommentID     string     `json:"comment_id,omitempty"`
	Label         string     `json:"label,omitempty"`

	// ByRun is the run whose bot made the write, ByActor the person or program,
	// where the writer said so.
	ByRun   string `json:"by_run,omitempty"`
	ByActor string `json:"by_actor,omitempty"`

	Extra Extra `json:"-"`
}
