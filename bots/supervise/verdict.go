package supervise

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/run"
)

// Exit codes with a meaning of their own, from sysexits.h.
const (
	exitUsage    = 64 // permanent
	exitTempFail = 75 // transient
	exitConfig   = 78 // permanent
)

// ending is all that decides how a run ended.
type ending struct {
	asked   *run.Intent   // somebody ended it
	timeout time.Duration // it took longer than this; 0: it did not
	exited  bool          // status is known
	status  unix.WaitStatus
	fail    *report
	resume  bool // the bot can be continued
}

// verdict is the outcome of a run. What somebody asked for counts before the
// clock, the clock before what the bot said, and what it said before how it
// exited: a fail report makes a failure of exit 0 too, so that a script whose last
// command is the report need not repeat itself.
func (e ending) verdict() run.Outcome {
	switch {
	case e.asked != nil && e.asked.Verb == run.VerbCancel:
		return run.Outcome{Status: run.Cancelled, Error: e.asked.Sentence("cancelled")}
	case e.asked != nil:
		return e.retryable(run.CodeInterrupted, e.asked.Sentence("stopped"))
	case e.timeout > 0:
		return e.retryable(run.CodeTimeout, fmt.Sprintf("the run took longer than %s", e.timeout))
	case e.fail != nil:
		return e.reported()
	case e.status.Signaled():
		return e.retryable(run.CodeSignal, "the bot was ended by "+unix.SignalName(e.status.Signal()))
	}
	return e.byCode(e.status.ExitStatus())
}

func (e ending) byCode(code int) run.Outcome {
	sentence := fmt.Sprintf("the bot ended with exit code %d", code)
	switch code {
	case 0:
		return run.Outcome{Status: run.Finished}
	case exitTempFail:
		return e.retryable(run.CodeTransient, sentence+": trying again may help")
	case exitUsage, exitConfig:
		return run.Outcome{Status: run.Failed, Code: run.CodePermanent, Error: sentence + ": trying again is of no use"}
	}
	return e.retryable(run.CodeExit, sentence)
}

func (e ending) reported() run.Outcome {
	o := e.retryable(run.CodeExit, "the bot reported a failure")
	o.RetryAt = e.fail.notBefore
	switch e.fail.Class {
	case classPermanent:
		o.Status, o.Code = run.Failed, run.CodePermanent
	case classTransient:
		o.Code = run.CodeTransient
	}
	if e.fail.Code != "" {
		o.Code = e.fail.Code
	}
	if e.fail.Message != "" {
		o.Error = e.fail.Message
	}
	return o
}

func (e ending) retryable(code, sentence string) run.Outcome {
	o := run.Outcome{Status: run.Failed, Code: code, Error: sentence}
	if e.resume {
		o.Status = run.FailedResumable
	}
	return o
}
