package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"iterion/native"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/trigger"
	"iterion/sched/trigger/local"
)

// BenchmarkTriggerEvaluation is how long it takes from 10,000 events of a board's log,
// of 200 cards, to durable rows, with 200 subscriptions: each event owes one of them
// an effect. The bar is 3 s.
func BenchmarkTriggerEvaluation(b *testing.B) {
	const events, subscriptions = 10_000, 200
	l := native.Layout{Root: filepath.Join(b.TempDir(), native.DirName)}
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	o := native.Options{NoFsync: true}
	_, err := o.Init(l.Root, board.DefaultSchema(), false)
	must(err)
	store, err := native.Open(l, o)
	must(err)
	defer store.Close()
	var cards []string
	var subs []trigger.Subscription
	for n := range subscriptions {
		label := fmt.Sprint("for-", n)
		card, err := store.Create(b.Context(), board.Issue{Title: "card", Body: "What is to be done.\n", State: "ready", Labels: []string{label, "ci"}}, board.Cause{})
		must(err)
		cards = append(cards, card.ID)
		sub, _ := trigger.New("hello", trigger.OnBoard)
		sub.ID, sub.Mode = label, trigger.Direct
		sub.Match = trigger.Match{Sources: []string{"board"}, Kinds: []string{trigger.CardMoved}, States: []string{"ready", "backlog"}, AllLabels: []string{label}}
		subs = append(subs, sub)
	}
	for n := range events {
		_, err := store.Move(b.Context(), cards[n%subscriptions], []string{"backlog", "ready"}[n/subscriptions%2], board.Cause{Actor: "ana"})
		must(err)
	}
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		out := local.OpenOutbox(filepath.Join(dir, "effects.json"), filepath.Join(dir, "effects.log"), local.Options{})
		must(out.Add(b.Context(), trigger.FeedBoard, -1, nil))
		spine := &trigger.Spine{
			Board: store, Inbox: local.OpenInbox(filepath.Join(dir, "inbox.jsonl"), local.Options{}), Outbox: out,
			Runs: run.Open(l.Runs(), run.Options{}), Subscriptions: func() (trigger.Set, error) { return trigger.SetOf(subs...), nil },
		}
		b.StartTimer()
		must(spine.Step(b.Context()))
		b.StopTimer()
		if h := spine.Health(); h.Board.Owed != events {
			b.Fatalf("%d effects, want %d", h.Board.Owed, events)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
