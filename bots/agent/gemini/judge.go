package gemini

import (
	"cmp"

	"iterion/bots/agent"
	"iterion/bots/agent/internal/pattern"
	"iterion/bots/agent/internal/stream"
)

// name is how the program is called towards people.
const name = "Gemini CLI"

const (
	remedyAuth  = "set GEMINI_API_KEY where iterion is started, or choose a login by running `gemini` once on this machine"
	remedyLimit = "raise model.maxSessionTurns in the program's settings, or give the bot a smaller task"
	remedyModel = "choose another one, by GEMINI_MODEL in the bot's run.env or in the program's settings"
	remedyUsage = "compare the bot's command line with `gemini --help`"
)

// What the program exits with. A request that the service refused exits with the
// lower eight bits of its status.
const (
	exitAuth      = 41
	exitInput     = 42
	exitSandbox   = 44
	exitConfig    = 52
	exitTurns     = 53
	exitUntrusted = 55
)

// What the program says, by what is to be done about it.
var (
	saysNoSession = pattern.New(`(?i)error resuming session|no previous sessions found|invalid session identifier`)
	// A reset in days, hours or minutes. One in seconds (or ms) is throttling.
	saysQuota     = pattern.New(`(?i)exhausted your daily quota|quota will reset after [\d.]+(?:d|h|m(?:[^s]|$))`)
	saysThrottled = pattern.New(`(?i)quota will reset after|please retry in|suggested retry after|exhausted your capacity|resource_exhausted|resource has been exhausted|too many requests|overloaded|status: (?:429|503|unavailable)|"code": ?(?:429|500|503)`)
	saysAuth      = pattern.New(`(?i)set an auth method|api key not valid|api_key_invalid|unauthenticated|permission_denied|failed to (?:login|sign in)|authentication failed`)
	saysModel     = pattern.New(`(?i)models?[/ ].{0,120}not found|model_not_found`)
	saysTurns     = pattern.New(`(?i)max(?:imum)? session turns`)
	saysUsage     = pattern.New(`(?i)^(?:unknown arguments?|not enough arguments|invalid values|cannot use both|no input provided)`)
)

// End looks at the last word first, then at the wording, then at the exit.
func (e *engine) End(exit agent.Exit) agent.Verdict {
	v := e.verdict(exit)
	v.Rest = e.rest()
	return v
}

func (e *engine) verdict(exit agent.Exit) agent.Verdict {
	switch {
	case e.last == nil:
		return e.unfinished(exit)
	case e.last.Status != "success":
		why := e.last.Error.Message
		return cmp.Or(e.byWording(why), e.byExit(why, exit.Code), stream.Failure(agent.Transient, agent.CodeFailed, name, why, ""))
	case exit.Code != 0 || exit.Signal != "":
		return stream.Broken(program, true, exit, e.notes.Last())
	}
	return agent.Verdict{Result: stream.Text(e.text.String())}
}

// unfinished judges a stream without a result: by standard error, by the exit, and
// if neither says anything as a crash. An end by SIGTERM exits with 0.
func (e *engine) unfinished(exit agent.Exit) agent.Verdict {
	if exit.Code > 0 {
		for _, line := range e.notes.Latest() {
			if v := e.byWording(line); v != (agent.Verdict{}) {
				return v
			}
		}
	}
	return cmp.Or(e.byExit(e.notes.Last(), exit.Code), stream.Broken(program, false, exit, e.notes.Last()))
}

// byWording returns the zero Verdict when text says nothing that is known.
func (e *engine) byWording(text string) agent.Verdict {
	switch {
	case saysNoSession.MatchString(text):
		v := stream.Failure(agent.Transient, agent.CodeSession, name, text, "the task is begun anew")
		v.NoSession = true
		return v
	case saysQuota.MatchString(text):
		return e.waits(agent.Quota, agent.CodeQuota, text)
	case saysAuth.MatchString(text):
		return stream.Failure(agent.Permanent, agent.CodeAuth, name, text, remedyAuth)
	case saysThrottled.MatchString(text):
		return e.waits(agent.Transient, agent.CodeThrottled, text)
	case saysModel.MatchString(text):
		return stream.Failure(agent.Permanent, agent.CodeModel, name, text, remedyModel)
	case saysTurns.MatchString(text):
		return stream.Failure(agent.Permanent, agent.CodeLimit, name, text, remedyLimit)
	case saysUsage.MatchString(text):
		return stream.Failure(agent.Permanent, agent.CodeUsage, name, text, remedyUsage)
	}
	return agent.Verdict{}
}

func (e *engine) waits(class agent.Class, code, text string) agent.Verdict {
	v := stream.Failure(class, code, name, text, "")
	v.RetryAt = stream.Resets(e.start, text)
	return v
}

// byExit returns the zero Verdict when the exit says nothing that is known.
func (e *engine) byExit(text string, code int) agent.Verdict {
	permanent := func(code, remedy string) agent.Verdict {
		return stream.Failure(agent.Permanent, code, name, text, remedy)
	}
	switch code {
	case exitAuth:
		return permanent(agent.CodeAuth, remedyAuth)
	case exitInput, exitConfig:
		return permanent(agent.CodeUsage, remedyUsage)
	case exitSandbox:
		return permanent(agent.CodeUsage, "its sandbox does not work on this machine")
	case exitTurns:
		return permanent(agent.CodeLimit, remedyLimit)
	case exitUntrusted:
		return permanent(agent.CodeUsage, "add --skip-trust to the bot's command line")
	}
	switch status := httpStatus(code); {
	case status == 401 || status == 403:
		return permanent(agent.CodeAuth, remedyAuth)
	case status == 404:
		return permanent(agent.CodeModel, remedyModel)
	case status == 429, status >= 500:
		return stream.Failure(agent.Transient, agent.CodeThrottled, name, text, "")
	}
	return agent.Verdict{}
}

// httpStatus undoes the cut to eight bits: 429 exits with 173. It returns 0 for
// exits that are no status.
func httpStatus(exit int) int {
	if status := exit + 256; status >= 400 && status < 510 {
		return status
	}
	return 0
}
