package board

import (
	"fmt"
	"strings"
	"time"
)

// Claim acquires the card for marker until now+lease. A fresh acquisition has a
// new epoch; the holder claiming again only has a later lease.
func (r Rules) Claim(i Issue, marker string, lease time.Duration) (Change, error) {
	if err := r.claims(i, marker, lease); err != nil {
		return Change{}, fmt.Errorf("claim issue %s: %w", i.ID, err)
	}
	until := r.now().Add(lease)
	if i.Claim == marker {
		if !until.After(i.ClaimLeaseUntil) {
			return same(i), nil
		}
		i.ClaimLeaseUntil = until
		return silent(i), nil
	}
	i.Claim, i.ClaimedAt, i.ClaimLeaseUntil = marker, r.now(), until
	i.ClaimEpoch++
	return r.tell(i, EventIssueClaimed, Payload{Marker: marker, Epoch: i.ClaimEpoch}), nil
}

func (r Rules) claims(i Issue, marker string, lease time.Duration) error {
	if strings.TrimSpace(marker) == "" || marker != valid(marker) {
		return fmt.Errorf("%w: the claim's marker is blank", ErrInvalid)
	}
	if lease <= 0 {
		return fmt.Errorf("%w: a lease of %s", ErrInvalid, lease)
	}
	if i.Claim != "" && i.Claim != marker {
		return &ClaimedError{Issue: i}
	}
	if i.Claim == marker {
		return i.Fence().check(i)
	}
	return nil
}

// Renew moves the lease of the fence's holder to now+lease.
func (r Rules) Renew(i Issue, f Fence, lease time.Duration) (Change, error) {
	if lease <= 0 {
		return Change{}, fmt.Errorf("renew claim on issue %s: %w: a lease of %s", i.ID, ErrInvalid, lease)
	}
	if err := f.check(i); err != nil {
		return Change{}, fmt.Errorf("renew claim on issue %s: %w", i.ID, err)
	}
	i.ClaimLeaseUntil = r.now().Add(lease)
	return silent(i), nil
}

// Release gives the card back. Its epoch stays.
func (r Rules) Release(i Issue, f Fence) (Change, error) {
	if err := f.check(i); err != nil {
		return Change{}, fmt.Errorf("release issue %s: %w", i.ID, err)
	}
	return r.release(i), nil
}

// ForceRelease gives the card back whoever holds it.
func (r Rules) ForceRelease(i Issue) (Change, error) {
	if i.Claim == "" {
		return same(i), nil
	}
	return r.release(i), nil
}

func (r Rules) release(i Issue) Change {
	marker := i.Claim
	i.Claim, i.ClaimedAt, i.ClaimLeaseUntil = "", time.Time{}, time.Time{}
	return r.tell(i, EventIssueReleased, Payload{Marker: marker})
}

// check refuses, with ErrConflict, a fence that is not the card's current pair.
// A card without an epoch refuses every fence.
func (f Fence) check(i Issue) error {
	if f.Marker != "" && f.Epoch > 0 && f == i.Fence() {
		return nil
	}
	held := "is unclaimed"
	switch {
	case i.Claim != "" && i.ClaimEpoch <= 0:
		return fmt.Errorf("%w: the issue is held by %s and has lost its epoch, so that it must be released by force", ErrConflict, i.Claim)
	case i.Claim != "":
		held = fmt.Sprintf("is held by %s, epoch %d", i.Claim, i.ClaimEpoch)
	}
	return fmt.Errorf("%w: the issue %s, not by %s, epoch %d", ErrConflict, held, f.Marker, f.Epoch)
}
