package dispatch

import (
	"context"
	"errors"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// The dispatcher knows the world through the interfaces of this file. The
// daemon joins them to the real rooms; tests join them to memory. Everything
// here is called off the actor goroutine and may block.

// Board is what the dispatcher needs of a board.Store.
type Board interface {
	Schema(ctx context.Context) (board.Schema, error)
	Get(ctx context.Context, id string) (board.Issue, error)
	List(ctx context.Context, q board.Query) (board.Listing, error)
	Claim(ctx context.Context, id string, marker string, lease time.Duration, by board.Cause) (board.Issue, error)
	Update(ctx context.Context, id string, p board.Patch, by board.Cause) (board.Issue, error)
	Renew(ctx context.Context, id string, f board.Fence, lease time.Duration) error
	Release(ctx context.Context, id string, f board.Fence, by board.Cause) (board.Issue, error)
	SetState(ctx context.Context, id string, f board.Fence, s board.Filing, by board.Cause) (board.Issue, error)
	SetLastRun(ctx context.Context, id string, f board.Fence, r board.RunRef, by board.Cause) (board.Issue, error)
	SetAwaitingInput(ctx context.Context, id string, f board.Fence, awaiting bool, by board.Cause) (board.Issue, error)
	SetGaveUp(ctx context.Context, id string, f board.Fence, g board.GaveUp, by board.Cause) (board.Issue, error)
	Events(ctx context.Context, after int64, limit int) ([]board.Event, error)
	Tip(ctx context.Context) (int64, error)
}

// Sentinels of the Runs port.
var (
	// ErrRunGone: there is no run of that id.
	ErrRunGone = errors.New("no such run")
	// ErrLaunchRefused: the launch can never work as it is (a required input is
	// missing, a template is wrong). The card gives up at once instead of trying
	// again.
	ErrLaunchRefused = errors.New("launch refused")
	// ErrNotResumable: the run cannot be paused and gone on with, because its bot
	// does not support it or because of where the run stands.
	ErrNotResumable = errors.New("the run cannot be resumed")
	// ErrHook: a hook of the workspace that must succeed before the bot may start has
	// failed. It spends an attempt, like a run that failed.
	ErrHook = errors.New("hook failed")
	// ErrUnanswered: the run asked a person and nobody answered yet.
	ErrUnanswered = errors.New("the run waits for an answer")
)

// Runs starts, watches and stops runs.
type Runs interface {
	// Launch makes the run folder and starts its supervisor. A nil error means
	// that the run exists under l.RunID. After any error Inspect is asked whether
	// it does, and answers for good: a launch that has returned starts nothing
	// later. An error that wraps ErrLaunchRefused is final for the card, every
	// other one is trouble of the world around.
	Launch(ctx context.Context, l Launch) error
	// Resume lets a run go on under its own id and in its own folder: one that is
	// paused, answered where it asked, or failed_resumable. A nil error means that it
	// does. After any other error Inspect tells whether it does all the same.
	// ErrRunGone, ErrUnanswered and ErrNotResumable (wrapped) are final for the run as
	// it stands, every other one is trouble of the world around.
	Resume(ctx context.Context, r Resume) error
	// Await blocks until the run is final or paused and returns its settled view;
	// a run whose supervisor died is recovered first. ErrRunGone (wrapped) when no
	// such run exists; any other error means that nobody can say, and the card is
	// held. ctx ends the wait, never the run.
	Await(ctx context.Context, runID string) (RunView, error)
	// Inspect returns what is known of a run now. ErrRunGone (wrapped) when no
	// such run exists; any other error means unreadable.
	Inspect(ctx context.Context, runID string) (RunView, error)
	// LiveByIssue returns the runs of a card that are not final, oldest first. It
	// is asked once before each claim.
	LiveByIssue(ctx context.Context, issueID string) ([]RunView, error)
	// LiveWithoutCard returns the runs at work that a clock or an event has started
	// without a card, where this dispatcher is the one that counts them against its
	// slots. It is asked at the start.
	LiveWithoutCard(ctx context.Context) ([]RunView, error)
	// Stop asks the run's supervisor to end it (run.VerbCancel or run.VerbStop), or to
	// stop its bot and keep it (run.VerbPause; ErrNotResumable where the bot does not
	// support that), and returns once the request is durable; Await tells when it has
	// ended.
	Stop(ctx context.Context, runID string, verb, by, note string) error
}

// Launch is one run to start.
type Launch struct {
	RunID   string // UUIDv7, fixed and journalled before the launch
	Bot     Bot
	Issue   board.Issue // as claimed
	Attempt int         // from 1
	Workdir string
	Stall   time.Duration     // how long it may be silent where its bot does not say; 0: for ever
	Inputs  map[string]string // joined and expanded; names that the bot does not declare may be among them
}

// Resume is one run to go on with. Its inputs stay those of its launch.
type Resume struct {
	RunID   string
	Issue   board.Issue // as claimed; zero for a run without a card
	Attempt int         // 0: the same attempt goes on
	Workdir string      // empty: as it was
	Stall   time.Duration
	By      string // who wants it
}

// RunView is a run as the dispatcher sees it.
type RunView struct {
	Record run.Record
	// Supervised: a supervisor holds the run's lock. Queued or running without
	// one means that the supervisor died.
	Supervised bool
	// By and Note are those of the stop request that ended the run, if any.
	By, Note string
	// Answered: the run is paused_waiting_human and has its answers.
	Answered bool
}

// Bots resolves a slug to something that can be launched.
type Bots interface {
	// Resolve returns the bot that slug names, or an error that tells a person
	// what is wrong with it.
	Resolve(ctx context.Context, slug string) (Bot, error)
}

// Bot is what the dispatcher needs to know of a bot.
type Bot struct {
	Slug         string
	Version      string
	Path         string            // bundle folder, or "catalog:<slug>"
	DispatchVars map[string]string // templates from the manifest
	Resume       bool
	Retry        QuotaRetry
}

// QuotaRetry is a bot's wish for how a used up allowance is waited for. Zero
// fields take the defaults of quota.go.
type QuotaRetry struct {
	UsageWindow string // see the Usage constants
	MaxAttempts int
	MaxWait     time.Duration
	Jitter      time.Duration
}

// Spend is the day's spending over all surfaces.
type Spend interface {
	// Status returns today's spending. An error means that nobody can say, and
	// nothing new starts.
	Status(ctx context.Context) (Spending, error)
}

// Spending is one UTC day's ledger.
type Spending struct {
	Day      string  `json:"day,omitempty"`
	TotalUSD float64 `json:"total_usd"`
	CapUSD   float64 `json:"cap_usd,omitempty"` // 0: none
	// Reached: the total is at the cap and nobody lifted it for the day.
	Reached bool `json:"reached,omitempty"`
	// LiftedBy is who did, if anybody.
	LiftedBy string `json:"lifted_by,omitempty"`
}

// Workspaces hands out per-card working folders.
type Workspaces interface {
	// Prepare makes or reuses the card's folder and marks it as owned by runID.
	// *WorkspaceBusyError when a live process still uses it. again: runID worked
	// there before and must find that very folder; ErrNotResumable when it is gone,
	// or was made anew since.
	Prepare(ctx context.Context, is board.Issue, runID string, again bool) (dir string, err error)
	// Returned is told that a run has ended that worked in the card's folder.
	Returned(ctx context.Context, is board.Issue, runID string)
	// Release takes the mark off and applies the persist policy.
	Release(ctx context.Context, is board.Issue, runID string, done, terminal bool) error
}

// WorkspaceBusyError refuses a folder that somebody still works in.
type WorkspaceBusyError struct {
	Dir string
	By  string // who, for people
}

func (e *WorkspaceBusyError) Error() string { return "workspace " + e.Dir + " is in use by " + e.By }

// Journal is the durable list of claims that this daemon holds or is about to
// take, shared by the daemons of one store. Several daemons may have an entry of
// one card: all but one of them are about to find that they came too late.
type Journal interface {
	// Put writes e.Owner's entry of e.IssueID under e.Marker, or replaces it. It leaves
	// the entries of other owners alone, and those that e.Owner adopted.
	Put(ctx context.Context, e JournalEntry) error
	// Remove drops the entry of a card that owner has under a marker. One that owner
	// adopted of somebody else's claim bears another marker and stays.
	Remove(ctx context.Context, issueID, owner, marker string) error
	// Entries returns all entries, every owner's.
	Entries(ctx context.Context) ([]JournalEntry, error)
	// Adopt hands the entries of owners that are provably dead to owner, in one
	// step, and returns all that are owner's then. One card may have several. A card
	// that owner has an entry of already is left for later: what is written and
	// removed in owner's name until then is about that entry alone.
	Adopt(ctx context.Context, owner string) ([]JournalEntry, error)
}

// JournalEntry is one element of claims.json.
type JournalEntry struct {
	IssueID       string    `json:"issue_id"`
	Identifier    string    `json:"identifier"` // short id, for people
	Marker        string    `json:"marker"`
	Epoch         int64     `json:"epoch"` // 0 until claimed
	ClaimedAt     time.Time `json:"claimed_at"`
	Owner         string    `json:"owner"` // uuid of the daemon's owner lock
	WorkspaceRoot string    `json:"workspace_root"`
	Phase         string    `json:"phase"`            // see the Phase constants
	RunID         string    `json:"run_id,omitempty"` // durable before the launch

	// SourceState is the column the card came from.
	SourceState string `json:"source_state,omitempty"`
	// PlacedState is the column that a parked or held card was put in by us; empty until
	// it was filed. A card that is elsewhere was moved.
	PlacedState string `json:"placed_state,omitempty"`
	Attempt     int    `json:"attempt,omitempty"`
	// Unseen: the card was held before anybody could say whether the run was made, and
	// does not point to it.
	Unseen bool `json:"unseen,omitempty"`
	// Seq is the tip of the board's log before the claim: whoever moved the card
	// since is found behind it.
	Seq int64 `json:"seq,omitempty"`
}

// Ledger is the durable retry ledger, shared by the daemons of one store. The entry
// of a card is written by the daemon that holds it.
type Ledger interface {
	// Load returns the entries of all cards, every daemon's.
	Load(ctx context.Context) (map[string]RetryEntry, error)
	// Save replaces the entries that are named and leaves the others alone. A zero
	// entry drops the card's.
	Save(ctx context.Context, entries map[string]RetryEntry) error
}

// RetryEntry is what the ledger holds of one card.
type RetryEntry struct {
	IssueID string `json:"issue_id"`
	// Attempts counts runs that failed and count. Restarts, fresh claims and mixed
	// failure kinds do not reset it; success and a person's clear do.
	Attempts  int       `json:"attempts"`
	DueAt     time.Time `json:"due_at,omitzero"`
	LastRunID string    `json:"last_run_id,omitempty"`
	// LastOutcome is the outcome_seq of LastRunID that was counted: a run that goes
	// on may fail more than once.
	LastOutcome int    `json:"last_outcome,omitempty"`
	LastReason  string `json:"last_reason,omitempty"`
	// Uncounted are the tries since the last counted one that spent no attempt.
	Uncounted int `json:"uncounted,omitempty"`
	// QuotaWaits are the waits in a row for an allowance that was used up, the first
	// one from QuotaSince on. JitterMS is what the bot wants to be spread over.
	QuotaWaits int       `json:"quota_waits,omitempty"`
	QuotaSince time.Time `json:"quota_since,omitzero"`
	JitterMS   int64     `json:"jitter_ms,omitempty"`
}

// Desired is runtime.json: the operator's intent.
type Desired struct {
	Desired string    `json:"desired"` // running or paused
	Reason  string    `json:"reason,omitempty"`
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at,omitzero"`
}

// What an operator may desire.
const (
	DesiredRunning = "running"
	DesiredPaused  = "paused"
)

// Intent keeps the operator's intent over restarts. A Desired that was never
// saved loads as the zero value, which means running.
type Intent interface {
	Load(ctx context.Context) (Desired, error)
	Save(ctx context.Context, d Desired) error
}
