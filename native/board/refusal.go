package board

import "fmt"

// SetLaunchRefusal notes that a launch was refused before a run existed; one
// without Attempts takes the note off. The fence is the claim's holder's; the
// zero Fence is that of a caller who holds nothing, and is refused with
// *ClaimedError where somebody does.
func (r Rules) SetLaunchRefusal(i Issue, f Fence, l LaunchRefusal) (Change, error) {
	if err := f.checkOrFree(i); err != nil {
		return Change{}, fmt.Errorf("set launch refusal of issue %s: %w", i.ID, err)
	}
	if l.Attempts < 0 {
		return Change{}, fmt.Errorf("set launch refusal of issue %s: %w: %d attempts", i.ID, ErrInvalid, l.Attempts)
	}
	if l.Attempts == 0 {
		return r.clearRefusal(i), nil
	}
	if l.LastAt.IsZero() {
		l.LastAt = r.now()
	}
	l.LastAt, l.NotBefore = l.LastAt.Round(0).UTC(), l.NotBefore.Round(0).UTC()
	p := Payload{Refused: true, Attempts: l.Attempts, Reason: l.LastReason}
	if !l.NotBefore.IsZero() {
		p.NotBefore = &l.NotBefore
	}
	i.LaunchRefusal = &l
	return r.tell(i, EventIssueLaunchRefused, p), nil
}

func (r Rules) clearRefusal(i Issue) Change {
	if i.LaunchRefusal == nil {
		return same(i)
	}
	i.LaunchRefusal = nil
	return r.tell(i, EventIssueLaunchRefused, Payload{})
}

// checkOrFree lets the zero fence pass where nobody holds the card.
func (f Fence) checkOrFree(i Issue) error {
	if f != (Fence{}) {
		return f.check(i)
	}
	if i.Claim != "" {
		return &ClaimedError{Issue: i}
	}
	return nil
}
