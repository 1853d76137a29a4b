package trigger

import (
	"slices"
	"strings"
	"time"

	"iterion/bots/manifest"
	"iterion/sched/gate"
)

// The constructors. Whatever a subscription is made from (a manifest, a row of
// triggers.yaml, a command line), its kind's constructor lays the ground, so that
// the same words mean the same thing wherever they stand.

// NewBoard subscribes a bot to what happens to cards and runs. Without any kind of
// event it takes in all that happens to cards.
func NewBoard(bot string, mode Mode, argsVar string, on manifest.OnBoard) Subscription {
	if mode == "" {
		mode = Promote
	}
	s := made(bot, OnBoard, mode, argsVar, nil)
	s.Match = Match{
		Sources: feeds(on.On), Kinds: slices.Clone(on.On), States: slices.Clone(on.ToStates), AllLabels: slices.Clone(on.AllLabels),
	}
	s.ConsumeLabels = on.ConsumeLabels
	return s
}

// feeds returns the sources that tell of these kinds, so that an event of another
// source which bears the same name is not taken for it.
func feeds(kinds []string) []string {
	var out []string
	for _, f := range []struct {
		prefix string
		source Source
	}{{"card.", SourceBoard}, {"run.", SourceRun}} {
		if slices.ContainsFunc(kinds, func(k string) bool { return strings.HasPrefix(k, f.prefix) }) {
			out = append(out, string(f.source))
		}
	}
	if len(kinds) == 0 {
		out = []string{string(SourceBoard)}
	}
	return out
}

// NewSchedule starts a bot at the instants of a cron expression. Without one the
// subscription is not in force.
func NewSchedule(bot, argsVar string, on manifest.OnSchedule) Subscription {
	s := made(bot, OnSchedule, Direct, argsVar, on.DefaultVars)
	s.Cron = on.SuggestedCron
	s.Enabled = s.Cron != ""
	return s
}

// NewKeepalive keeps one run of a bot alive, looking every interval.
func NewKeepalive(bot, argsVar string, on manifest.OnKeepalive) Subscription {
	s := made(bot, OnKeepalive, Direct, argsVar, on.DefaultVars)
	s.Interval, s.StaleAfter, s.Overlap = Duration(on.Interval), Duration(on.StaleAfter), gate.Keepalive
	return s
}

// kindCommand is the kind of an event in which somebody writes a command; the
// command is its action.
const kindCommand = "command"

// NewCommand subscribes a bot to a command in a forge's comments.
func NewCommand(bot string, mode Mode, argsVar string, on manifest.OnCommand) Subscription {
	s := made(bot, OnCommand, mode, argsVar, nil)
	s.Match = Match{Sources: []string{string(SourceForge)}, Kinds: []string{kindCommand}}
	if on.Name != "" {
		s.Match.Actions = append([]string{on.Name}, on.Aliases...)
	}
	return s
}

// NewForge subscribes a bot to an event of a forge.
func NewForge(bot string, mode Mode, argsVar string, on manifest.OnForge) Subscription {
	s := made(bot, OnForge, mode, argsVar, nil)
	s.Match = Match{Sources: []string{string(SourceForge)}, Actions: slices.Clone(on.Actions)}
	if on.Event != "" {
		s.Match.Kinds = []string{on.Event}
	}
	return s
}

// FromInvocation makes the subscription that a bot's manifest asks for; ok is false
// for a board invocation without its block, which makes the bot a plain target of
// the dispatcher.
func FromInvocation(bot string, inv manifest.Invocation) (s Subscription, ok bool) {
	switch Invocation(inv.Kind) {
	case OnBoard:
		if inv.Board == nil {
			return s, false
		}
		s = NewBoard(bot, Mode(inv.Mode), inv.ArgsVar, *inv.Board)
	case OnSchedule:
		s = NewSchedule(bot, inv.ArgsVar, deref(inv.Schedule))
		s.Mode = Mode(inv.Mode)
	case OnKeepalive:
		s = NewKeepalive(bot, inv.ArgsVar, deref(inv.Keepalive))
		s.Mode = Mode(inv.Mode)
	case OnCommand:
		s = NewCommand(bot, Mode(inv.Mode), inv.ArgsVar, deref(inv.Command))
	case OnForge:
		s = NewForge(bot, Mode(inv.Mode), inv.ArgsVar, deref(inv.Forge))
	default:
		return s, false
	}
	return s, true
}

// New lays the ground for a subscription of a kind that says nothing else yet.
// ok is false for a kind that there is not.
func New(bot string, kind Invocation) (s Subscription, ok bool) {
	switch kind {
	case OnBoard:
		s = NewBoard(bot, Direct, "", manifest.OnBoard{})
		s.Match, s.Mode = Match{}, ""
	case OnSchedule:
		s = NewSchedule(bot, "", manifest.OnSchedule{})
	case OnKeepalive:
		s = NewKeepalive(bot, "", manifest.OnKeepalive{})
	case OnCommand:
		s = NewCommand(bot, Direct, "", manifest.OnCommand{})
	case OnForge:
		s = NewForge(bot, Direct, "", manifest.OnForge{})
	default:
		return s, false
	}
	s.Enabled = true
	return s, true
}

// Invocations returns the kinds of subscription.
func Invocations() []Invocation {
	return []Invocation{OnBoard, OnSchedule, OnKeepalive, OnCommand, OnForge}
}

func made(bot string, kind Invocation, mode Mode, argsVar string, vars map[string]string) Subscription {
	if mode == "" {
		mode = Direct
	}
	return Subscription{BotID: bot, Invocation: kind, Mode: mode, ArgsVar: argsVar, Vars: clone(vars), Enabled: true}
}

func clone(vars map[string]string) map[string]string {
	if len(vars) == 0 {
		return nil
	}
	out := make(map[string]string, len(vars))
	for k, v := range vars {
		out[k] = v
	}
	return out
}

func deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}

// completed fills in what follows from the rest of a subscription that an operator
// wrote.
func (s Subscription) completed() Subscription {
	if s.Mode == "" {
		s.Mode = Direct
	}
	if s.Invocation == OnBoard && len(s.Match.Sources) == 0 && tellsOnlyOurs(s.Match.Kinds) {
		s.Match.Sources = feeds(s.Match.Kinds)
	}
	return s
}

// tellsOnlyOurs: all of the kinds are those that iterion itself makes.
func tellsOnlyOurs(kinds []string) bool {
	return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k string) bool { return !slices.Contains(Kinds(), k) })
}

// minInterval is the shortest interval of a keepalive subscription.
const minInterval = time.Duration(manifest.MinKeepalive)
