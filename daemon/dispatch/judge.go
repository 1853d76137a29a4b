package dispatch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"iterion/native/run"
)

// ending is what a run's record says about its card.
type ending int

const (
	endLive        ending = iota // not ended
	endFinished                  // clean
	endFailed                    // counts as an attempt
	endPermanent                 // trying again is of no use
	endQuota                     // an allowance is used up: no attempt
	endInterrupted               // stopped by a machine: no attempt
	endTrouble                   // the bot never ran: no attempt
	endCancelled                 // by a person
	endPaused
	endUnprovable // nobody can say
	endGone       // no such run
)

// judge is the one place where a run's record becomes an ending. It is the same
// for a run that was watched to its end and for one found by a later daemon.
func judge(v RunView, err error) (ending, string) {
	if errors.Is(err, ErrRunGone) {
		return endGone, "the record of the run is gone"
	}
	if err != nil {
		return endUnprovable, "the run cannot be read: " + err.Error()
	}
	rec := v.Record
	switch rec.Status {
	case run.Queued, run.Running:
		return endLive, string(rec.Status)
	case run.PausedHuman, run.PausedOperator:
		return endPaused, pausedReason(v)
	case run.Finished:
		return endFinished, ""
	case run.Cancelled:
		return endCancelled, "run " + rec.ID + " was cancelled" + byName(v.By)
	case run.Failed, run.FailedResumable:
		return judgeFailure(rec)
	}
	return endUnprovable, fmt.Sprintf("run %s has the unknown status %q", rec.ID, rec.Status)
}

// pausedReason says what a paused run waits for.
func pausedReason(v RunView) string {
	rec := v.Record
	switch {
	case v.Answered:
		return "run " + rec.ID + " was answered and waits for a slot"
	case rec.Status == run.PausedHuman:
		return "run " + rec.ID + " waits for a person" + because(question(rec))
	case rec.PauseReason == run.PauseCostCap:
		return "run " + rec.ID + " was paused: the spending of the day reached its cap"
	case rec.PauseReason == "" || rec.PauseReason == run.PauseOperator:
		return "run " + rec.ID + " was paused" + byName(v.By)
	}
	return "run " + rec.ID + " was paused" + byName(v.By) + ": " + rec.PauseReason
}

// question is what a run asks a person, in one line.
func question(rec run.Record) string {
	if rec.Status != run.PausedHuman || rec.Awaiting == nil {
		return ""
	}
	var form struct {
		Question string `json:"question"`
	}
	if json.Unmarshal(rec.Awaiting.Questions, &form) != nil {
		return ""
	}
	return strings.Join(strings.Fields(form.Question), " ")
}

func judgeFailure(rec run.Record) (ending, string) {
	reason := cmp.Or(rec.Error, rec.FailureCode, string(rec.Status))
	switch rec.FailureCode {
	case run.CodeSupervisorLost:
		return endTrouble, reason
	case run.CodeKillUnconfirmed:
		return endUnprovable, reason
	case run.CodeInterrupted:
		return endInterrupted, reason
	case run.CodeQuota:
		return endQuota, reason
	case run.CodePermanent:
		return endPermanent, reason
	}
	return endFailed, reason
}
