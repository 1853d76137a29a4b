package trigger

import (
	"fmt"
	"time"
)

// The rules of a row. Each is a pure function from the row as it stands to the row
// as it will be, so that every twin means the same by a verb; a twin adds how the
// change is made whole and durable.

// Open reports whether the row may still be claimed.
func (e Effect) Open() bool { return e.State == Pending || e.State == Claimed }

// DueAt returns when the row can be claimed; it is only asked of open rows.
func (e Effect) DueAt() time.Time {
	if e.State == Claimed {
		return e.ClaimUntil
	}
	return e.NotBefore
}

// Due reports whether the row can be claimed at now.
func (e Effect) Due(now time.Time) bool { return e.Open() && !e.DueAt().After(now) }

// exhausted is the last error of a row whose last claim ran out.
const exhausted = "the worker that had claimed it did not come to an end"

// Claimed is a due row under a fresh claim. A row that was claimed before has spent
// an attempt; when that was the last, the row is failed.
func (e Effect) Claimed(claimID string, now time.Time) Effect {
	if e.State == Claimed {
		e.Attempts++
		if e.Attempts >= MaxAttempts {
			before := e.LastError
			if e.LastError = exhausted; before != "" {
				e.LastError += "; before that: " + before
			}
			return e.ended(Failed, now)
		}
	}
	e.State, e.ClaimID, e.ClaimUntil = Claimed, claimID, now.Add(ClaimHorizon)
	e.NotBefore, e.Held = time.Time{}, false
	e.UpdatedAt = now
	return e
}

// Holds returns ErrLostClaim unless the row is under that claim.
func (e Effect) Holds(claimID string) error {
	if e.State != Claimed || claimID == "" || e.ClaimID != claimID {
		return fmt.Errorf("effect %s: %w", e.ID, ErrLostClaim)
	}
	return nil
}

// Renewed is a claimed row with a new horizon.
func (e Effect) Renewed(now time.Time) Effect {
	e.ClaimUntil, e.UpdatedAt = now.Add(ClaimHorizon), now
	return e
}

// Consumed is a claimed row whose labels were taken off.
func (e Effect) Consumed(now time.Time) Effect {
	e.ConsumeMarked, e.UpdatedAt = true, now
	return e
}

// Finished is a row that ended well.
func (e Effect) Finished(outcome string, now time.Time) Effect {
	e.Outcome, e.LastError = outcome, ""
	return e.ended(Done, now)
}

// FailedOnce is a claimed row after a failure: it waits for its next attempt, or has
// failed for good.
func (e Effect) FailedOnce(reason string, final bool, now time.Time) Effect {
	e.Attempts++
	e.LastError = reason
	if final || e.Attempts >= MaxAttempts {
		return e.ended(Failed, now)
	}
	return e.back(now.Add(Backoff(e.Attempts)), now)
}

// Waiting is a claimed row whose launch is held.
func (e Effect) Waiting(reason string, notBefore, now time.Time) Effect {
	e.LastError, e.Held = reason, true
	return e.back(notBefore, now)
}

// Retried is a failed row with all its attempts before it, or a waiting one that is
// due at once. ErrEffectState for others.
func (e Effect) Retried(now time.Time) (Effect, error) {
	switch e.State {
	case Failed:
		e.Attempts = 0
	case Pending:
	default:
		return e, e.wrong("be tried again")
	}
	e.Held = false
	return e.back(now, now), nil
}

// Droppable returns ErrEffectState unless an operator may remove the row.
func (e Effect) Droppable() error {
	if e.State == Failed || e.State == Pending {
		return nil
	}
	return e.wrong("be dropped")
}

func (e Effect) wrong(verb string) error {
	return fmt.Errorf("effect %s is %s and cannot %s: %w", e.ID, e.State, verb, ErrEffectState)
}

func (e Effect) back(notBefore, now time.Time) Effect {
	e.State, e.ClaimID, e.ClaimUntil = Pending, "", time.Time{}
	e.NotBefore, e.UpdatedAt = notBefore, now
	return e
}

func (e Effect) ended(s EffectState, now time.Time) Effect {
	e = e.back(time.Time{}, now)
	e.State, e.Held = s, false
	return e
}

// Backoff returns how long a row waits after so many attempts.
func Backoff(attempts int) time.Duration {
	d := BackoffFirst
	for range attempts - 1 {
		if d *= 2; d >= BackoffMax {
			return BackoffMax
		}
	}
	return d
}
