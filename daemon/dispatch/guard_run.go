package dispatch

import (
	"fmt"

	"iterion/native/board"
	"iterion/native/run"
)

// lastRunGuard is what makes a second run beside a live one impossible, and a
// clean exit final until a person says otherwise.
func lastRunGuard(f facts) answer {
	for _, v := range f.live {
		if !v.Record.Status.Final() && !pausedOwn(v, f.Issue.ID) {
			return skip(fmt.Sprintf("run %s of this card is %s", v.Record.ID, v.Record.Status), "iterion runs cancel "+v.Record.ID)
		}
	}
	if f.Elsewhere != nil {
		return skip(startingElsewhere(*f.Elsewhere), "wait, or end that daemon")
	}
	id := f.Issue.LastRunID
	if id == "" {
		return pass("no recorded run holds the card")
	}
	if f.LastErr != nil {
		return skip(fmt.Sprintf("the recorded run %s cannot be read: %v", id, f.LastErr), clearRemedy(f.Issue))
	}
	if f.Last == nil {
		return pass("the recorded run was not looked at")
	}
	rec := f.Last.Record
	switch {
	case pausedOwn(*f.Last, f.Issue.ID):
		return pass("run " + id + " is paused and was dispatched for this card, see own paused run")
	case unowned(*f.Last) && !rec.Doubtful() && !f.fresh:
		return pass("run " + id + " lost its supervisor and is settled before anything else starts")
	case !rec.Status.Final():
		return skip(fmt.Sprintf("the recorded run %s is %s", id, rec.Status), "iterion runs cancel "+id)
	case rec.FailureCode == run.CodeKillUnconfirmed:
		return skip("run "+id+" may still have a live process", clearRemedy(f.Issue))
	case rec.Status == run.Finished && !movedSince(f.Issue, rec):
		return skip("run "+id+" finished and the card was not moved since", clearRemedy(f.Issue)+", or move the card")
	case f.goesOn():
		return pass("run " + id + " is failed_resumable and goes on under its own id")
	}
	return pass(fmt.Sprintf("the recorded run %s is %s", id, rec.Status))
}

func cancelGuard(f facts) answer {
	if f.Issue.LastRunID != "" && f.Last != nil && f.Last.Record.Status == run.Cancelled && !movedSince(f.Issue, f.Last.Record) {
		return skip("run "+f.Issue.LastRunID+" was cancelled"+byName(f.Last.By), clearRemedy(f.Issue)+", or move the card")
	}
	return pass("no cancel holds the card")
}

// movedSince reports whether the card changed columns after the run had ended.
func movedSince(is board.Issue, rec run.Record) bool {
	return !rec.FinishedAt.IsZero() && is.StateAt.After(rec.FinishedAt)
}

func pausedRunGuard(f facts) answer {
	v := f.Paused
	switch {
	case f.own != nil && f.own.phase == PhaseParked && f.own.waits != nil:
		return answer{AnswerActs, f.own.reason + "; it waits because of " + f.own.waits.Guard + because(f.own.waits.Reason), ""}
	case v == nil && f.Last != nil && pausedOwn(*f.Last, f.Issue.ID):
		v = f.Last
	}
	if v == nil {
		return acts("no paused run of the card to park again")
	}
	if f.own != nil || f.Issue.Claim != "" {
		return answer{AnswerActs, pausedReason(*v), pausedRemedy(*v)}
	}
	return answer{AnswerActs, pausedReason(*v) + "; the card would be claimed and parked, no second run starts", pausedRemedy(*v)}
}

// pausedRemedy is how a paused run is made to go on, and how it is ended.
func pausedRemedy(v RunView) string {
	id := v.Record.ID
	switch {
	case v.Answered:
		return ""
	case v.Record.Status == run.PausedHuman:
		return "iterion runs answer " + id + ", or iterion runs cancel " + id
	case v.Record.PauseReason == run.PauseCostCap:
		return "iterion spend override --note WHY, or iterion runs cancel " + id
	}
	return "iterion runs resume " + id + ", or iterion runs cancel " + id
}
