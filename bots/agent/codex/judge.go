package codex

import (
	"cmp"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/pattern"
	"iterion/bots/agent/internal/stream"
)

// name is how the program is called towards people.
const name = "Codex"

const (
	remedyAuth   = "log in by running `codex login` once on this machine, or set CODEX_API_KEY where iterion is started"
	remedyCredit = "add credit or raise the cap in the account's settings"
	remedyModel  = "choose another one, by model in the config.toml of CODEX_HOME"
	remedyUsage  = "compare the bot's command line with `codex exec --help`"
)

// exitUsage is what the program exits with when it does not understand its
// arguments.
const exitUsage = 2

// What the program says, by what is to be done about it. There is nothing else to
// go by: limits are told by their wording alone.
var (
	saysQuota     = pattern.New(`(?i)hit your usage limit|reached your usage limit`)
	saysCredit    = pattern.New(`(?i)out of credits|spend cap|quota exceeded\. check your plan|credit limit|to use codex with your chatgpt plan`)
	saysThrottled = pattern.New(`(?i)last status: (?:429|5\d\d)|at capacity|too many requests|rate limit|overloaded|high demand`)
	saysAuth      = pattern.New(`(?i)401 unauthorized|could not be refreshed|not logged in|invalid api key|incorrect api key|log out and sign in again`)
	saysModel     = pattern.New(`(?i)model .{0,120}(?:not supported|does not exist|not found)|model_not_found`)
	saysUsage     = pattern.New(`(?i)^error: (?:unexpected argument|invalid value|a value is required|unrecognized subcommand|the argument )|skip-git-repo-check was not specified|no prompt provided|^error loading config`)
	saysNoSession = pattern.New(`(?i)no rollout found|no saved session found|no session found`)
)

// End looks at the last word first, then at the wording, then at the exit.
func (e *engine) End(exit agent.Exit) agent.Verdict {
	switch {
	case e.other:
		v := stream.Failure(agent.Transient, agent.CodeSession, name, "it began another session than "+e.start.Session, "the task is begun anew")
		v.NoSession = true
		return v
	case e.last == nil:
		return e.unfinished(exit)
	case e.last.Type == "turn.failed":
		return e.judge(cmp.Or(e.last.Error.Message, e.notice))
	case exit.Code != 0 || exit.Signal != "":
		return stream.Broken(program, true, exit, e.notes.Last())
	}
	return agent.Verdict{Result: e.text}
}

// unfinished judges a stream without a last word: by its last error, by standard
// error, and if neither says anything as a crash.
func (e *engine) unfinished(exit agent.Exit) agent.Verdict {
	for _, text := range append([]string{e.notice}, e.notes.Latest()...) {
		if v := e.judge(text); exit.Code > 0 && v.Code != agent.CodeFailed {
			return v
		}
	}
	if exit.Code == exitUsage {
		return stream.Failure(agent.Permanent, agent.CodeUsage, name, e.notes.Last(), remedyUsage)
	}
	return stream.Broken(program, false, exit, cmp.Or(e.notice, e.notes.Last()))
}

func (e *engine) judge(text string) agent.Verdict {
	verdict := func(class agent.Class, code, remedy string) agent.Verdict {
		v := stream.Failure(class, code, name, text, remedy)
		v.NoSession = code == agent.CodeSession
		return v
	}
	switch {
	case saysNoSession.MatchString(text):
		return verdict(agent.Transient, agent.CodeSession, "the task is begun anew")
	case saysQuota.MatchString(text):
		v := verdict(agent.Quota, agent.CodeQuota, "")
		v.RetryAt = stream.Resets(e.start, text)
		return v
	case saysCredit.MatchString(text):
		return verdict(agent.Permanent, agent.CodeCredit, remedyCredit)
	case saysAuth.MatchString(text):
		return verdict(agent.Permanent, agent.CodeAuth, remedyAuth)
	case saysThrottled.MatchString(text):
		v := verdict(agent.Transient, agent.CodeThrottled, "")
		v.RetryAt = stream.Resets(e.start, text)
		return v
	case saysModel.MatchString(text):
		return verdict(agent.Permanent, agent.CodeModel, remedyModel)
	case saysUsage.MatchString(text):
		return verdict(agent.Permanent, agent.CodeUsage, remedyUsage)
	}
	return verdict(agent.Transient, agent.CodeFailed, "")
}
