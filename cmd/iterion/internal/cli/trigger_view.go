package cli

import (
	"slices"
	"strings"
	"time"

	"iterion/sched/cronspec"
	"iterion/sched/trigger"
)

// triggerJSON is a subscription in JSON: its own keys, and what follows from them.
type triggerJSON struct {
	trigger.Subscription
	Active bool      `json:"active"` // in force: enabled, and nothing wrong with it
	When   string    `json:"when"`   // in words
	Next   []dueJSON `json:"next,omitempty"`
}

func (t *triggers) view(s trigger.Subscription, slots int) triggerJSON {
	v := triggerJSON{Subscription: s, Active: s.Active(), When: whenText(s)}
	if s.Active() && s.Invocation == trigger.OnSchedule {
		if spec, err := cronspec.Parse(s.Cron, s.TZ, time.Local); err == nil {
			v.Next = dueAfter(spec, t.f.Now(), slots)
		}
	}
	return v
}

// whenText says in a few words what a subscription waits for.
func whenText(s trigger.Subscription) string {
	switch s.Invocation {
	case trigger.OnSchedule:
		return strings.TrimSpace(orElse(s.Cron, "no cron yet") + " " + s.TZ)
	case trigger.OnKeepalive:
		return "every " + s.Interval.String()
	case trigger.OnCommand:
		return "/" + strings.Join(s.Match.Actions, ", /")
	}
	parts := []string{orElse(strings.Join(s.Match.Kinds, ", "), anyOfText(s.Match.Sources))}
	add := func(word string, values []string) {
		if len(values) > 0 {
			parts = append(parts, word+" "+strings.Join(values, ", "))
		}
	}
	where := "in"
	if slices.Equal(s.Match.Kinds, []string{trigger.CardMoved}) {
		where = "to"
	}
	add(where, s.Match.States)
	add("with", s.Match.AllLabels)
	add("by", s.Match.Authors)
	add("action", s.Match.Actions)
	add("of", s.Match.Repos)
	return strings.Join(parts, " ")
}

func anyOfText(sources []string) string {
	if len(sources) == 0 {
		return "anything"
	}
	return "anything of " + strings.Join(sources, ", ")
}

// stateText says whether a subscription is in force, and why not.
func stateText(s trigger.Subscription) string {
	switch {
	case s.Problem != "":
		return "unusable"
	case !s.Enabled:
		return "disabled"
	case s.Invocation == trigger.OnForge || s.Invocation == trigger.OnCommand:
		return "not here"
	}
	return "on"
}

// printSubscription prints what a command has done to a subscription; the id is the
// last word.
func (t *triggers) printSubscription(s trigger.Subscription, verb string) error {
	switch {
	case t.f.Global.JSON:
		return t.f.PrintJSON(t.view(s, nextShown))
	case t.f.Global.Quiet:
		t.f.Say("%s", s.ID)
	default:
		t.f.Say("%s trigger %s", verb, s.ID)
	}
	return nil
}
