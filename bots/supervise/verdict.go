package supervise

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"iterion/bots/agent"
	"iterion/native/run"
)

// Exit codes with a meaning of their own, from sysexits.h.
const (
	exitUsage       = 64 // permanent
	exitUnavailable = 69 // quota
	exitTempFail    = 75 // transient
	exitConfig      = 78 // permanent
)

// ending is all that decides how a run ended.
type ending struct {
	asked    *run.Intent   // somebody ended it
	timeout  time.Duration // it took longer than this; 0: it did not
	stall    time.Duration // it was silent for this long; 0: it was not
	lingered bool          // the agent did not exit after its last word
	exited   bool          // status is known
	status   unix.WaitStatus
	fail     *report
	verdict  *agent.Verdict // of an agent's stream; nil without one
	ask      *question
	resume   bool // the bot can be continued
}

// outcome is how the run ended. What somebody asked for counts before the clock,
// the clock before what the bot said, and what it said before how it exited: a
// fail report makes a failure of exit 0 too, so that a script whose last command
// is the report need not repeat itself.
func (e ending) outcome() run.Outcome {
	switch {
	case e.asked != nil:
		return e.byRequest()
	case e.timeout > 0:
		return e.retryable(run.CodeTimeout, fmt.Sprintf("the run took longer than %s", e.timeout))
	case e.stall > 0:
		return e.retryable(run.CodeStall, fmt.Sprintf("the bot said nothing for %s", e.stall))
	case e.fail != nil:
		return e.reported()
	case e.verdict != nil && e.verdict.Class != agent.OK:
		return e.byAgent()
	case e.verdict != nil:
		return e.ended()
	case e.status.Signaled():
		return e.retryable(run.CodeSignal, "the bot was ended by "+unix.SignalName(e.status.Signal()))
	}
	return e.byCode(e.status.ExitStatus())
}

func (e ending) byRequest() run.Outcome {
	switch e.asked.Verb {
	case run.VerbCancel:
		return run.Outcome{Status: run.Cancelled, Error: e.asked.Sentence("cancelled")}
	case run.VerbPause:
		return run.Outcome{Status: run.PausedOperator, Pause: cmp.Or(e.asked.Note, run.PauseOperator), Error: pauseSentence(*e.asked)}
	}
	e.resume = e.resume || e.asked.Resumable
	return e.retryable(run.CodeInterrupted, e.asked.Sentence("stopped"))
}

func pauseSentence(in run.Intent) string {
	switch in.Note {
	case run.PauseCostCap:
		return "paused: the day's spending reached its cap"
	case run.PauseOperator:
		in.Note = ""
	}
	return in.Sentence("paused")
}

func (e ending) byCode(code int) run.Outcome {
	sentence := fmt.Sprintf("the bot ended with exit code %d", code)
	switch code {
	case 0:
		return e.ended()
	case exitTempFail:
		return e.failed(run.ClassTransient, run.CodeTransient, sentence+": trying again may help")
	case exitUnavailable:
		return e.failed(run.ClassQuota, run.CodeQuota, sentence+": an allowance is used up")
	case exitUsage, exitConfig:
		return e.failed(run.ClassPermanent, run.CodePermanent, sentence+": trying again is of no use")
	}
	return e.retryable(run.CodeExit, sentence)
}

// ended is a run whose bot did what it wanted to do.
func (e ending) ended() run.Outcome {
	switch {
	case e.ask == nil:
		return run.Outcome{Status: run.Finished}
	case e.ask.err != nil:
		return e.retryable(codeBadQuestion, fmt.Sprintf("the bot asked something that cannot be read: %v", e.ask.err))
	}
	return run.Outcome{Status: run.PausedHuman}
}

func (e ending) reported() run.Outcome {
	code := map[string]string{
		run.ClassPermanent: run.CodePermanent, run.ClassTransient: run.CodeTransient, run.ClassQuota: run.CodeQuota,
	}[e.fail.Class]
	class := e.fail.Class
	if code == "" { // none, or one that is not known
		class, code = "", run.CodeExit
	}
	if class != run.ClassQuota { // where a code of the bot's own would hide what to do
		code = cmp.Or(e.fail.Code, code)
	}
	o := e.failed(class, code, cmp.Or(e.fail.Message, "the bot reported a failure"))
	o.RetryAt = e.fail.notBefore
	return o
}

// byAgent is a failure as an agent's stream tells it.
func (e ending) byAgent() run.Outcome {
	v := e.verdict
	code := cmp.Or(v.Code, strings.ToUpper(string(v.Class)))
	if v.Class == agent.Quota {
		code = run.CodeQuota
	}
	o := e.failed(string(v.Class), code, cmp.Or(v.Message, "the agent failed"))
	o.RetryAt = v.RetryAt
	return o
}

// failed is a failure of which it is known what to do about it.
func (e ending) failed(class, code, sentence string) run.Outcome {
	o := e.retryable(code, sentence)
	o.Class = class
	if class == run.ClassPermanent {
		o.Status = run.Failed
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
