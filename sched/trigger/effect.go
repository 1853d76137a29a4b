package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// EffectState is where an effect stands.
type EffectState string

// The states.
const (
	Pending EffectState = "pending"
	Claimed EffectState = "claimed"
	Done    EffectState = "done"
	Failed  EffectState = "failed" // kept until an operator retries or drops it
)

// EffectKind is what an effect does.
type EffectKind string

// The kinds.
const (
	EffectLaunch     EffectKind = "launch"
	EffectProjection EffectKind = "projection"
)

// Effect is one row of the outbox: what one event owes one subscription. The id is
// "<event id>|<subscription id>", so the same event twice is one row.
type Effect struct {
	ID             string      `json:"id"`
	Kind           EffectKind  `json:"kind"`
	EventID        string      `json:"event_id"`
	SubscriptionID string      `json:"subscription_id,omitempty"`
	TenantID       string      `json:"tenant_id,omitempty"`
	RunID          string      `json:"run_id,omitempty"` // of the launch, fixed when the row is made
	Event          Event       `json:"event"`
	State          EffectState `json:"state"`
	Attempts       int         `json:"attempts"`
	ClaimID        string      `json:"claim_id,omitempty"`
	ClaimUntil     time.Time   `json:"claim_until,omitzero"`
	ConsumeMarked  bool        `json:"consume_marked,omitempty"`
	NotBefore      time.Time   `json:"not_before,omitzero"`
	// Held: the launch waits for a slot, the spending cap or the end of a pause.
	Held      bool   `json:"held,omitempty"`
	LastError string `json:"last_error,omitempty"`
	// Outcome says in words what became of a row that is done.
	Outcome   string    `json:"outcome,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	Extra map[string]json.RawMessage `json:"-"` // unknown keys, written back
}

// The pace of the outbox.
const (
	ClaimHorizon = 2 * time.Minute  // after which a claimed row may be claimed again
	BackoffFirst = 15 * time.Second // after the first failure; doubles
	BackoffMax   = 10 * time.Minute
	MaxAttempts  = 5                  // then the row is failed
	KeepDone     = 7 * 24 * time.Hour // then a done row is forgotten
)

// Sentinels of the outbox.
var (
	ErrNoEffect = errors.New("no such effect")
	// ErrLostClaim: the row was claimed anew, or ended, since the claim that is named.
	ErrLostClaim = errors.New("the effect's claim is lost")
	// ErrEffectState: the row is claimed or done, and the verb is for others.
	ErrEffectState = errors.New("not possible in the effect's state")
)

// EffectQuery selects effects; empty fields select all.
type EffectQuery struct {
	States         []EffectState
	SubscriptionID string
	Limit          int // 0: all
}

// Outbox keeps the effects and the place up to which each feed of events was
// evaluated. It is safe for concurrent use. Every method is durable when it returns.
type Outbox interface {
	// Cursor returns the place in a feed; ok is false while there is none.
	Cursor(ctx context.Context, feed string) (at int64, ok bool, err error)
	// Add makes rows and then moves the feed's cursor: when the cursor is seen to
	// have moved, the rows are there. A row whose id exists is left as it is. A cursor
	// never goes back.
	Add(ctx context.Context, feed string, at int64, rows []Effect) error
	// Claim takes at most limit rows that are due at now: pending ones whose NotBefore
	// has come and claimed ones past their horizon, oldest first. Each gets a fresh
	// claim id; a claimed one that is claimed again has spent an attempt, and one that
	// has spent MaxAttempts by that is failed instead of returned.
	Claim(ctx context.Context, now time.Time, limit int) ([]Effect, error)
	// Renew moves the horizon of a claim. ErrLostClaim.
	Renew(ctx context.Context, id, claimID string, now time.Time) error
	// MarkConsumed notes that the labels were taken off. ErrLostClaim.
	MarkConsumed(ctx context.Context, id, claimID string, now time.Time) error
	// Finish ends a row well. ErrLostClaim.
	Finish(ctx context.Context, id, claimID, outcome string, now time.Time) error
	// Fail spends an attempt: the row is pending again after its backoff, or failed
	// when that was the last. final fails it at once. ErrLostClaim.
	Fail(ctx context.Context, id, claimID, reason string, final bool, now time.Time) (Effect, error)
	// Wait gives a claimed row back without spending an attempt, for a launch that is
	// held: the row is pending, Held, and due at notBefore. ErrLostClaim.
	Wait(ctx context.Context, id, claimID, reason string, notBefore, now time.Time) error
	// Wake makes at most limit (0: all) held rows due at once, oldest first, and
	// returns how many.
	Wake(ctx context.Context, now time.Time, limit int) (int, error)
	// NextDue returns the earliest instant at which Claim can find something; ok is
	// false when nothing is pending or claimed.
	NextDue(ctx context.Context) (at time.Time, ok bool, err error)
	// Counts returns how many rows are in each state.
	Counts(ctx context.Context) (map[EffectState]int, error)

	List(ctx context.Context, q EffectQuery) ([]Effect, error) // newest first
	Get(ctx context.Context, id string) (Effect, error)        // ErrNoEffect
	// Retry makes a failed row pending again with all its attempts before it, and one
	// that waits due at once. ErrNoEffect, ErrEffectState.
	Retry(ctx context.Context, id string, now time.Time) (Effect, error)
	// Drop removes a failed row; a pending one, too, so that an operator can call a
	// launch off. ErrNoEffect, ErrEffectState.
	Drop(ctx context.Context, id string) error
	// Prune forgets done rows that ended before.
	Prune(ctx context.Context, before time.Time) (int, error)
}
