package opencode

import (
	"iterion/bots/agent"
	"iterion/bots/agent/internal/pattern"
	"iterion/bots/agent/internal/stream"
)

const (
	remedyAuth   = "log in by running `opencode auth login` once on this machine, or set the provider's key where iterion is started"
	remedyCredit = "add credit to the provider's account"
	remedyModel  = "choose another one, by model in the program's configuration"
	remedyUsage  = "compare the bot's command line with `opencode run --help`"
)

// What the program and the services behind it say, by what is to be done about it.
var (
	saysNoSession = pattern.New(`(?i)session not found|notfounderror.*session`)
	saysQuota     = pattern.New(`(?i)usage limit|hit your [^.\n]{0,40}limit|quota exceeded|exceeded your current quota|insufficient_quota|daily quota`)
	saysCredit    = pattern.New(`(?i)insufficient (?:balance|credits?|funds)|credit balance is too low|out of credits|payment required`)
	saysThrottled = pattern.New(`(?i)rate limit|too many requests|overloaded|try again in \d+(?:\.\d+)?m?s\b|retry in \d+(?:\.\d+)?m?s\b`)
	saysAuth      = pattern.New(`(?i)invalid api key|api key not valid|incorrect api key|unauthorized|invalid x-api-key|api key is missing`)
	saysModel     = pattern.New(`(?i)model not found|model .{0,120}(?:not found|does not exist|not supported)`)
	saysUsage     = pattern.New(`^(?:opencode run \[message|Unknown argument)|(?i)you must provide a message`)
)

// End looks at the last step first, then at the wording, then at the exit.
func (e *engine) End(exit agent.Exit) agent.Verdict {
	switch {
	case e.failure != nil:
		return e.judge(e.failure)
	case e.reason == "length":
		return stream.Failure(agent.Transient, agent.CodeFailed, program, "the model's answer reached its limit and was cut off", "")
	case e.reason != "stop":
		return e.unfinished(exit)
	case exit.Code != 0 || exit.Signal != "":
		return stream.Broken(program, true, exit, e.notes.Last())
	}
	return agent.Verdict{Result: e.text.String()}
}

// unfinished judges a stream whose last step was to be gone on with: by standard
// error, and if that says nothing as a crash.
func (e *engine) unfinished(exit agent.Exit) agent.Verdict {
	for _, line := range e.notes.Latest() {
		f := failure{Message: line}
		if v := e.judge(&f); exit.Code > 0 && v.Code != agent.CodeFailed {
			return v
		}
	}
	return stream.Broken(program, false, exit, e.notes.Last())
}

// judge tells failures apart by their wording, and by status and name where that
// does not say.
func (e *engine) judge(f *failure) agent.Verdict {
	text, status := f.text(), f.Data.Status
	verdict := func(class agent.Class, code, remedy string) agent.Verdict {
		v := stream.Failure(class, code, program, text, remedy)
		if class == agent.Quota || class == agent.Transient {
			v.RetryAt = stream.Resets(e.start, text)
		}
		v.NoSession = code == agent.CodeSession
		return v
	}
	switch {
	case saysNoSession.MatchString(text):
		return verdict(agent.Transient, agent.CodeSession, "the task is begun anew")
	case saysCredit.MatchString(text), status == 402:
		return verdict(agent.Permanent, agent.CodeCredit, remedyCredit)
	case saysThrottled.MatchString(text):
		return verdict(agent.Transient, agent.CodeThrottled, "")
	case saysQuota.MatchString(text), status == 429 && !f.Data.Retryable:
		return verdict(agent.Quota, agent.CodeQuota, "")
	case f.Name == "ProviderAuthError", status == 401, status == 403, saysAuth.MatchString(text):
		return verdict(agent.Permanent, agent.CodeAuth, remedyAuth)
	case f.Name == "ProviderModelNotFoundError", saysModel.MatchString(text):
		return verdict(agent.Permanent, agent.CodeModel, remedyModel)
	case saysUsage.MatchString(text):
		return stream.Failure(agent.Permanent, agent.CodeUsage, program, "it does not understand how it was called", remedyUsage)
	case status == 429, status >= 500, f.Data.Retryable:
		return verdict(agent.Transient, agent.CodeThrottled, "")
	}
	return verdict(agent.Transient, agent.CodeFailed, "")
}
