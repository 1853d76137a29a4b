package run

import (
	"encoding/json"
	"time"
)

// FormatVersion is the version of run.json that this package writes.
const FormatVersion = 1

// Status is where a run stands.
type Status string

// The statuses of a run. The last four are final for whoever polls.
const (
	Queued          Status = "queued"
	Running         Status = "running"
	PausedHuman     Status = "paused_waiting_human"
	PausedOperator  Status = "paused_operator"
	Finished        Status = "finished"
	Failed          Status = "failed"
	FailedResumable Status = "failed_resumable"
	Cancelled       Status = "cancelled"
)

// Final reports whether a run in this status has ended.
func (s Status) Final() bool {
	switch s {
	case Finished, Failed, FailedResumable, Cancelled:
		return true
	}
	return false
}

// Paused reports whether a run in this status waits for a person.
func (s Status) Paused() bool { return s == PausedHuman || s == PausedOperator }

// Failure codes that iterion itself sets. The set is open: bots bring their own.
const (
	// CodeSupervisorLost: the supervisor died before its bot started. The bot
	// never ran; the attempt does not count.
	CodeSupervisorLost = "SUPERVISOR_LOST"
	// CodeProcessOrphaned: the supervisor died while its bot ran; the survivors
	// were found and ended.
	CodeProcessOrphaned = "PROCESS_ORPHANED"
	// CodeLaunchFailed: the bot's command could not be started.
	CodeLaunchFailed = "LAUNCH_FAILED"
	// CodeTimeout: the run took longer than its bot allows.
	CodeTimeout = "TIMEOUT"
	// CodePermanent: the bot said that trying again is of no use (exit 78 or 64,
	// or a fail report of class permanent).
	CodePermanent = "PERMANENT"
	// CodeTransient: the bot said that trying again may help (exit 75).
	CodeTransient = "TRANSIENT"
	// CodeExit: the bot ended with an exit code that has no meaning of its own, or
	// reported a failure without a class.
	CodeExit = "EXIT"
	// CodeSignal: a signal ended the bot that iterion did not send.
	CodeSignal = "SIGNAL"
	// CodeKillUnconfirmed: a process of the run's tree could not be proven dead.
	CodeKillUnconfirmed = "KILL_UNCONFIRMED"
	// CodeInterrupted: stopped because the claim that it ran for was lost.
	CodeInterrupted = "INTERRUPTED"
	// CodeStall: the run said nothing useful for longer than allowed.
	CodeStall = "STALL"
	// CodeQuota: an allowance of the bot's is used up; RetryAt says until when, if
	// that is known. Waiting for it spends no attempt.
	CodeQuota = "QUOTA"
)

// The classes of a failure.
const (
	ClassPermanent = "permanent" // trying again is of no use
	ClassTransient = "transient" // trying again may help
	ClassQuota     = "quota"     // an allowance is used up, see CodeQuota
)

// Record is run.json.
type Record struct {
	FormatVersion int               `json:"format_version"`
	ID            string            `json:"id"` // UUIDv7
	Name          string            `json:"name,omitempty"`
	Bot           string            `json:"bot"` // slug
	BotVersion    string            `json:"bot_version,omitempty"`
	BundlePath    string            `json:"bundle_path,omitempty"` // folder that the bot ran from
	Status        Status            `json:"status"`
	Inputs        map[string]string `json:"inputs,omitempty"` // the bot's vars as resolved at launch
	Source        Source            `json:"source"`
	Attempt       int               `json:"attempt"` // from 1
	Workdir       string            `json:"workdir,omitempty"`

	CreatedAt  time.Time `json:"created_at"`
	StartedAt  time.Time `json:"started_at,omitzero"`
	UpdatedAt  time.Time `json:"updated_at,omitzero"`
	FinishedAt time.Time `json:"finished_at,omitzero"`

	ExitCode *int   `json:"exit_code,omitempty"`
	Signal   string `json:"signal,omitempty"` // e.g. "SIGKILL" when the bot died of one
	Error    string `json:"error,omitempty"`  // one sentence for people
	// FailureCode is set in the same write as a failure status and cleared on
	// leaving it.
	FailureCode string `json:"failure_code,omitempty"`
	// FailureClass says what to do about a failure, where that is known: one of the
	// Class constants. Codes are the bots' own and many. It comes and goes with the
	// failure code.
	FailureClass string `json:"failure_class,omitempty"`
	// RetryAt is when the bot wants to be tried again, not earlier. It comes and
	// goes with the failure code.
	RetryAt           time.Time `json:"retry_at,omitzero"`
	ContinuationState string    `json:"continuation_state,omitempty"`
	// OutcomeSeq counts transitions into a final status.
	OutcomeSeq int `json:"outcome_seq,omitempty"`

	CostUSD   float64 `json:"cost_usd,omitempty"` // cumulative
	TokensIn  int64   `json:"tokens_in,omitempty"`
	TokensOut int64   `json:"tokens_out,omitempty"`
	// ReportsRead is how many bytes of reports.jsonl the totals stand for.
	ReportsRead int64     `json:"reports_read,omitempty"`
	Session     string    `json:"session,omitempty"`
	Progress    *Progress `json:"progress,omitempty"`
	Awaiting    *Awaiting `json:"awaiting,omitempty"`
	// PauseReason is set with status paused_operator and cleared on leaving it: one
	// of the Pause constants, or what a caller of its own gave.
	PauseReason string `json:"pause_reason,omitempty"`
	ChainDepth  int    `json:"chain_depth,omitempty"`
	Owner       *Owner `json:"owner,omitempty"` // the supervisor

	Extra map[string]json.RawMessage `json:"-"` // unknown keys, written back
}

// Source says what launched a run.
type Source struct {
	Kind           string `json:"kind"` // manual, issue, schedule or trigger
	IssueID        string `json:"issue_id,omitempty"`
	ScheduleID     string `json:"schedule_id,omitempty"`
	ScheduleName   string `json:"schedule_name,omitempty"`
	SubscriptionID string `json:"subscription_id,omitempty"`
	EventID        string `json:"event_id,omitempty"`
}

// The kinds of Source.
const (
	SourceManual   = "manual"
	SourceIssue    = "issue"
	SourceSchedule = "schedule"
	SourceTrigger  = "trigger"
)

// Progress is the last thing a bot said of how far it is.
type Progress struct {
	Text    string    `json:"text"`
	Percent *float64  `json:"percent,omitempty"` // 0 to 100
	At      time.Time `json:"at"`
}

// Why a run is paused_operator.
const (
	PauseOperator = "operator"       // a person asked for it
	PauseCostCap  = "cost_cap_daily" // the day's spending reached its cap
)

// Awaiting is the question that a paused run waits on.
type Awaiting struct {
	InteractionID string          `json:"interaction_id"`
	Questions     json.RawMessage `json:"questions,omitempty"`
}

// Owner is the identity of the process that supervises a run. The pair of pid
// and start time within one boot of one host names a process for good.
type Owner struct {
	HostID string `json:"host_id"`
	BootID string `json:"boot_id"`
	PID    int    `json:"pid"`
	Start  int64  `json:"start"` // kernel start time of the process, in clock ticks since boot on Linux
}

// EventType names what happened to a run.
type EventType string

// The types of run events.
const (
	EventStarted      EventType = "run_started"
	EventProgress     EventType = "run_progress"
	EventCost         EventType = "run_cost"
	EventOutput       EventType = "run_output"
	EventAsked        EventType = "human_input_requested"
	EventPaused       EventType = "run_paused"
	EventAnswered     EventType = "human_answers_recorded"
	EventResumed      EventType = "run_resumed"
	EventFinished     EventType = "run_finished"
	EventFailed       EventType = "run_failed"
	EventCancelled    EventType = "run_cancelled"
	EventInterrupted  EventType = "run_interrupted"
	EventLogTruncated EventType = "log_truncated"
)

// Event is one line of a run's events.jsonl.
type Event struct {
	Seq       int64          `json:"seq"` // from 0
	Timestamp time.Time      `json:"timestamp"`
	Type      EventType      `json:"type"`
	RunID     string         `json:"run_id"`
	Data      map[string]any `json:"data,omitempty"`
	LogOffset int64          `json:"log_offset"` // bytes of run.log written before the event
}

// Intent is intent.json: what somebody asks of a run's supervisor.
type Intent struct {
	Verb string    `json:"verb"` // see the Verb constants
	By   string    `json:"by"`   // person or program
	At   time.Time `json:"at"`
	// Note goes into the run's error sentence.
	Note string `json:"note,omitempty"`
	// Resumable, with VerbStop: the run becomes failed_resumable whatever its bot, for
	// its work was good and only went silent.
	Resumable bool `json:"resumable,omitempty"`
}

// Sentence says what was done, by whom and why: "cancelled by ana: wrong branch".
func (in Intent) Sentence(done string) string {
	if in.By != "" {
		done += " by " + in.By
	}
	if in.Note != "" {
		done += ": " + in.Note
	}
	return done
}

// What can be asked of a supervisor.
const (
	VerbCancel = "cancel" // by a person: the run ends cancelled
	VerbStop   = "stop"   // by a machine: the run ends failed or failed_resumable, code INTERRUPTED
	VerbPause  = "pause"  // the run ends paused_operator and can be resumed; Note is the reason
)
