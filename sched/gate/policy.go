package gate

import (
	"errors"
	"fmt"
	"time"
)

// Overlap says what happens when a schedule is due and runs of it are live.
type Overlap string

// The policies.
const (
	Skip      Overlap = "skip"      // do not fire; the default
	Allow     Overlap = "allow"     // fire beside them, up to MaxConcurrent
	Keepalive Overlap = "keepalive" // at most one; one that has gone silent does not count
	Supersede Overlap = "supersede" // end them, then fire
)

// Overlaps returns the policies, the default first.
func Overlaps() []Overlap { return []Overlap{Skip, Allow, Keepalive, Supersede} }

// Defaults of a Policy.
const (
	DefaultStaleAfter   = 5 * time.Minute
	DefaultGuardTimeout = 30 * time.Second
	DefaultGuardVar     = "guard_output"
)

// Policy is how a schedule fires. Zero fields take their defaults.
type Policy struct {
	Overlap       Overlap
	MaxConcurrent int           // only with Allow: live runs, the new one included; 0: no limit
	StaleAfter    time.Duration // only with Keepalive: silent for so long is stale
	Guard         string        // for sh -c; empty: none
	GuardTimeout  time.Duration
	GuardVar      string // bot var that takes the guard's stdout
}

// ErrInvalid is what all refusals of this package are.
var ErrInvalid = errors.New("invalid")

// Filled returns the policy with its defaults.
func (p Policy) Filled() Policy {
	if p.Overlap == "" {
		p.Overlap = Skip
	}
	if p.StaleAfter == 0 {
		p.StaleAfter = DefaultStaleAfter
	}
	if p.GuardTimeout == 0 {
		p.GuardTimeout = DefaultGuardTimeout
	}
	if p.GuardVar == "" {
		p.GuardVar = DefaultGuardVar
	}
	return p
}

// Check refuses, as ErrInvalid, a policy that means nothing on a surface. Only the
// resident scheduler can end runs, so only there is Supersede allowed.
func (p Policy) Check(s Surface) error {
	switch p.Overlap {
	case "", Skip, Allow, Keepalive:
	case Supersede:
		if s != Trigger {
			return fmt.Errorf("%w: overlap supersede needs a clock that can end runs: use it with the daemon's own scheduler (`iterion trigger`)", ErrInvalid)
		}
	default:
		return fmt.Errorf("%w: overlap %q is not one of skip, allow, keepalive, supersede", ErrInvalid, p.Overlap)
	}
	switch {
	case p.MaxConcurrent < 0:
		return fmt.Errorf("%w: max_concurrent %d: must not be negative (0: no limit)", ErrInvalid, p.MaxConcurrent)
	case p.MaxConcurrent > 0 && p.Overlap != Allow:
		return fmt.Errorf("%w: max_concurrent goes only with overlap allow", ErrInvalid)
	case p.StaleAfter < 0:
		return fmt.Errorf("%w: stale_after %s: must not be negative", ErrInvalid, p.StaleAfter)
	case p.StaleAfter > 0 && p.Overlap != Keepalive:
		return fmt.Errorf("%w: stale_after goes only with overlap keepalive", ErrInvalid)
	case p.GuardTimeout < 0:
		return fmt.Errorf("%w: guard_timeout %s: must not be negative", ErrInvalid, p.GuardTimeout)
	case p.Guard == "" && (p.GuardTimeout > 0 || p.GuardVar != ""):
		return fmt.Errorf("%w: guard_timeout and guard_var go only with a guard", ErrInvalid)
	}
	return nil
}
