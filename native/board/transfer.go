package board

import (
	"fmt"
	"strings"
	"time"
)

// Takeover is what Transfer needs to know: which hold to end, why that is allowed,
// and who holds the card then.
type Takeover struct {
	From Fence // the hold that was looked at
	// ExpiredBefore is a precondition: the hold's lease ended before then. A holder
	// that has renewed meanwhile keeps its card.
	ExpiredBefore time.Time
	To            string        // marker of the new holder
	Lease         time.Duration // from now on
}

// Transfer gives a card whose holder let its lease expire to another one, under a
// new epoch and without an instant in which the card is free for all.
func (r Rules) Transfer(i Issue, t Takeover) (Change, error) {
	if err := t.check(i); err != nil {
		return Change{}, fmt.Errorf("take over issue %s: %w", i.ID, err)
	}
	i.Claim, i.ClaimedAt, i.ClaimLeaseUntil = t.To, r.now(), r.now().Add(t.Lease)
	i.ClaimEpoch++
	return r.tell(i, EventIssueClaimed, Payload{Marker: i.Claim, Epoch: i.ClaimEpoch, Supersedes: t.From.Marker}), nil
}

func (t Takeover) check(i Issue) error {
	if err := t.From.check(i); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(t.To) == "" || t.To != valid(t.To):
		return fmt.Errorf("%w: the claim's marker is blank", ErrInvalid)
	case t.To == i.Claim:
		return fmt.Errorf("%w: %s holds it already", ErrInvalid, t.To)
	case t.Lease <= 0:
		return fmt.Errorf("%w: a lease of %s", ErrInvalid, t.Lease)
	case !expired(i.ClaimLeaseUntil, t.ExpiredBefore):
		return fmt.Errorf("%w: the lease of %s has not expired", ErrConflict, i.Claim)
	}
	return nil
}

// expired reports whether a lease ended before an instant. A claim without a lease
// never expires.
func expired(until, before time.Time) bool { return !until.IsZero() && until.Before(before) }
