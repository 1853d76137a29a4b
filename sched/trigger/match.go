package trigger

import (
	"slices"
	"strings"
	"time"
)

// empty reports whether the match says nothing.
func (m Match) empty() bool {
	return len(m.Sources)+len(m.Kinds)+len(m.Actions)+len(m.Repos)+len(m.Authors)+len(m.States)+len(m.AllLabels) == 0
}

// Match reports whether the match selects the event.
func (m Match) Match(e Event) bool {
	return anyOf(m.Sources, string(e.Source)) && anyOf(m.Kinds, e.Kind) && anyOf(m.States, e.Subject.State) &&
		anyFold(m.Actions, e.Action) && anyFold(m.Repos, e.Repo) && anyFold(m.Authors, e.Actor) &&
		len(lacking(m.AllLabels, e.Labels)) == 0
}

func anyOf(want []string, got string) bool { return len(want) == 0 || slices.Contains(want, got) }

func anyFold(want []string, got string) bool { return len(want) == 0 || containsFold(want, got) }

func containsFold(list []string, s string) bool {
	for _, l := range list {
		if strings.EqualFold(l, s) {
			return true
		}
	}
	return false
}

// lacking returns the labels of want that are not in got.
func lacking(want, got []string) []string {
	var out []string
	for _, l := range want {
		if !containsFold(got, l) {
			out = append(out, l)
		}
	}
	return out
}

// Matches reports whether an event that is not silent owes the subscription
// something. It does not ask whether the subscription is in force.
func (s Subscription) Matches(e Event) bool {
	return s.Invocation == OnBoard && s.TenantID == e.TenantID && s.inRepo(e) && !s.younger(e) && s.Match.Match(e)
}

func (s Subscription) inRepo(e Event) bool { return s.Repo == "" || strings.EqualFold(s.Repo, e.Repo) }

// younger reports whether the subscription was made, or put in force again, after the
// event: whoever does so does not ask for what has been.
func (s Subscription) younger(e Event) bool {
	since := s.since()
	return !since.IsZero() && !e.OccurredAt.IsZero() && e.OccurredAt.Before(since)
}

// since is the instant from which on events count; zero: from ever.
func (s Subscription) since() time.Time {
	if s.EnabledAt.After(s.CreatedAt) {
		return s.EnabledAt
	}
	return s.CreatedAt
}
