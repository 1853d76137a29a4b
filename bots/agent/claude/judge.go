package claude

import (
	"cmp"
	"strings"
	"time"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/pattern"
	"iterion/bots/agent/internal/reset"
	"iterion/bots/agent/internal/stream"
)

// name is how the program is called towards people.
const name = "Claude Code"

const (
	remedyAuth   = "log in by running `claude` once on this machine, or set ANTHROPIC_API_KEY where iterion is started"
	remedyCredit = "add credit to the account, or wait for the end of its billing period"
	remedyLimit  = "raise the limit on the bot's command line, or give it a smaller task"
	remedyUsage  = "compare the bot's command line with `claude --help`"
)

// What the program says, by what is to be done about it. The wordings are those
// of the version in the package comment and of the ones before.
var (
	saysThrottled = pattern.New(`(?i)not your usage limit|temporarily limiting requests|request rejected \(429\)|overloaded`)
	saysCredit    = pattern.New(`(?i)credit balance is too low|credits_required|out of usage credits|needs usage credits`)
	saysSpending  = pattern.New(`(?i)spend limit`)
	saysQuota     = pattern.New(`(?i)hit your [^.\n]{0,40}limit|usage limit reached|limit reached [·∙•] resets|spend limit reached`)
	saysReset     = pattern.New(`(?i)\bresets\b`)
	saysAuth      = pattern.New(`(?i)not logged in|please run /login|invalid api key|authentication_error|oauth token (?:has expired|is invalid|revoked)`)
	saysModel     = pattern.New(`(?i)issue with the selected model|model_not_found|model .{0,80}not (?:found|exist)`)
	saysUsage     = pattern.New(`(?i)^error: (?:unknown option|option |missing required|too many arguments|unknown command)|requires --verbose|input must be provided`)
	saysNoSession = pattern.New(`(?i)no conversation found with session id`)
)

func (ev *event) failed() bool { return ev.IsError || strings.HasPrefix(ev.Subtype, "error") }

func (ev *event) reason() string {
	return cmp.Or(strings.Join(ev.Errors, "; "), ev.Result, strings.ReplaceAll(ev.Subtype, "_", " "))
}

// End looks at the last word first, then at the wording, then at the exit.
func (e *engine) End(exit agent.Exit) agent.Verdict {
	switch {
	case e.last == nil:
		return e.unfinished(exit)
	case e.last.failed():
		if strings.HasPrefix(e.last.Subtype, "error_max_") {
			return stream.Failure(agent.Permanent, agent.CodeLimit, name, e.last.reason(), remedyLimit)
		}
		return e.judge(e.last.reason(), e.last.APIStatus)
	case exit.Code != 0 || exit.Signal != "":
		return stream.Broken(program, true, exit, e.notes.Last())
	}
	return agent.Verdict{Result: cmp.Or(stream.Text(e.last.Result), e.text)}
}

// unfinished judges a stream without a result: by what the service refused last,
// by standard error, and if neither says anything as a crash.
func (e *engine) unfinished(exit agent.Exit) agent.Verdict {
	if e.refusal != "" {
		if v := e.judge(e.text, 0); v.Code != agent.CodeFailed {
			return v
		}
	}
	for _, line := range e.notes.Latest() {
		if v := e.judge(line, 0); exit.Code > 0 && v.Code != agent.CodeFailed {
			return v
		}
	}
	return stream.Broken(program, false, exit, e.notes.Last())
}

// judge tells failures apart by their wording, and by status where that does not
// say. A throttled request must not pass for a limit: both are 429.
func (e *engine) judge(text string, status int64) agent.Verdict {
	verdict := func(class agent.Class, code, remedy string) agent.Verdict {
		return stream.Failure(class, code, name, text, remedy)
	}
	kind := e.refusal
	switch {
	case saysNoSession.MatchString(text):
		v := verdict(agent.Transient, agent.CodeSession, "the task is begun anew")
		v.NoSession = true
		return v
	case saysThrottled.MatchString(text):
		return verdict(agent.Transient, agent.CodeThrottled, "")
	case saysCredit.MatchString(text), saysSpending.MatchString(text) && !saysReset.MatchString(text):
		return verdict(agent.Permanent, agent.CodeCredit, remedyCredit)
	case saysQuota.MatchString(text), e.limit.rejected() && (status == 429 || kind == "rate_limit"):
		v := verdict(agent.Quota, agent.CodeQuota, "")
		v.RetryAt = e.resets(text)
		return v
	case kind == "billing_error", status == 402:
		return verdict(agent.Permanent, agent.CodeCredit, remedyCredit)
	case saysAuth.MatchString(text), kind == "authentication_failed", status == 401, status == 403:
		return verdict(agent.Permanent, agent.CodeAuth, remedyAuth)
	case saysModel.MatchString(text), kind == "model_not_found":
		return verdict(agent.Permanent, agent.CodeModel, "choose another one, by ANTHROPIC_MODEL in the bot's run.env or in the program's settings")
	case saysUsage.MatchString(text):
		return verdict(agent.Permanent, agent.CodeUsage, remedyUsage)
	case status == 429, status >= 500, kind == "rate_limit", kind == "overloaded", kind == "server_error":
		return verdict(agent.Transient, agent.CodeThrottled, "")
	}
	return verdict(agent.Transient, agent.CodeFailed, "")
}

// resets prefers the number that the service sent to the time that people are
// told.
func (e *engine) resets(text string) time.Time {
	if e.limit.rejected() {
		if at := reset.Epoch(e.limit.ResetsAt, stream.Now(e.start)); !at.IsZero() {
			return at
		}
	}
	return stream.Resets(e.start, text)
}
