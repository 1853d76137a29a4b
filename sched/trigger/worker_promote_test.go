package trigger_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/sched/trigger"
)

func TestPromoteStampsTheBotAndNudges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", Mode: trigger.Promote, ArgsVar: "prompt", Vars: map[string]string{"k": "sub", "mine": "sub"}})
		is, e := l.card(1)
		_, err := l.board.Update(t.Context(), is.ID, board.Patch{SetBotArgs: map[string]string{"mine": "card"}}, board.Cause{})
		l.must(err)
		rows := l.happen(e)
		tip, _ := l.board.Tip(t.Context())
		l.work(time.Second)
		l.is(rows[0].ID, trigger.Done, 0, "the card is bot fixer's now")
		got, _ := l.board.Get(t.Context(), is.ID)
		want := map[string]string{"k": "sub", "mine": "card", "prompt": "card 1\n\ntext"}
		if got.Bot != "fixer" || !maps.Equal(got.BotArgs, want) {
			t.Errorf("card is bot %q's with %v, want fixer's with %v", got.Bot, got.BotArgs, want)
		}
		if !slices.Equal(l.nudged, []string{is.ID}) || len(l.launched) > 0 || len(l.slots) > 0 {
			t.Errorf("nudged %v, launched %v, slots %v", l.nudged, l.launched, l.slots)
		}
		events, _ := l.board.Events(t.Context(), tip, 0)
		for _, b := range events {
			if why := trigger.Silent(trigger.FromBoard(b, got)[0]); why == "" {
				t.Errorf("the stamp fires: %+v", b)
			}
		}
		if len(events) != 1 {
			t.Errorf("%d events of the stamp, want one", len(events))
		}
	})
}

// Two subscriptions that want one card for different bots: the first has it, and
// nothing goes on.
func TestTwoPromotionsOfOneCardDoNotPlayPingPong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "a", BotID: "fixer", Mode: trigger.Promote})
		l.subscribe(trigger.Subscription{ID: "b", BotID: "tester", Mode: trigger.Promote})
		is, e := l.card(1)
		l.happen(e)
		tip, _ := l.board.Tip(t.Context())
		_, stop := l.begin(func(w *trigger.Worker) { w.Board = slowBoard{l.board} })
		defer stop()
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		got, _ := l.board.Get(t.Context(), is.ID)
		outcomes := l.row("board:1|a").Outcome + " / " + l.row("board:1|b").Outcome
		won := "the card is bot " + got.Bot + "'s now"
		if !strings.Contains(outcomes, won) || !strings.Contains(outcomes, "without effect: the card is bot "+got.Bot+"'s already") {
			t.Errorf("card is bot %s's; outcomes: %s", got.Bot, outcomes)
		}
		if events, _ := l.board.Events(t.Context(), tip, 0); len(events) != 1 {
			t.Errorf("%d writes to the card, want one", len(events))
		}
	})
}

// A card goes from bot to bot, a promotion a column.
func TestACardThatWasAnotherBotsBeforeTheEventChangesHands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "tester", Mode: trigger.Promote})
		is, _ := l.card(1)
		bot := "fixer"
		_, err := l.board.Update(t.Context(), is.ID, board.Patch{Bot: &bot}, board.Cause{})
		l.must(err)
		moved, err := l.board.Move(t.Context(), is.ID, board.StateReady, board.Cause{})
		l.must(err)
		tip, err := l.board.Tip(t.Context())
		l.must(err)
		rows := l.happen(trigger.Event{ID: fmt.Sprint("board:", tip), Source: trigger.SourceBoard, Kind: trigger.CardMoved, OccurredAt: time.Now(),
			Subject: trigger.Subject{Type: "card", ID: is.ID, State: moved.State}})
		l.work(time.Second)
		l.is(rows[0].ID, trigger.Done, 0, "the card is bot tester's now")
		if got, _ := l.board.Get(t.Context(), is.ID); got.Bot != "tester" {
			t.Errorf("the card is bot %s's", got.Bot)
		}
	})
}

func TestABotThatAPersonChoseMeanwhileStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", Mode: trigger.Promote, ConsumeLabels: true, Match: trigger.Match{AllLabels: []string{"once"}}})
		is, e := l.card(1, "once")
		bot := "mine"
		_, err := l.board.Update(t.Context(), is.ID, board.Patch{Bot: &bot}, board.Cause{})
		l.must(err)
		rows := l.happen(e)
		l.work(time.Second)
		l.is(rows[0].ID, trigger.Done, 0, "without effect: the card is bot mine's already")
		if got, _ := l.board.Get(t.Context(), is.ID); !slices.Equal(got.Labels, []string{"once"}) {
			t.Errorf("labels %v: the one-shot was spent on nothing", got.Labels)
		}
	})
}

func TestThePromotedRunsCardIsFoundByTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "reviewer", Mode: trigger.Promote})
		is, _ := l.card(1)
		l.happen(trigger.Event{ID: "run:r1:1", Source: trigger.SourceRun, Kind: trigger.RunFinished, RunID: "r1",
			Subject: trigger.Subject{Type: "run", ID: "r1", State: "finished"}, Payload: map[string]any{"issue_id": is.ID}})
		l.work(time.Second)
		if got, _ := l.board.Get(t.Context(), is.ID); got.Bot != "reviewer" {
			t.Errorf("the run's card is bot %q's", got.Bot)
		}
	})
}

// A label that two subscriptions consume is spent once.
func TestI8_TwoSubscriptionsSpendOneLabelOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		for _, id := range []string{"a", "b"} {
			l.subscribe(trigger.Subscription{ID: id, BotID: "fixer", ConsumeLabels: true, Match: trigger.Match{AllLabels: []string{"Once"}}})
		}
		is, e := l.card(1, "once", "ONCE", "stays")
		l.happen(e)
		_, stop := l.begin(func(w *trigger.Worker) { w.Board = slowBoard{l.board} })
		time.Sleep(time.Minute)
		synctest.Wait()
		stop()
		if len(l.launched) != 1 {
			t.Errorf("launched %v, want one", sortedKeys(l.launched))
		}
		outcomes := l.row("board:1|a").Outcome + l.row("board:1|b").Outcome
		if !strings.Contains(outcomes, "without effect: the labels were taken off the card before") {
			t.Errorf("outcomes: %s", outcomes)
		}
		if len(l.slots) != 1 {
			t.Errorf("slots %v, want the one of the launch", l.slots)
		}
		if got, _ := l.board.Get(t.Context(), is.ID); !slices.Equal(got.Labels, []string{"stays"}) {
			t.Errorf("labels %v", got.Labels)
		}
	})
}
