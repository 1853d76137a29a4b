package dispatch

import (
	"time"

	"iterion/native/run"
)

// Snapshot is the dispatcher's published state, read by everybody and changed
// by nobody. It is also the JSON that the control socket serves.
type Snapshot struct {
	At      time.Time `json:"at"`
	Seq     int64     `json:"seq"` // grows with every publication
	Ready   bool      `json:"ready"`
	Desired Desired   `json:"desired"`

	SlotsUsed int `json:"slots_used"`
	SlotsMax  int `json:"slots_max"`
	// Idle: nothing runs, nothing of what was last seen on the board can be
	// started, no retry waits and no look at the board is due. Parked, held and
	// refused cards do not count.
	Idle     bool      `json:"idle"`
	LastTick time.Time `json:"last_tick,omitzero"`
	NextPoll time.Time `json:"next_poll,omitzero"`

	Running []Running `json:"running"` // oldest first
	Queue   []Queued  `json:"queue"`   // eligible cards that were not started, in walk order
	Retries []Retry   `json:"retries"` // by due instant
	Parked  []Hold    `json:"parked"`
	Held    []Hold    `json:"held"`

	// Settled counts the settlements of this dispatcher's life by disposition, those of
	// cards that it merely let go among them.
	Settled map[string]int64 `json:"settled,omitempty"`

	// Ticks counts the looks at the board that came back; Thinking is how long the actor
	// thought over them in all.
	Ticks    int64         `json:"ticks"`
	Thinking time.Duration `json:"thinking_ns"`

	// Errors are the newest infrastructure errors, newest first, at most ten.
	Errors []Problem `json:"errors"`
	// Spend is the day's spending as it was last read; SpendProblem why it is not.
	Spend        Spending `json:"spend"`
	SpendProblem string   `json:"spend_problem,omitempty"`
	// Warnings hold for the whole life of the daemon (e.g. a configured column
	// that the board does not have).
	Warnings []string `json:"warnings,omitempty"`
}

// Phases of a dispatched card, in order; they are also the journal's.
const (
	PhaseClaiming  = "claiming"
	PhasePreparing = "preparing" // in-progress move, folder
	PhaseLaunching = "launching"
	PhaseRunning   = "running"
	PhaseStopping  = "stopping"
	PhaseSettling  = "settling"
	PhaseParked    = "parked"
	PhaseHeld      = "held"
)

// Running is a card, or a run without one, that occupies a slot.
type Running struct {
	IssueID string    `json:"issue_id"`
	Title   string    `json:"title"`
	Bot     string    `json:"bot"`
	RunID   string    `json:"run_id"`
	Attempt int       `json:"attempt"`
	Phase   string    `json:"phase"`
	Since   time.Time `json:"since"` // start of the claim
	Workdir string    `json:"workdir,omitempty"`
	// By is what started a run without a card, or who made it go on.
	By string `json:"by,omitempty"`

	// What the run's record says. The dispatcher leaves them empty; the daemon
	// fills them in whenever somebody asks for its status.
	StartedAt time.Time     `json:"started_at,omitzero"`
	Progress  *run.Progress `json:"progress,omitempty"`
}

// Queued is an eligible card that waits, and why.
type Queued struct {
	IssueID string `json:"issue_id"`
	Title   string `json:"title"`
	State   string `json:"state"`
	Bot     string `json:"bot,omitempty"`
	RunID   string `json:"run_id,omitempty"` // of one that is to go on; without an issue it has no card
	Guard   string `json:"guard"`            // name of the dispatch guard that refused it
	Reason  string `json:"reason"`           // for people
}

// Retry is a card that waits for its next attempt.
type Retry struct {
	IssueID  string    `json:"issue_id"`
	Title    string    `json:"title,omitempty"`
	Attempts int       `json:"attempts"` // spent so far
	DueAt    time.Time `json:"due_at"`
	Reason   string    `json:"reason"`
	// QuotaWaits: it waits for an allowance, so many times in a row by now.
	QuotaWaits int `json:"quota_waits,omitempty"`
}

// Hold is a card whose claim is kept without a slot.
type Hold struct {
	IssueID string    `json:"issue_id"`
	Title   string    `json:"title,omitempty"`
	RunID   string    `json:"run_id"`
	Reason  string    `json:"reason"`
	Since   time.Time `json:"since"`
	// Question is what a parked run asks a person.
	Question string `json:"question,omitempty"`
	// Ready: what it waited for has come. Waits says why it has no slot yet.
	Ready bool   `json:"ready,omitempty"`
	Waits string `json:"waits,omitempty"`
}

// Problem is an error of the world around the dispatcher.
type Problem struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

// Verdict is one row of the dispatch guard table as it stands for one card.
type Verdict struct {
	Row    int    `json:"row"`   // number in the table
	Guard  string `json:"guard"` // its name
	Answer string `json:"answer"`
	Reason string `json:"reason"`           // the facts, for people
	Remedy string `json:"remedy,omitempty"` // what to do about a refusal
}

// The answers of a dispatch guard.
const (
	AnswerPass = "pass"
	AnswerSkip = "skip" // this card only
	AnswerStop = "stop" // nothing more this tick
	AnswerActs = "acts" // rows that do something when the card is started
)
