package trigger

import (
	"fmt"
	"strings"
	"time"
)

// Dimension is how one dimension of a subscription stands to an event.
type Dimension struct {
	Name string   `json:"name"`
	Want []string `json:"want,omitempty"` // empty: anything
	Got  []string `json:"got,omitempty"`
	OK   bool     `json:"ok"`
	Why  string   `json:"why,omitempty"` // of one that is not OK
}

// Explanation says whether an event owes a subscription something, and why.
type Explanation struct {
	SubscriptionID string      `json:"subscription_id"`
	BotID          string      `json:"bot_id"`
	Matches        bool        `json:"matches"`
	Dimensions     []Dimension `json:"dimensions"`
}

// Why lists what stands against a match.
func (x Explanation) Why() []string {
	var out []string
	for _, d := range x.Dimensions {
		if !d.OK {
			out = append(out, d.Name+": "+d.Why)
		}
	}
	return out
}

// Explain judges an event dimension by dimension, those that agree included. It
// agrees with Silent, Active and Matches taken together.
func Explain(e Event, s Subscription) Explanation {
	x := Explanation{SubscriptionID: s.ID, BotID: s.BotID, Dimensions: []Dimension{
		silentDimension(e), inForce(s), fires(s),
		exactly("tenant", []string{s.TenantID}, e.TenantID), since(e, s),
	}}
	if s.Repo != "" {
		x.Dimensions = append(x.Dimensions, folded("repo", []string{s.Repo}, e.Repo))
	}
	m := s.Match
	x.Dimensions = append(x.Dimensions,
		exactly("sources", m.Sources, string(e.Source)), exactly("kinds", m.Kinds, e.Kind),
		folded("actions", m.Actions, e.Action), folded("repos", m.Repos, e.Repo), folded("authors", m.Authors, e.Actor),
		exactly("states", m.States, e.Subject.State), labels(m.AllLabels, e.Labels),
	)
	x.Matches = true
	for _, d := range x.Dimensions {
		x.Matches = x.Matches && d.OK
	}
	return x
}

func silentDimension(e Event) Dimension {
	why := Silent(e)
	if why != "" {
		why = "the event yields nothing: " + why
	}
	return Dimension{Name: "event", OK: why == "", Why: why}
}

func inForce(s Subscription) Dimension {
	d := Dimension{Name: "enabled", OK: s.Active()}
	switch {
	case s.Problem != "":
		d.Why = "the subscription cannot be used: " + s.Problem
	case !s.Enabled:
		d.Why = "the subscription is disabled"
	}
	return d
}

func fires(s Subscription) Dimension {
	d := Dimension{Name: "invocation", Want: []string{string(s.Invocation)}, OK: s.Invocation == OnBoard}
	switch {
	case d.OK:
	case s.Clock():
		d.Why = fmt.Sprintf("kind %s is fired by its clock, not by events", s.Invocation)
	default:
		d.Why = fmt.Sprintf("kind %s is not fired by a local daemon", s.Invocation)
	}
	return d
}

func since(e Event, s Subscription) Dimension {
	d := Dimension{Name: "since", OK: !s.younger(e)}
	if !d.OK {
		d.Why = fmt.Sprintf("the event is older (%s) than the subscription, which is in force since %s",
			e.OccurredAt.UTC().Format(time.RFC3339), s.since().UTC().Format(time.RFC3339))
	}
	return d
}

func exactly(name string, want []string, got string) Dimension {
	return one(name, want, got, anyOf(want, got))
}

func folded(name string, want []string, got string) Dimension {
	return one(name, want, got, anyFold(want, got))
}

func one(name string, want []string, got string, ok bool) Dimension {
	d := Dimension{Name: name, Want: want, OK: ok}
	if got != "" {
		d.Got = []string{got}
	}
	if !ok {
		d.Why = fmt.Sprintf("want %s, the event has %s", oneOf(want), quoted(got))
	}
	return d
}

func labels(want, got []string) Dimension {
	missing := lacking(want, got)
	d := Dimension{Name: "all_labels", Want: want, Got: got, OK: len(missing) == 0}
	if !d.OK {
		d.Why = fmt.Sprintf("the event lacks %s", strings.Join(missing, ", "))
	}
	return d
}

func oneOf(want []string) string {
	if len(want) == 1 {
		return quoted(want[0])
	}
	return "one of " + strings.Join(want, ", ")
}

func quoted(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
