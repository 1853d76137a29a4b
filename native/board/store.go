package board

import (
	"context"
	"time"
)

// Store is one board: its schema, its cards and its event log. Every twin
// passes the suite in boardtest. Each verb checks the rules of this package and
// makes its change and its event durable before it returns; a verb that returns
// an error has changed nothing, except where ErrAmbiguous says that nobody knows.
//
// An id given to a verb is a full id; Resolve turns what people type into one.
// All methods are safe for concurrent use, over processes where the twin is
// shared between processes.
type Store interface {
	// Schema returns the board's columns, fields and views.
	Schema(ctx context.Context) (Schema, error)
	// SetSchema replaces them. Columns that still hold cards cannot go away, and a
	// schema that differs in nothing but updated_at leaves no event.
	SetSchema(ctx context.Context, s Schema, by Cause) error
	// RenameState gives a column another name as one verb, with one event for the
	// board and one for each card in it, and returns the cards' ids. The columns of
	// the default board keep their names. Errors: ErrInvalid, ErrExists.
	RenameState(ctx context.Context, from, to string, by Cause) ([]string, error)

	// Resolve turns a full id, a bare uuid or a unique prefix of at least four
	// characters into a full id. Errors: ErrNotFound, *AmbiguousError, ErrInvalid.
	Resolve(ctx context.Context, ref string) (string, error)
	// Get returns one card. Errors: ErrNotFound, *UnreadableError.
	Get(ctx context.Context, id string) (Issue, error)
	// List returns the cards that q selects, in q's order, and names the records
	// that could not be read. ErrInvalid: a sort key that there is not.
	List(ctx context.Context, q Query) (Listing, error)

	// Create files a new card. The caller sets the fields that a person may set;
	// an empty ID is given one, an empty State means the first column. Errors:
	// ErrInvalid (ErrCycle among it), ErrExists.
	Create(ctx context.Context, draft Issue, by Cause) (Issue, error)
	// Update changes the parts of a card that p names. A patch that changes
	// nothing leaves no event.
	Update(ctx context.Context, id string, p Patch, by Cause) (Issue, error)
	// Move refiles a card. Leaving a terminal column for a working one is refused
	// with ErrTerminal (which wraps ErrTransitionRejected).
	Move(ctx context.Context, id, to string, by Cause) (Issue, error)
	// MoveAll refiles several cards as one verb, which a crash leaves whole or
	// undone, and says of each, in the order of ids, what became of it: a card
	// that may not go keeps none of the others back.
	MoveAll(ctx context.Context, ids []string, to string, by Cause) ([]Moved, error)
	// Reopen is the one way out of a terminal column, to a working column. It is
	// refused with ErrTransitionRejected while dependents are out that the card's
	// done has set free.
	Reopen(ctx context.Context, id, to string, by Cause) (Issue, error)
	// Delete removes a card. A claimed one is refused with *ClaimedError unless force.
	Delete(ctx context.Context, id string, force bool, by Cause) error
	// Comment appends a remark.
	Comment(ctx context.Context, id, author, body string, by Cause) (Comment, error)

	// Import files a record under its id: idempotent, and under the reason import.
	// See Rules.Import for what it keeps of a card that is there. Errors:
	// ErrInvalid, *ClaimedError, ErrTerminal, *UnreadableError.
	Import(ctx context.Context, rec Record, by Cause) (Issue, Outcome, error)
	// Relabel changes the vocabulary of labels as one verb, with one event for
	// each card that it touches, and returns their ids. Errors: ErrNotFound for a
	// label that no card bears, ErrExists, ErrInvalid.
	Relabel(ctx context.Context, e LabelEdit, by Cause) ([]string, error)

	// Claim acquires the card for marker until now+lease. The epoch of the
	// returned card grows on a fresh acquisition; the same marker claiming again
	// extends its lease under its old epoch and leaves no event. Another holder,
	// lease expired or not: *ClaimedError.
	Claim(ctx context.Context, id string, marker string, lease time.Duration, by Cause) (Issue, error)
	// Renew moves the lease of the fence's holder to now+lease: no event, no updated_at.
	Renew(ctx context.Context, id string, f Fence, lease time.Duration) error
	// Release gives the card back.
	Release(ctx context.Context, id string, f Fence, by Cause) (Issue, error)
	// ForceRelease gives a card back whoever holds it: a person's verb. The epoch
	// keeps what it was, so that the late holder stays fenced off by the next claim;
	// until then its writes are refused because the marker is gone.
	ForceRelease(ctx context.Context, id string, by Cause) (Issue, error)
	// Transfer gives a card whose holder let its lease expire to another holder, in
	// one step: the epoch grows as on a fresh acquisition. ErrConflict when t.From is
	// not the card's current pair, or when its lease has not expired.
	Transfer(ctx context.Context, id string, t Takeover, by Cause) (Issue, error)

	// The fenced verbs below refuse a holder whose fence is not the card's
	// current pair with ErrConflict (I2).

	// SetState files the card under a new column for its holder.
	SetState(ctx context.Context, id string, f Fence, s Filing, by Cause) (Issue, error)
	// SetLastRun stamps the run that the card was last given to and appends it to
	// the card's run history, once per run id.
	SetLastRun(ctx context.Context, id string, f Fence, r RunRef, by Cause) (Issue, error)
	// SetAwaitingInput sets or clears the flag of a card whose run asks a person.
	SetAwaitingInput(ctx context.Context, id string, f Fence, awaiting bool, by Cause) (Issue, error)
	// SetGaveUp stamps the card as given up in the column that it is in, which is
	// therefore set first. The stamp names the card's last run, or says Launch.
	SetGaveUp(ctx context.Context, id string, f Fence, g GaveUp, by Cause) (Issue, error)

	// SetLaunchRefusal notes that a launch was refused before a run existed, or,
	// without Attempts, takes the note off. The zero fence is a caller who holds
	// no claim; it is refused with *ClaimedError where somebody does.
	SetLaunchRefusal(ctx context.Context, id string, f Fence, l LaunchRefusal, by Cause) (Issue, error)

	// Events returns at most limit events with Seq > after, oldest first. after
	// -1 starts at the beginning; limit 0 means no limit.
	Events(ctx context.Context, after int64, limit int) ([]Event, error)
	// Tip returns the highest Seq, or -1 for an empty log.
	Tip(ctx context.Context) (int64, error)
}

// Fence is the pair that proves who holds a claim.
type Fence struct {
	Marker string
	Epoch  int64
}

// Fence returns the card's current pair.
func (i *Issue) Fence() Fence { return Fence{Marker: i.Claim, Epoch: i.ClaimEpoch} }

// Cause says who makes a change, and why. The zero Cause is a person.
type Cause struct {
	Reason string // one of the Reason constants, or empty
	Actor  string // person or program, e.g. "alice", "dispatcher"
	RunID  string // run whose bot writes
}

// Filing is a fenced column change.
type Filing struct {
	To string
	// From, when not empty, is a precondition: the card must be in that column,
	// else ErrTransitionRejected and nothing changes.
	From string
}

// Query selects cards. Dimensions that are empty match all; within States,
// values are alternatives; within Labels, all must be present.
type Query struct {
	States   []string
	Labels   []string
	Assignee string
	Bot      string
	Claimed  *bool
	Search   string // case-folded words, all found in id, title, body or labels
	// ExpiredBefore selects claims whose lease ended before then; zero: all cards. A
	// claim without a lease never expires.
	ExpiredBefore time.Time
	ClaimPrefix   string // of the marker
	OrClaim       string // the cards under this marker, too, whatever the rest says
	Sort          string // "", priority, created, updated, title, state; a leading "-" reverses
	Limit         int    // 0: all
}

// Listing is what List found.
type Listing struct {
	Issues []Issue
	// Broken names records that could not be read; they are neither lost nor
	// counted as absent.
	Broken []UnreadableError
}

// Patch names the parts of a card to change. Nil and empty leave as is.
type Patch struct {
	// IfBot and IfLabels are preconditions: the card must be that bot's, and bear all
	// of the labels, else ErrTransitionRejected and nothing changes.
	IfBot    *string
	IfLabels []string

	Title, Body, Assignee, Bot, ParentID *string
	Priority                             *int

	AddLabels, RemoveLabels     []string
	SetLabels                   *[]string
	AddBlockers, RemoveBlockers []string
	SetFields                   map[string]string // text form, checked against the field's type
	ClearFields                 []string
	SetBotArgs                  map[string]string
	ClearBotArgs                []string
	// ClearLastRun drops the pointer to the last run; the history stays. The
	// caller checks first that the run is not alive.
	ClearLastRun bool
}
