package spend

import (
	"errors"
	"fmt"
)

// ErrCost refuses a report of what no run can have cost.
var ErrCost = errors.New("not a cost in dollars")

// ErrNote refuses an override that does not say why.
var ErrNote = errors.New("an override needs a note that says why")

// UnreadableError names a file of the ledger, or the config that holds the cap,
// that cannot be read.
type UnreadableError struct {
	Path string
	Err  error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("%s is unreadable: %v: repair it, or move it away", e.Path, e.Err)
}

// Unwrap returns the reason.
func (e *UnreadableError) Unwrap() error { return e.Err }

// CapError says that nothing may start because the day's spending has reached
// its cap.
type CapError struct{ Status }

func (e *CapError) Error() string {
	return fmt.Sprintf("the day's spending reached its cap of %s (%s on %s, UTC): `iterion spend override --note WHY` lifts it until midnight UTC",
		Dollars(e.CapUSD), Dollars(e.Day.TotalUSD), e.Day.Day)
}

// LiftedError says that a day's cap is lifted already, by whom and why.
type LiftedError struct{ Status }

func (e *LiftedError) Error() string {
	o := e.Day.Override
	return fmt.Sprintf("the cap of %s is lifted already, by %s at %s: %s",
		e.Day.Day, o.GrantedBy, o.GrantedAt.UTC().Format("15:04:05Z"), o.Note)
}
