package run

import (
	"slices"
	"time"
)

// Outcome is what a change of status says besides the status.
type Outcome struct {
	Status  Status
	Code    string    // failure code; kept with failure statuses only
	Class   string    // of the failure; kept like the code
	RetryAt time.Time // not to be tried again before; kept like the code
	Pause   string    // reason; kept with paused_operator only
	Error   string    // one sentence for people
}

// next returns the statuses that may follow s.
func (s Status) next() []Status {
	switch s {
	case Queued:
		return []Status{Running, Failed, FailedResumable, Cancelled}
	case Running:
		return []Status{Finished, Failed, FailedResumable, Cancelled, PausedHuman, PausedOperator}
	case PausedHuman, PausedOperator, FailedResumable:
		return []Status{Queued, Cancelled}
	}
	return nil
}

// CanBecome reports whether a run in status s may go to status to.
func (s Status) CanBecome(to Status) bool { return slices.Contains(s.next(), to) }

// Become takes the record to another status at now, or returns a
// *TransitionError and leaves the record as it is. The failure code is set with a
// failure status and cleared by any other; a final status counts in OutcomeSeq. A
// run that has no process is cancelled without one: how its last one ended is not
// how the run did.
func (r *Record) Become(o Outcome, now time.Time) error {
	if !r.Status.CanBecome(o.Status) {
		return &TransitionError{From: r.Status, To: o.Status}
	}
	if o.Status == Cancelled && (r.Status.Paused() || r.Status.Final()) {
		r.ExitCode, r.Signal = nil, ""
	}
	r.Status, r.Error, r.FailureCode, r.FailureClass, r.RetryAt, r.PauseReason = o.Status, o.Error, "", "", time.Time{}, ""
	if o.Status == Failed || o.Status == FailedResumable {
		r.FailureCode, r.FailureClass, r.RetryAt = o.Code, o.Class, o.RetryAt
	}
	if o.Status == PausedOperator {
		r.PauseReason = o.Pause
	}
	now = now.UTC()
	r.UpdatedAt = now
	switch {
	case o.Status == Running:
		r.StartedAt = now
	case o.Status.Final():
		r.FinishedAt = now
		r.OutcomeSeq++
	default:
		r.FinishedAt = time.Time{}
	}
	return nil
}

// Doubt notes on a running run that its end cannot be proven: some of its
// processes withstand SIGKILL. The status stays what it is, for the run has not
// ended and nothing else may start in its place; the code is there for all to
// see. It is the one failure code outside a failure status, and the next Become
// takes it off.
func (r *Record) Doubt(why string, now time.Time) {
	r.FailureCode, r.Error = CodeKillUnconfirmed, why
	r.UpdatedAt = now.UTC()
}

// Doubtful reports whether the run should have ended and could not be proven to.
func (r *Record) Doubtful() bool {
	return !r.Status.Final() && r.FailureCode == CodeKillUnconfirmed
}
