package watchdog

import (
	"context"
	"log/slog"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// Prefix begins the marker of every recovery claim.
const Prefix = "watchdog:"

// Actor is who the watchdog's writes are by.
const Actor = "watchdog"

// Board is what the watchdog needs of a board.Store.
type Board interface {
	Schema(ctx context.Context) (board.Schema, error)
	List(ctx context.Context, q board.Query) (board.Listing, error)
	Release(ctx context.Context, id string, f board.Fence, by board.Cause) (board.Issue, error)
	SetState(ctx context.Context, id string, f board.Fence, s board.Filing, by board.Cause) (board.Issue, error)
	SetLastRun(ctx context.Context, id string, f board.Fence, r board.RunRef, by board.Cause) (board.Issue, error)
	SetAwaitingInput(ctx context.Context, id string, f board.Fence, awaiting bool, by board.Cause) (board.Issue, error)
	SetGaveUp(ctx context.Context, id string, f board.Fence, g board.GaveUp, by board.Cause) (board.Issue, error)
}

// Leases is what a Board has on top whose claims expire.
type Leases interface {
	Transfer(ctx context.Context, id string, t board.Takeover, by board.Cause) (board.Issue, error)
}

// Oracle tells what became of the work on a card.
type Oracle interface {
	// Recorded returns what is known of the run that counts for a card: one that has
	// not ended and names the card, else the one that its holder noted, else the
	// card's last run. from is the hold that is looked at. An error means that nobody
	// can say.
	Recorded(ctx context.Context, is board.Issue, from board.Fence) (Finding, error)
	// Promote settles a run that lost its supervisor: what is left of its processes is
	// ended, provably, and its record tells its true end.
	Promote(ctx context.Context, runID string) error
}

// Finding is what an Oracle knows. The zero value says that no run is recorded.
type Finding struct {
	// Tended: the dispatcher of this very process holds the card.
	Tended bool
	RunID  string // empty: none is recorded
	Gone   bool   // it is recorded, but there is no such run any more
	Record run.Record
	Live   bool // a supervisor holds the run's lock
	Armed  bool // the card waits for its next attempt, or for its event to come again
	// Source is the column that the card came from; empty: unknown.
	Source   string
	Attempts int // spent so far
}

// Settings are the operator's.
type Settings struct {
	Enabled bool
	// The columns that cards are worked on and filed in. One that the board does not
	// have means that cards are not filed there.
	Running, Completed, Failed string
	Lease                      time.Duration // of a dispatcher's claim; 0: 15 min
}

// Options of a watchdog.
type Options struct {
	Board    Board // with Leases, if its claims expire
	Oracle   Oracle
	Settings func() Settings // asked at each sweep
	Owner    string          // tells this watchdog's markers from others'
	Log      *slog.Logger    // nil: silent
}
