package tui

import (
	"context"
	"testing"
	"time"

	"iterion/daemon/control"
	"iterion/sched/trigger"
)

// sampleSubscriptions are subscriptions in every state, a clock's among them.
func sampleSubscriptions() control.Subscriptions {
	return control.Subscriptions{
		All: []trigger.Subscription{
			{ID: "manifest:triage:board:1", BotID: "triage", Invocation: trigger.OnBoard, Mode: trigger.Promote, Enabled: true, Origin: trigger.FromManifest,
				Match: trigger.Match{Kinds: []string{trigger.CardMoved}, States: []string{"ready"}, AllLabels: []string{"triage:auto"}}, ConsumeLabels: true},
			{ID: "after-fix", BotID: "verify", Invocation: trigger.OnBoard, Mode: trigger.Direct, Enabled: true, Origin: trigger.FromOperator, LastError: "no bot is called verify",
				Match: trigger.Match{Kinds: []string{trigger.RunFinished, trigger.RunFailed}}, Vars: map[string]string{"depth": "2"}},
			{ID: "off", BotID: "tidy", Invocation: trigger.OnBoard, Origin: trigger.FromOperator},
			{ID: "nightly", BotID: "tidy", Invocation: trigger.OnSchedule, Cron: "@daily", Enabled: true},
		},
		Problems: []string{"triggers.yaml:12: subscription x: no bot"},
	}
}

// sampleEffects are effects in every state, failed ones first.
func sampleEffects() []trigger.Effect {
	event := func(kind string, card int, title string) trigger.Event {
		return trigger.Event{ID: "board:7", Source: trigger.SourceBoard, Kind: kind, Actor: "ana", OccurredAt: ago(time.Minute),
			Subject: trigger.Subject{Type: "card", ID: cardID(card), Title: title}}
	}
	return []trigger.Effect{
		{ID: "run:9|after-fix", State: trigger.Failed, SubscriptionID: "after-fix", Attempts: 5, LastError: "no bot is called \x1b[31mverify", RunID: runID(30),
			Event: trigger.Event{Source: trigger.SourceRun, Kind: trigger.RunFinished, Subject: trigger.Subject{Type: "run", ID: runID(9)}, ChainDepth: 2}, UpdatedAt: ago(3 * time.Minute)},
		{ID: "board:7|manifest:triage:board:1", State: trigger.Pending, SubscriptionID: "manifest:triage:board:1", NotBefore: noon.Add(90 * time.Second), LastError: "dispatch is paused by ana",
			Event: event(trigger.CardMoved, 1, "Cache the manifest index"), UpdatedAt: ago(time.Minute)},
		{ID: "board:6|manifest:triage:board:1", State: trigger.Done, SubscriptionID: "manifest:triage:board:1", Outcome: "card stamped with bot triage",
			Event: event(trigger.CardMoved, 3, "Retry flaky upload in CI"), UpdatedAt: ago(time.Hour)},
	}
}

func (f *fake) Subscriptions(context.Context) (control.Subscriptions, error) {
	return sampleSubscriptions(), nil
}

func (f *fake) SetSubscription(_ context.Context, id string, in control.SetSchedule) (trigger.Subscription, error) {
	return trigger.Subscription{ID: id}, f.note("set subscription %s %v", id, in.Enabled)
}

func (f *fake) Effects(context.Context) ([]trigger.Effect, error) { return sampleEffects(), nil }

func (f *fake) RetryEffect(_ context.Context, id string, _ control.By) (trigger.Effect, error) {
	return trigger.Effect{ID: id}, f.note("retry %s", id)
}

func (f *fake) DropEffect(_ context.Context, id string, _ control.By) (trigger.Effect, error) {
	return trigger.Effect{ID: id}, f.note("drop %s", id)
}

func TestADeadLetterIsTriedAgain(t *testing.T) {
	d := live(t, 120, 30)
	d.press("5", "right", "enter")
	d.wants("given up after 5 tries", "2 launches by outcome led here", "5 of 5 spent")
	d.press("R")
	asked(t, d, "retry run:9|after-fix")
	d.press("X")
	d.wants("Drop this effect?")
	d.press("enter", "X", "y")
	asked(t, d, "drop run:9|after-fix")
	d.press("down", "down", "R")
	d.wants("only what was given up, or waits, is tried again")
	d.press("i")
	d.wants("Retry flaky upload in CI", "What is wrong")
}

func TestSubscriptionsSayWhatTheyAreFor(t *testing.T) {
	d := live(t, 160, 30)
	d.press("5")
	d.wants("on card.moved in ready with #triage:auto", "1 wrong as written", "last error: no bot is called verify")
	d.lacks("nightly") // it has a place among the clocks
	d.press("down", "enter")
	d.wants("depth=2", "triggers.yaml")
	d.press("esc", "D")
	asked(t, d, "set subscription after-fix false")
}
