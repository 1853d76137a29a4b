package trigger_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/sched/trigger"
)

func TestADirectEffectLaunchesTheRunOfItsRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", ArgsVar: "prompt", Vars: map[string]string{"k": "sub"}})
		_, e := l.card(1)
		e.Payload = map[string]any{"vars": map[string]any{"k": "event", "n": 1.5}}
		e.RunID, e.ChainDepth = "r0", 2
		rows := l.happen(e)
		l.work(time.Second)
		l.is(rows[0].ID, trigger.Done, 0, "launched run "+rows[0].RunID)
		got := l.launched[rows[0].RunID]
		want := map[string]string{"k": "sub", "n": "1.5", "prompt": "card 1\n\ntext"}
		if !maps.Equal(got.Vars, want) || got.Subscription.BotID != "fixer" || got.ChainDepth != 3 || got.Event.ID != e.ID {
			t.Errorf("launched %+v, want vars %v and chain depth 3", got, want)
		}
		if len(l.slots) != 1 {
			t.Errorf("slots taken: %v, want the run's", l.slots)
		}
	})
}

// What is no longer owed when its turn comes ends without effect.
func TestTheSubscriptionIsReadAgainAtExecution(t *testing.T) {
	cases := map[string]struct {
		change func(*lab)
		want   string
	}{
		"gone":      {func(l *lab) { delete(l.subs, "s") }, "without effect: the subscription is gone"},
		"disabled":  {alter(func(s *trigger.Subscription) { s.Enabled = false }), "without effect: the subscription is not in force"},
		"broken":    {alter(func(s *trigger.Subscription) { s.Problem = "bad" }), "without effect: the subscription is not in force"},
		"tenant":    {alter(func(s *trigger.Subscription) { s.TenantID = "t" }), "without effect: the subscription is another tenant's"},
		"unmatched": {alter(func(s *trigger.Subscription) { s.Match.Kinds = []string{"x"} }), "without effect: the subscription no longer matches the event"},
		"retuned":   {alter(func(s *trigger.Subscription) { s.BotID = "other" }), "launched run run-board:1-s"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t)
				l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
				_, e := l.card(1)
				rows := l.happen(e)
				c.change(l)
				l.work(time.Second)
				l.is(rows[0].ID, trigger.Done, 0, c.want)
				if launched := len(l.launched) > 0; launched != (name == "retuned") {
					t.Errorf("launched: %t", launched)
				}
			})
		})
	}
}

func alter(f func(*trigger.Subscription)) func(*lab) {
	return func(l *lab) {
		s := l.subs["s"]
		f(&s)
		l.subs["s"] = s
	}
}

func TestSubscriptionsThatCannotBeReadKeepTheRowWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		_, e := l.card(1)
		rows := l.happen(e)
		l.subsErr = errors.New("triggers.yaml: line 3")
		_, stop := l.begin()
		defer stop()
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		l.is(rows[0].ID, trigger.Pending, 0, "read subscription s: triggers.yaml: line 3")
		l.mu.Lock()
		l.subsErr = nil
		l.mu.Unlock()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		l.is(rows[0].ID, trigger.Done, 0, "launched run "+rows[0].RunID)
	})
}

func TestAHeldLaunchWaitsUnspentAndKeepsItsLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", ConsumeLabels: true, Match: trigger.Match{AllLabels: []string{"once"}}})
		is, e := l.card(1, "once", "stays")
		rows := l.happen(e)
		l.held = "dispatch is paused"
		w, stop := l.begin()
		defer stop()
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		l.is(rows[0].ID, trigger.Pending, 0, "dispatch is paused")
		if got, _ := l.board.Get(t.Context(), is.ID); !slices.Equal(got.Labels, []string{"once", "stays"}) {
			t.Errorf("labels of a card whose launch is held: %v", got.Labels)
		}
		l.mu.Lock()
		l.held = ""
		l.mu.Unlock()
		w.Freed(1)
		synctest.Wait()
		l.is(rows[0].ID, trigger.Done, 0, "launched run "+rows[0].RunID)
		if got, _ := l.board.Get(t.Context(), is.ID); !slices.Equal(got.Labels, []string{"stays"}) {
			t.Errorf("labels of a card whose launch was made: %v", got.Labels)
		}
	})
}

// As many launches go on as slots become free, the oldest first.
func TestFreeSlotsGoToTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		l.free = 1
		var rows []trigger.Effect
		for n := range 5 {
			_, e := l.card(n)
			rows = append(rows, l.happen(e)...)
		}
		w, stop := l.begin(func(w *trigger.Worker) { w.HoldFor = 24 * time.Hour; w.Parallel = 1 })
		defer stop()
		time.Sleep(time.Minute)
		for n := range rows {
			synctest.Wait()
			if len(l.launched) != n+1 || l.launched[rows[n].RunID].RunID == "" {
				t.Fatalf("with %d slots so far: launched %v", n+1, sortedKeys(l.launched))
			}
			l.mu.Lock()
			clear(l.slots)
			l.mu.Unlock()
			w.Freed(1)
			time.Sleep(time.Minute)
		}
	})
}

func TestFailuresAreTriedAgainAndThenDeadLettered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		_, e := l.card(1)
		rows := l.happen(e)
		tries := 0
		l.onLaunch = func(context.Context, trigger.Launch) error { tries++; return errors.New("bot fixer is broken") }
		_, stop := l.begin()
		defer stop()
		time.Sleep(time.Hour)
		synctest.Wait()
		l.is(rows[0].ID, trigger.Failed, trigger.MaxAttempts, "bot fixer is broken")
		if tries != trigger.MaxAttempts || len(l.slots) != 0 {
			t.Errorf("%d tries, slots %v", tries, l.slots)
		}
		if !slices.Equal(l.verdicts, []string{"bot fixer is broken"}) {
			t.Errorf("verdicts on the binding: %q, want one", l.verdicts)
		}
		l.mu.Lock()
		l.onLaunch = nil
		l.mu.Unlock()
		if _, err := l.box.Retry(t.Context(), rows[0].ID, time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		l.is(rows[0].ID, trigger.Done, 0, "launched run "+rows[0].RunID)
		if !slices.Equal(l.verdicts, []string{"bot fixer is broken", ""}) {
			t.Errorf("verdicts on the binding: %q, want it cleared", l.verdicts)
		}
	})
}

func TestWhatCanNeverWorkFailsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		l.subscribe(trigger.Subscription{ID: "p", BotID: "fixer", Mode: trigger.Promote})
		l.onLaunch = func(context.Context, trigger.Launch) error {
			return fmt.Errorf("%w: input depth is missing", trigger.ErrRefused)
		}
		rows := l.happen(trigger.Event{ID: "custom:1", Source: trigger.SourceCustom, Kind: "deploy"})
		l.work(time.Second)
		l.is(rows[1].ID, trigger.Failed, 1, "refused: input depth is missing")
		l.is(rows[0].ID, trigger.Failed, 1, "refused: mode board needs a card, and the event is about none: use mode direct")
	})
}

func TestOnePoisonedRowStopsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", Mode: trigger.Promote})
		var poisoned string
		for n := range 100 {
			is, e := l.card(n)
			l.happen(e)
			if n == 50 {
				poisoned = is.ID
			}
		}
		before := l.board.Before
		l.board.Before = func(verb, id string) error {
			if id == poisoned {
				return &board.UnreadableError{ID: id, Err: errors.New("bad JSON")}
			}
			return before(verb, id)
		}
		_, stop := l.begin()
		defer stop()
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		n, err := l.box.Counts(t.Context())
		if err != nil || n[trigger.Done] != 99 || n[trigger.Failed] != 1 {
			t.Errorf("effects: %v, %v, want 99 done and one failed", n, err)
		}
		if e := l.row("board:50|s"); e.State != trigger.Failed || e.LastError == "" {
			t.Errorf("the poisoned one is %s: %q", e.State, e.LastError)
		}
	})
}

func TestAPanicIsTheRowsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		l.onLaunch = func(_ context.Context, launch trigger.Launch) error {
			if launch.Event.ID == "board:1" {
				panic("odd payload")
			}
			return nil
		}
		for n := range 3 {
			_, e := l.card(n)
			l.happen(e)
		}
		l.work(time.Second)
		l.is("board:1|s", trigger.Failed, 1, "refused: it made the worker panic: odd payload")
		l.is("board:2|s", trigger.Done, 0, "launched run run-board:2-s")
	})
}

func TestNoMoreThanParallelAreUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		l.onLaunch = func(context.Context, trigger.Launch) error { time.Sleep(time.Second); return nil }
		for n := range 30 {
			_, e := l.card(n)
			l.happen(e)
		}
		w, stop := l.begin(func(w *trigger.Worker) { w.Parallel = 3 })
		defer stop()
		time.Sleep(500 * time.Millisecond)
		if got := w.Health().Working; got != 3 {
			t.Errorf("%d rows are under way, want 3", got)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(l.launched) != 30 || l.most != 3 {
			t.Errorf("%d launched, at most %d at once; want 30 and 3", len(l.launched), l.most)
		}
	})
}

// A launch that takes longer than the horizon is nobody else's.
func TestTheClaimOfALongLaunchIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		l.onLaunch = func(context.Context, trigger.Launch) error { time.Sleep(5 * trigger.ClaimHorizon); return nil }
		_, e := l.card(1)
		rows := l.happen(e)
		_, stop := l.begin()
		defer stop()
		for range 4 {
			time.Sleep(trigger.ClaimHorizon)
			if stolen, err := l.box.Claim(t.Context(), time.Now(), 1); err != nil || len(stolen) > 0 {
				t.Fatalf("somebody else could claim it: %v, %v", stolen, err)
			}
		}
		time.Sleep(2 * trigger.ClaimHorizon)
		synctest.Wait()
		l.is(rows[0].ID, trigger.Done, 0, "launched run "+rows[0].RunID)
	})
}

func TestWhoLostItsClaimLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		cut := false
		l.onLaunch = func(ctx context.Context, _ trigger.Launch) error {
			<-ctx.Done()
			cut = true
			return ctx.Err()
		}
		_, e := l.card(1)
		rows := l.happen(e)
		_, stop := l.begin()
		defer stop()
		time.Sleep(time.Second)
		stolen, err := l.box.Claim(t.Context(), time.Now().Add(trigger.ClaimHorizon), 1)
		if err != nil || len(stolen) != 1 {
			t.Fatalf("claimed %v, %v", stolen, err)
		}
		time.Sleep(trigger.ClaimHorizon / 2)
		synctest.Wait()
		if got := l.row(rows[0].ID); !cut || got.ClaimID != stolen[0].ClaimID || got.State != trigger.Claimed {
			t.Errorf("cut off: %t, row: %s under %s", cut, got.State, got.ClaimID)
		}
	})
}

func TestAnOrderlyStopLetsWorkEndAndGivesTheRestBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		l.onLaunch = func(ctx context.Context, launch trigger.Launch) error {
			if launch.Event.ID == "board:0" {
				time.Sleep(2 * time.Second)
				return ctx.Err()
			}
			<-ctx.Done()
			return ctx.Err()
		}
		for n := range 3 {
			_, e := l.card(n)
			l.happen(e)
		}
		_, stop := l.begin(func(w *trigger.Worker) { w.Parallel = 2 })
		time.Sleep(time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the stop took %s, want the grace", took)
		}
		l.is("board:0|s", trigger.Done, 0, "launched run run-board:0-s")
		l.is("board:1|s", trigger.Pending, 0, "the daemon stopped meanwhile")
		l.is("board:2|s", trigger.Pending, 0, "")
		if e := l.row("board:1|s"); !e.Due(time.Now()) {
			t.Errorf("what was given back is due at %s", e.NotBefore)
		}
	})
}

// A run that exists means launched, whatever has changed since.
func TestARunThatExistsIsLaunchedWhateverHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		_, e := l.card(1)
		rows := l.happen(e)
		l.made[rows[0].RunID] = 1
		delete(l.subs, "s")
		l.held = "dispatch is paused"
		l.work(time.Second)
		l.is(rows[0].ID, trigger.Done, 0, "launched run "+rows[0].RunID)
	})
}

func TestTakenLabelsAreMarkedBeforeTheLaunch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", ConsumeLabels: true, Match: trigger.Match{AllLabels: []string{"once"}}})
		_, e := l.card(1, "once")
		rows := l.happen(e)
		l.onLaunch = func(context.Context, trigger.Launch) error {
			if !l.row(rows[0].ID).ConsumeMarked {
				t.Error("launched before the mark")
			}
			return errors.New("no")
		}
		l.work(time.Second)
		if e := l.row(rows[0].ID); !e.ConsumeMarked || e.State != trigger.Pending {
			t.Errorf("the row is %s, marked: %t", e.State, e.ConsumeMarked)
		}
	})
}
