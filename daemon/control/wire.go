package control

import (
	"time"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/resident"
)

// The control API is HTTP/1.1 over the store's unix socket; every body is JSON
// of the types in this file.
//
//	GET  /v1/status                     Status
//	GET  /v1/watch                      stream of Frame, one JSON object a line
//	GET  /v1/issues/{id}                board.Issue, whole
//	GET  /v1/issues/{id}/why            []dispatch.Verdict
//	POST /v1/issues                     CreateIssue -> board.Issue
//	POST /v1/issues/{id}/move           MoveIssue   -> board.Issue
//	POST /v1/issues/{id}/update         UpdateIssue -> board.Issue
//	POST /v1/issues/{id}/comment        AddComment  -> board.Comment
//	POST /v1/issues/{id}/clear-last-run By          -> board.Issue
//	GET  /v1/bots                       []BotInfo
//	GET  /v1/runs/{id}                  run.Record
//	GET  /v1/runs/{id}/log?offset=&limit=   LogChunk
//	POST /v1/runs/{id}/cancel           By          -> run.Record
//	POST /v1/runs/{id}/pause | resume   By          -> run.Record
//	GET  /v1/runs/{id}/question         run.Interaction
//	POST /v1/runs/{id}/answer           Answer      -> run.Record
//	GET  /v1/schedules                  []resident.Row
//	POST /v1/schedules/{id}/run         By          -> gate.Record
//	POST /v1/schedules/{id}/set         SetSchedule -> resident.Row
//	GET  /v1/subscriptions              Subscriptions
//	POST /v1/subscriptions/{id}/set     SetSchedule -> trigger.Subscription
//	GET  /v1/effects                    []trigger.Effect
//	POST /v1/effects/{id}/retry | drop  By          -> trigger.Effect
//	GET  /v1/ticks?id=&tail=&follow=    stream of gate.Record, one JSON object a line
//	POST /v1/pause | unpause            Pause       -> Status
//	POST /v1/refresh | reload           By          -> Status
//	POST /v1/workspaces/prune           Prune       -> PruneReport
//	POST /v1/stop                       Stop        -> StopReport; the daemon then exits
//
// An error is an Error with the HTTP status that fits its Code.

// Status is the daemon as a whole.
type Status struct {
	Version       string    `json:"version"`
	PID           int       `json:"pid"`
	Host          string    `json:"host"`
	StartedAt     time.Time `json:"started_at"`
	StoreDir      string    `json:"store_dir"`
	WorkspaceRoot string    `json:"workspace_root"`
	ConfigPath    string    `json:"config_path,omitempty"` // empty: built-in preset
	// ConfigProblem says what is wrong with the config file as it is now; the daemon
	// goes on with the last good one.
	ConfigProblem string `json:"config_problem,omitempty"`
	// RestartNeeded names the settings that differ in the file and hold only from
	// the next start on.
	RestartNeeded []string `json:"restart_needed,omitempty"`
	Singleton     bool     `json:"singleton"` // owns the store's singletons
	Trusted       bool     `json:"trusted"`
	// Watchdog: this daemon takes expired claims over.
	Watchdog bool `json:"watchdog,omitempty"`
	// Listen is the TCP address that serves health and metrics, if any does.
	Listen string `json:"listen,omitempty"`
	// Offline: no daemon is running, and the status is what files tell. It then has
	// no process, and its dispatcher's picture is that of one that would start now.
	Offline bool `json:"offline,omitempty"`
	// Clocks is the health of the daemon's own scheduler; nil for a daemon that has none.
	Clocks *resident.Health `json:"clocks,omitempty"`
	// Triggers says how far events have come; nil for a daemon that has none of them.
	Triggers *TriggerStatus    `json:"triggers,omitempty"`
	Watcher  Watcher           `json:"watcher"`
	Dispatch dispatch.Snapshot `json:"dispatch"`
}

// Watcher says how changes by others reach the daemon.
type Watcher struct {
	Mode   string `json:"mode"`             // watching or polling
	Reason string `json:"reason,omitempty"` // why polling
}

// Frame is one message of the watch stream. The first is Full, without a Schema
// while the daemon has not read the board, and then Full again; the later ones
// carry only what changed. A frame may come with nothing but Status.
type Frame struct {
	Full   bool          `json:"full,omitempty"`
	Seq    int64         `json:"seq"` // the board log's tip that the frame reflects
	Schema *board.Schema `json:"schema,omitempty"`
	Cards  []Card        `json:"cards,omitempty"`
	Gone   []string      `json:"gone,omitempty"` // ids of deleted cards
	Runs   []run.Record  `json:"runs,omitempty"` // Full: every run, newest first, at most RunsMax
	Broken []Broken      `json:"broken,omitempty"`
	Status *Status       `json:"status,omitempty"`
}

// RunsMax bounds the runs of a full Frame.
const RunsMax = 500

// Card is a card without its body and comments, which Issue fetches.
type Card struct {
	board.Issue
	Comments     int      `json:"comment_count,omitempty"`
	HasBody      bool     `json:"has_body,omitempty"`
	OpenBlockers []string `json:"open_blockers,omitempty"` // blockers that are not satisfied
}

// Broken is a record that could not be read.
type Broken struct {
	ID    string `json:"id"`
	Path  string `json:"path"`
	Error string `json:"error"`
}

// LogChunk is a piece of a run's log.
type LogChunk struct {
	Offset int64  `json:"offset"` // of Data's first byte
	Next   int64  `json:"next"`   // ask for this next
	Size   int64  `json:"size"`   // of the log now
	Data   []byte `json:"data"`   // base64 in JSON; raw bytes of the bot, never safe to print as they are
	End    bool   `json:"end"`    // nothing more will come: the run has ended and Next == Size
}

// BotInfo is a line of the bot registry.
type BotInfo struct {
	Slug        string `json:"slug"`
	DisplayName string `json:"display_name,omitempty"`
	Icon        string `json:"icon,omitempty"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version,omitempty"`
	Enabled     bool   `json:"enabled"`
	Problem     string `json:"problem,omitempty"` // why it cannot be launched
}

// CreateIssue files a card.
type CreateIssue struct {
	Title    string            `json:"title"`
	Body     string            `json:"body,omitempty"`
	State    string            `json:"state,omitempty"`
	Labels   []string          `json:"labels,omitempty"`
	Priority int               `json:"priority,omitempty"`
	Assignee string            `json:"assignee,omitempty"`
	Bot      string            `json:"bot,omitempty"`
	BotArgs  map[string]string `json:"bot_args,omitempty"`
	By       string            `json:"by,omitempty"`
}

// MoveIssue refiles a card; Reopen is needed to leave a terminal column.
type MoveIssue struct {
	To     string `json:"to"`
	Reopen bool   `json:"reopen,omitempty"`
	By     string `json:"by,omitempty"`
}

// AddComment appends a remark.
type AddComment struct {
	Author string `json:"author"`
	Body   string `json:"body"`
}

// By names who asks.
type By struct {
	By   string `json:"by,omitempty"`
	Note string `json:"note,omitempty"`
}

// Pause stops or resumes the start of new runs.
type Pause struct {
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
}

// Stop ends the daemon.
type Stop struct {
	CancelRuns bool   `json:"cancel_runs,omitempty"` // default: runs carry on under their supervisors
	By         string `json:"by,omitempty"`
}

// StopReport says what a stop leaves behind.
type StopReport struct {
	Running []dispatch.Running `json:"running"` // runs that carry on, or that are being cancelled
}

// Prune removes folders of cards that are filed for good, or gone.
type Prune struct {
	DryRun      bool  `json:"dry_run,omitempty"`
	OlderThanMS int64 `json:"older_than_ms,omitempty"` // only those not used for so long
}

// PruneReport says what became of every folder.
type PruneReport struct {
	Folders []PrunedFolder `json:"folders"`
}

// PrunedFolder is a card's working folder; one that is neither removed nor kept would
// be removed by a run that is not dry.
type PrunedFolder struct {
	Key     string `json:"key"`
	Path    string `json:"path"`
	IssueID string `json:"issue_id,omitempty"`
	Removed bool   `json:"removed"`
	Kept    string `json:"kept,omitempty"` // why
}

// Error is the body of every refusal.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Code classes an Error; the CLI maps it to its exit codes.
type Code string

// The classes of Error.
const (
	CodeInvalid  Code = "invalid"
	CodeNotFound Code = "not_found"
	CodeConflict Code = "conflict"
	CodeInternal Code = "internal"
)

func (e *Error) Error() string { return e.Message }
