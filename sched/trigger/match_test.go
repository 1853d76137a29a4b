package trigger_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"iterion/native/board"
	"iterion/sched/trigger"
)

// word draws from few words in several cases, so that matches are common.
func word() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"a", "A", "b", "straße", "STRASSE", "k", "K", ""})
}

func event() *rapid.Generator[trigger.Event] {
	return rapid.Custom(func(t *rapid.T) trigger.Event {
		return trigger.Event{
			ID: "e", Source: rapid.SampledFrom(trigger.Sources()).Draw(t, "source"),
			Kind:   rapid.SampledFrom(append(trigger.Kinds(), "deploy")).Draw(t, "kind"),
			Action: word().Draw(t, "action"), Repo: word().Draw(t, "repo"), Actor: rapid.SampledFrom([]string{"a", "A", "dispatcher", "watchdog", trigger.Actor}).Draw(t, "actor"),
			TenantID:      rapid.SampledFrom([]string{"", "t"}).Draw(t, "tenant"),
			Subject:       trigger.Subject{State: word().Draw(t, "state")},
			Labels:        rapid.SliceOfN(word(), 0, 3).Draw(t, "labels"),
			Reason:        rapid.SampledFrom(append(trigger.MachineReasons(), "", "", board.ReasonRunFinished, board.ReasonUnblocked)).Draw(t, "reason"),
			LaunchedRunID: rapid.SampledFrom([]string{"", "", "r"}).Draw(t, "launched"),
			OccurredAt:    time.Unix(rapid.Int64Range(0, 3).Draw(t, "at"), 0),
		}
	})
}

func subscription() *rapid.Generator[trigger.Subscription] {
	return rapid.Custom(func(t *rapid.T) trigger.Subscription {
		some := func(name string) []string { return rapid.SliceOfN(word(), 0, 2).Draw(t, name) }
		s := trigger.Subscription{
			ID: "s", BotID: "bot", Invocation: rapid.SampledFrom(append(trigger.Invocations(), trigger.OnBoard, trigger.OnBoard)).Draw(t, "kind"),
			TenantID: rapid.SampledFrom([]string{"", "", "t"}).Draw(t, "tenant"), Repo: rapid.SampledFrom([]string{"", "", "a"}).Draw(t, "repo"),
			Enabled: rapid.SampledFrom([]bool{true, true, false}).Draw(t, "enabled"),
			Problem: rapid.SampledFrom([]string{"", "", "broken"}).Draw(t, "problem"),
			Match: trigger.Match{
				Kinds:   rapid.SliceOfN(rapid.SampledFrom(append(trigger.Kinds(), "deploy")), 0, 4).Draw(t, "kinds"),
				Actions: some("actions"), Repos: some("repos"), States: some("states"), AllLabels: some("labels"),
				Authors: rapid.SliceOfN(rapid.SampledFrom([]string{"a", "dispatcher"}), 0, 2).Draw(t, "authors"),
			},
		}
		for _, src := range rapid.SliceOfN(rapid.SampledFrom(trigger.Sources()), 0, 3).Draw(t, "sources") {
			s.Match.Sources = append(s.Match.Sources, string(src))
		}
		if rapid.Bool().Draw(t, "dated") {
			s.CreatedAt = time.Unix(rapid.Int64Range(0, 3).Draw(t, "created"), 0)
		}
		return s
	})
}

// selects says the rules once more, word for word.
func selects(m trigger.Match, e trigger.Event) bool {
	fold := func(want []string, got string) bool {
		return len(want) == 0 || slices.ContainsFunc(want, func(w string) bool { return strings.EqualFold(w, got) })
	}
	exact := func(want []string, got string) bool { return len(want) == 0 || slices.Contains(want, got) }
	for _, l := range m.AllLabels {
		if !slices.ContainsFunc(e.Labels, func(have string) bool { return strings.EqualFold(l, have) }) {
			return false
		}
	}
	return exact(m.Sources, string(e.Source)) && exact(m.Kinds, e.Kind) && exact(m.States, e.Subject.State) &&
		fold(m.Actions, e.Action) && fold(m.Repos, e.Repo) && fold(m.Authors, e.Actor)
}

func TestTheMatcherAgreesWithItsRules(t *testing.T) {
	hits := 0
	rapid.Check(t, func(t *rapid.T) {
		e, s := event().Draw(t, "event"), subscription().Draw(t, "subscription")
		want := selects(s.Match, e)
		if got := s.Match.Match(e); got != want {
			t.Fatalf("Match = %v, want %v", got, want)
		}
		if want {
			hits++
		}
	})
	if hits == 0 {
		t.Error("no draw matched: the generators are broken")
	}
}

func TestAnExplanationAgreesWithTheMatcher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, s := event().Draw(t, "event"), subscription().Draw(t, "subscription")
		x := trigger.Explain(e, s)
		want := trigger.Silent(e) == "" && s.Active() && s.Matches(e)
		if x.Matches != want {
			t.Fatalf("Explain says %v, want %v: %+v", x.Matches, want, x)
		}
		if x.Matches != (len(x.Why()) == 0) {
			t.Fatalf("matches %v, because of %q", x.Matches, x.Why())
		}
		for _, d := range x.Dimensions {
			if d.OK == (d.Why != "") {
				t.Fatalf("dimension %s: ok %v, why %q", d.Name, d.OK, d.Why)
			}
		}
	})
}

func TestI9_EveryMachineReasonIsSilent(t *testing.T) {
	for _, reason := range trigger.MachineReasons() {
		if trigger.Silent(trigger.Event{Source: trigger.SourceBoard, Reason: reason}) == "" {
			t.Errorf("reason %s fires", reason)
		}
	}
	for _, reason := range []string{"", board.ReasonUnblocked, board.ReasonRunFinished, board.ReasonRunFailed, "whatever"} {
		if why := trigger.Silent(trigger.Event{Source: trigger.SourceBoard, Reason: reason, Actor: "ana"}); why != "" {
			t.Errorf("reason %q is silent: %s", reason, why)
		}
	}
	for _, actor := range []string{"dispatcher", "watchdog", trigger.Actor} {
		if trigger.Silent(trigger.Event{Source: trigger.SourceBoard, Actor: actor}) == "" {
			t.Errorf("a write of %s's own fires", actor)
		}
		if why := trigger.Silent(trigger.Event{Source: trigger.SourceBoard, Actor: actor, Reason: board.ReasonRunFailed}); why != "" {
			t.Errorf("the verdict of a run that %s files is silent: %s", actor, why)
		}
		if why := trigger.Silent(trigger.Event{Source: trigger.SourceCustom, Actor: actor}); why != "" {
			t.Errorf("a custom event of an actor named %s is silent: %s", actor, why)
		}
	}
	if trigger.Silent(trigger.Event{Source: trigger.SourceManual, LaunchedRunID: "r"}) == "" {
		t.Error("the trace of a launch fires")
	}
}

func TestWhatWasBeforeASubscriptionIsNotMadeUpFor(t *testing.T) {
	at := func(hour int) time.Time { return now.Add(time.Duration(hour) * time.Hour) }
	for _, c := range []struct {
		name             string
		created, enabled time.Time
		event            time.Time
		want             bool
	}{
		{"older than the subscription", at(1), time.Time{}, at(0), false},
		{"at its instant", at(1), time.Time{}, at(1), true},
		{"while it was off", at(1), at(5), at(3), false},
		{"since it is on again", at(1), at(5), at(6), true},
		{"a derived one that was never touched", time.Time{}, time.Time{}, at(0), true},
		{"an event without an instant", at(1), at(5), time.Time{}, true},
	} {
		s := trigger.Subscription{Invocation: trigger.OnBoard, CreatedAt: c.created, EnabledAt: c.enabled}
		if got := s.Matches(trigger.Event{OccurredAt: c.event}); got != c.want {
			t.Errorf("%s: matches %v", c.name, got)
		}
	}
}

func TestANonMatchIsExplainedByEachOfItsDimensions(t *testing.T) {
	e := trigger.Event{
		ID: "board:1", Source: trigger.SourceBoard, Kind: trigger.CardMoved, Actor: "ana", Labels: []string{"bug"},
		Subject: trigger.Subject{State: "done"}, OccurredAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	s := trigger.Subscription{
		ID: "s", Invocation: trigger.OnBoard, CreatedAt: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
		Match: trigger.Match{Kinds: []string{trigger.CardLabeled, trigger.CardCreated}, States: []string{"ready"}, AllLabels: []string{"Bug", "ci"}, Actions: []string{"x"}},
	}
	want := []string{
		"enabled: the subscription is disabled",
		"since: the event is older (2026-01-01T00:00:00Z) than the subscription, which is in force since 2026-01-02T00:00:00Z",
		"kinds: want one of card.labeled, card.created, the event has card.moved",
		"actions: want x, the event has none",
		"states: want ready, the event has done",
		"all_labels: the event lacks ci",
	}
	if got := trigger.Explain(e, s).Why(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
