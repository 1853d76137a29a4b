package trigger_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/sched/trigger"
)

// crashWorlds are what a worker is killed in the middle of. done says what is wrong
// with the world once all is over.
var crashWorlds = []struct {
	name string
	set  func(l *lab) (check func() string)
}{
	{"direct", func(l *lab) func() string {
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer"})
		_, e := l.card(1)
		l.happen(e)
		return func() string { return launchedOnce(l, "run-board:1-s") }
	}},
	{"direct one-shot", func(l *lab) func() string {
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", ConsumeLabels: true, Match: trigger.Match{AllLabels: []string{"once"}}})
		is, e := l.card(1, "once", "stays")
		l.happen(e)
		return func() string { return launchedOnce(l, "run-board:1-s") + labelsOf(l, is.ID, "stays") + takenOnce(l) }
	}},
	{"two one-shots of one label", func(l *lab) func() string {
		for _, id := range []string{"a", "b"} {
			l.subscribe(trigger.Subscription{ID: id, BotID: "fixer", ConsumeLabels: true, Match: trigger.Match{AllLabels: []string{"once"}}})
		}
		is, e := l.card(1, "once")
		l.happen(e)
		return func() string {
			if len(l.made) != 1 {
				return fmt.Sprintf("launched %v, want one; ", l.made)
			}
			return labelsOf(l, is.ID) + takenOnce(l)
		}
	}},
	{"promote", func(l *lab) func() string {
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", Mode: trigger.Promote})
		is, e := l.card(1)
		l.happen(e)
		return func() string { return stampedOnce(l, is.ID) }
	}},
	{"promote one-shot", func(l *lab) func() string {
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", Mode: trigger.Promote, ConsumeLabels: true, Match: trigger.Match{AllLabels: []string{"once"}}})
		is, e := l.card(1, "once")
		l.happen(e)
		return func() string { return stampedOnce(l, is.ID) + labelsOf(l, is.ID) + takenOnce(l) }
	}},
}

// A worker that dies at any of its steps, before or after the step has happened, leaves
// nothing that the next one does not bring to its end, once.
func TestI8_AWorkerMayDieAtEachOfItsSteps(t *testing.T) {
	for _, w := range crashWorlds {
		t.Run(w.name, func(t *testing.T) {
			steps := 0
			for at := 1; at == 1 || at <= steps; at++ {
				for _, after := range []bool{false, true} {
					synctest.Test(t, func(t *testing.T) {
						l := newLab(t)
						check := w.set(l)
						l.steps, l.dieAt, l.dieAfter = 0, at, after
						l.work(time.Second)
						if !l.dead {
							steps = max(steps, l.steps-1) // this many steps are all
						} else {
							steps = max(steps, l.steps)
						}
						l.dead, l.dieAt = false, 0
						l.slots = map[string]bool{} // those of a dead process
						l.work(30 * time.Minute)
						if wrong := check() + unended(l); wrong != "" {
							t.Errorf("died at step %d (after it: %t): %s", at, after, wrong)
						}
					})
				}
			}
			if steps < 5 {
				t.Errorf("the worker died at %d steps: the test looks at nothing", steps)
			}
		})
	}
}

// A worker that died between the taking of a label and its mark has taken it, whoever
// sets it again since: the new one is the next event's to spend.
func TestI8_ALabelThatIsSetAgainIsNotSpentTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", ConsumeLabels: true, Match: trigger.Match{AllLabels: []string{"once"}}})
		is, e := l.card(1, "once")
		l.happen(e)
		l.onStep = func(what string) error {
			if what == "outbox MarkConsumed" {
				l.dead = true
				return errDead
			}
			return nil
		}
		l.work(time.Second)
		l.dead, l.onStep = false, nil
		if got := labelsOf(l, is.ID); got != "" {
			t.Fatal(got)
		}
		for n := range 700 { // what happens meanwhile does not hide it
			_, err := l.board.Comment(t.Context(), is.ID, "ana", fmt.Sprint(n), board.Cause{})
			l.must(err)
		}
		_, err := l.board.Update(t.Context(), is.ID, board.Patch{AddLabels: []string{"once"}}, board.Cause{})
		l.must(err)
		again := e
		again.ID, again.OccurredAt = "board:2", time.Now()
		l.happen(again)
		l.work(30 * time.Minute)
		if len(l.made) != 2 {
			t.Errorf("launched %v, want one run for each time that the label was set", l.made)
		}
		if wrong := labelsOf(l, is.ID) + unended(l); wrong != "" {
			t.Error(wrong)
		}
	})
}

func TestALabelThatAPersonTookOffCallsTheLaunchOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		l.subscribe(trigger.Subscription{ID: "s", BotID: "fixer", ConsumeLabels: true, Match: trigger.Match{AllLabels: []string{"once"}}})
		is, e := l.card(1, "once")
		rows := l.happen(e)
		l.held = "dispatch is paused"
		l.work(time.Minute)
		_, err := l.board.Update(t.Context(), is.ID, board.Patch{RemoveLabels: []string{"once"}}, board.Cause{Actor: "ana"})
		l.must(err)
		l.held = ""
		l.work(10 * time.Minute)
		l.is(rows[0].ID, trigger.Done, 0, "without effect: the labels were taken off the card before")
		if len(l.made) > 0 || len(l.slots) > 0 {
			t.Errorf("launched %v, slots %v", l.made, l.slots)
		}
	})
}

func launchedOnce(l *lab, id string) string {
	if len(l.made) != 1 || l.made[id] != 1 {
		return fmt.Sprintf("launched %v, want %s once; ", l.made, id)
	}
	return ""
}

func labelsOf(l *lab, id string, want ...string) string {
	is, err := l.board.Get(l.t.Context(), id)
	if err != nil || !slices.Equal(is.Labels, want) {
		return fmt.Sprintf("labels %v (%v), want %v; ", is.Labels, err, want)
	}
	return ""
}

// takenOnce counts the takings that the board's log tells of.
func takenOnce(l *lab) string {
	n := 0
	events, err := l.board.Events(l.t.Context(), -1, 0)
	for _, e := range events {
		if len(e.Payload.LabelsRemoved) > 0 {
			n++
		}
	}
	if err != nil || n != 1 {
		return fmt.Sprintf("labels were taken off %d times (%v); ", n, err)
	}
	return ""
}

func stampedOnce(l *lab, id string) string {
	n := 0
	events, err := l.board.Events(l.t.Context(), -1, 0)
	for _, e := range events {
		if slices.Contains(e.Payload.Changed, "bot") {
			n++
		}
	}
	is, gerr := l.board.Get(l.t.Context(), id)
	if err != nil || gerr != nil || n != 1 || is.Bot != "fixer" || !slices.Contains(l.nudged, id) {
		return fmt.Sprintf("stamped %d times, bot %q, nudged %v (%v, %v); ", n, is.Bot, l.nudged, err, gerr)
	}
	return ""
}

// unended names a row that has not come to its end well.
func unended(l *lab) string {
	rows, err := l.box.List(l.t.Context(), trigger.EffectQuery{})
	if err != nil {
		return err.Error()
	}
	for _, e := range rows {
		if e.State != trigger.Done {
			return fmt.Sprintf("effect %s is %s: %s; ", e.ID, e.State, e.LastError)
		}
	}
	return ""
}
