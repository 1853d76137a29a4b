package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/trigger"
)

// everything are subscriptions on all that can happen to cards and runs.
func everything() []string {
	var rows []string
	for n, kinds := range []string{"card.created", "card.moved", "card.labeled", "card.updated", "run.finished, run.failed, run.cancelled, run.paused"} {
		for _, mode := range []string{"direct", "board"} {
			rows = append(rows, fmt.Sprintf("{id: all-%d-%s, bot_id: shell, invocation: board, mode: %s, match: {kinds: [%s]}, vars: {command: 'true'}}", n, mode, mode, kinds))
		}
	}
	return rows
}

// Renames of columns and labels, a change of the schema and an import, over hundreds
// of cards and with subscriptions on everything, launch nothing and stamp nothing.
func TestI9_MachinesWritesLaunchNothing(t *testing.T) {
	w := newTriggers(t)
	const cards = 500
	var first board.Issue
	for n := range cards {
		first = w.make(board.Issue{Title: fmt.Sprint("card ", n), State: "backlog", Labels: []string{"old"}})
	}
	w.column("triage")
	if _, err := w.store.MoveAll(context.Background(), w.ids(), "triage", board.Cause{Actor: "ana"}); err != nil {
		t.Fatal(err)
	}
	w.subscribe(everything()...)
	w.armed()
	tip, err := w.store.Tip(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	w.ok("issue", "board", "rename-state", "triage", "sorting")
	w.ok("issue", "label", "rename", "old", "new")
	w.column("later")
	imported := w.path("cards.jsonl")
	var lines strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&lines, "{\"id\":\"native:00000000-0000-4000-8000-%012d\",\"title\":\"imported %d\",\"state\":\"sorting\"}\n", n, n)
	}
	if err := os.WriteFile(imported, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	w.ok("issue", "import", imported)
	events, err := w.store.Events(context.Background(), tip, 0)
	if err != nil || len(events) < 2*cards+1000 {
		t.Fatalf("%d events, %v: the story does not tell what it should", len(events), err)
	}
	w.eventually("all events were looked at", w.caughtUp)
	if rows := w.effects(); len(rows) > 0 {
		t.Errorf("%d effects, the first: %+v", len(rows), rows[len(rows)-1])
	}
	if runs := w.runs(); len(runs) > 0 {
		t.Errorf("%d runs, the first: %+v", len(runs), runs[0])
	}
	// The same subscriptions do fire for a person.
	w.move(first.ID, "backlog")
	w.eventually("a person's move launches", func() bool { return len(w.runs()) > 0 })
}

// column adds a column to the board.
func (w *triggers) column(name string) {
	w.t.Helper()
	ctx := context.Background()
	s, err := w.store.Schema(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	s.States = append(s.States, board.State{Name: name})
	if err := w.store.SetSchema(ctx, s, board.Cause{Actor: "ana"}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *triggers) ids() []string {
	var ids []string
	for _, is := range w.issues() {
		ids = append(ids, is.ID)
	}
	return ids
}

// What had happened before anybody listened launches nothing.
func TestAFreshSubscriptionReplaysNoHistory(t *testing.T) {
	w := newTriggers(t)
	is := w.make(board.Issue{Title: "old", State: "backlog"})
	for n := range 5000 {
		w.move(is.ID, []string{"inbox", "backlog"}[n%2])
		w.label(is.ID, fmt.Sprint("l", n%7))
	}
	w.ok("-q", "run", "shell", "--var", "command=true")
	old := len(w.runs())
	w.subscribe(everything()...)
	w.armed()
	w.emit("deploy", "1") // proof that the feeds are read
	w.eventually("all events were looked at", w.caughtUp)
	if rows := w.effects(); len(rows) > 0 || len(w.runs()) != old {
		t.Errorf("%d effects, %d runs; want none and %d", len(rows), len(w.runs()), old)
	}
}

// A launches B, and B launches A: the chain stops at its bound, with a row that names
// the loop.
func TestAChainOfRunsStopsAtItsBound(t *testing.T) {
	w := newTriggers(t,
		"{id: b-after-a, bot_id: ping, invocation: board, match: {kinds: [run.finished], authors: [pong]}}",
		"{id: a-after-b, bot_id: pong, invocation: board, match: {kinds: [run.finished], authors: [ping]}}")
	w.bot("ping", "true", "")
	w.bot("pong", "true", "")
	w.armed()
	w.ok("-q", "run", "ping")
	w.eventually("the chain was stopped", func() bool {
		return slices.ContainsFunc(w.effects(), func(e trigger.Effect) bool { return e.State == trigger.Failed })
	})
	var depths []int
	for _, r := range w.runs() {
		depths = append(depths, r.ChainDepth)
	}
	slices.Sort(depths)
	if want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(depths, want) {
		t.Errorf("runs of depths %v, want %v", depths, want)
	}
	for _, e := range w.effects() {
		if e.State == trigger.Failed && !strings.Contains(e.LastError, "ping -> pong -> ping") {
			t.Errorf("the loop is not named: %s", e.LastError)
		}
	}
}

// A bot that sends a card back, and the one that works it again, do not do so for ever:
// the runs of a card belong to the chain, too.
func TestAChainThatGoesOverACardStopsAtItsBound(t *testing.T) {
	w := newTriggers(t,
		"{id: look, bot_id: reviewer, invocation: board, match: {kinds: [card.moved], states: [review]}}")
	w.bot("worker", "true", "")
	w.bot("reviewer", `iterion issue move "$ITERION_SUBJECT_ID" --to ready`, "")
	w.armed()
	w.make(board.Issue{Title: "to and fro", Bot: "worker", State: "ready"})
	w.eventually("the chain was stopped", func() bool {
		return slices.ContainsFunc(w.effects(), func(e trigger.Effect) bool { return e.State == trigger.Failed })
	})
	var depths []int
	for _, r := range w.runs() {
		depths = append(depths, r.ChainDepth)
	}
	slices.Sort(depths)
	if want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(depths, want) {
		t.Errorf("runs of depths %v, want %v", depths, want)
	}
	for _, e := range w.effects() {
		if e.State == trigger.Failed && !strings.Contains(e.LastError, "worker -> reviewer") {
			t.Errorf("the loop is not named: %s", e.LastError)
		}
	}
}

// A card whose file cannot be read costs one effect, and none of the others.
func TestAPoisonedCardStopsNoOther(t *testing.T) {
	w := newTriggers(t, "{id: s, bot_id: shell, invocation: board, mode: board, match: {kinds: [card.labeled], all_labels: [go]}}")
	var all []board.Issue
	for n := range 100 {
		all = append(all, w.make(board.Issue{Title: fmt.Sprint("card ", n), State: "backlog"}))
	}
	d := w.armed()
	d.term()
	for _, is := range all {
		w.label(is.ID, "go")
	}
	poisoned := w.path(".iterion", "dispatcher", "issues", strings.ReplaceAll(all[50].ID, ":", "__")+".json")
	if err := os.WriteFile(poisoned, []byte("{\"id\": \"nat"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.armed()
	w.eventually("all events were looked at", w.caughtUp)
	stamped := 0
	for _, is := range w.issues() {
		if is.Bot == "shell" {
			stamped++
		}
	}
	if stamped != 99 {
		t.Errorf("%d cards are stamped, want 99", stamped)
	}
	st, _ := w.status()
	if st.Triggers == nil || st.Triggers.Broken != 1 || !strings.Contains(st.Triggers.LastBroken, "board:") {
		t.Errorf("the status does not tell of it: %+v", st.Triggers)
	}
}

// Two subscriptions want a card for different bots: it is one's, and stays.
func TestTwoPromotionsOfOneCard(t *testing.T) {
	w := newTriggers(t,
		"{id: a, bot_id: left, invocation: board, mode: board, match: {kinds: [card.moved], states: [ready]}}",
		"{id: b, bot_id: right, invocation: board, mode: board, match: {kinds: [card.moved], states: [ready]}}")
	count := w.path("count")
	w.bot("left", "echo left >> "+count, "")
	w.bot("right", "echo right >> "+count, "")
	w.armed()
	is := w.make(board.Issue{Title: "wanted", State: "backlog"})
	w.move(is.ID, "ready")
	w.eventually("the card was worked", func() bool { return w.issue(is.ID).State == board.StateReview })
	w.eventually("all events were looked at", w.caughtUp)
	if n := w.lines(count); n != 1 || len(w.runs()) != 1 {
		t.Errorf("bots ran %d times in %d runs, want once: %v", n, len(w.runs()), w.noted(count))
	}
}

// A promoted card runs exactly once, also when the dispatcher's own look finds it
// ready before its bot is stamped, or at the same time.
func TestAPromotedCardRunsOnce(t *testing.T) {
	w := newTriggers(t, "{id: s, bot_id: once, invocation: board, mode: board, match: {kinds: [card.moved], states: [ready]}}")
	count := w.path("count")
	w.bot("once", "echo $ITERION_ISSUE_ID >> "+count, "")
	w.write("fast.yaml", "polling: {interval_ms: 100}\nagent: {max_concurrent: 8}\n")
	w.armed("fast.yaml")
	const cards = 30
	for n := range cards {
		is := w.make(board.Issue{Title: fmt.Sprint("card ", n), State: "backlog"})
		w.move(is.ID, "ready")
	}
	w.eventually("all cards were worked", func() bool { return w.inState(board.StateReview) == cards })
	w.eventually("all events were looked at", w.caughtUp)
	for id, n := range w.noted(count) {
		if n != 1 {
			t.Errorf("card %s was worked %d times", id, n)
		}
	}
	if n := w.lines(count); n != cards {
		t.Errorf("bots ran %d times for %d cards", n, cards)
	}
	w.settled(cards)
}

// While dispatch is paused, what is owed waits; nothing is dropped.
func TestAPauseHoldsLaunchesAndDropsNone(t *testing.T) {
	w := newTriggers(t, "{id: s, bot_id: shell, invocation: board, match: {sources: [custom], kinds: [deploy]}, vars: {command: 'echo $ITERION_EVENT_ID >> count'}}")
	w.armed()
	w.ok("daemon", "pause", "--reason", "a freeze")
	for n := range 5 {
		w.emit("deploy", fmt.Sprint(n))
	}
	w.eventually("all launches are held", func() bool {
		held := slices.DeleteFunc(w.effects(), func(e trigger.Effect) bool { return !e.Held || !strings.Contains(e.LastError, "a freeze") })
		return len(held) == 5
	})
	w.eventually("the status tells of it", func() bool {
		st, _ := w.status()
		return st.Triggers != nil && st.Triggers.Pending == 5 && st.Triggers.InboxLag == 0
	})
	if runs := w.runs(); len(runs) > 0 {
		t.Errorf("%d runs while paused", len(runs))
	}
	w.ok("daemon", "unpause")
	began := time.Now()
	w.eventually("all were launched", func() bool { return len(w.noted(w.path("count"))) == 5 })
	if took := time.Since(began); took > patience/2 {
		t.Errorf("the end of the pause took %s to be noticed", took)
	}
	for _, r := range w.runs() {
		if r.Source.Kind != run.SourceTrigger || r.Source.SubscriptionID != "s" || !strings.HasPrefix(r.Source.EventID, "custom:") {
			t.Errorf("run %s comes from %+v", r.ID, r.Source)
		}
	}
}

// Outcomes of runs that ended while no daemon was there are told at its start.
func TestOutcomesOfRunsWithoutADaemonCount(t *testing.T) {
	w := newTriggers(t, "{id: s, bot_id: shell, invocation: board, match: {kinds: [run.failed], authors: [sad]}, vars: {command: 'echo $ITERION_SUBJECT_ID >> count'}}")
	w.bot("sad", "exit 1", "")
	d := w.armed()
	d.term()
	for range 3 {
		w.run("-q", "run", "sad")
	}
	w.armed()
	w.eventually("all outcomes were told", func() bool { return len(w.noted(w.path("count"))) == 3 })
	w.eventually("all events were looked at", w.caughtUp)
	if n := w.lines(w.path("count")); n != 3 {
		t.Errorf("launched %d times for 3 outcomes", n)
	}
}

// What happened while no daemon was there for a week is launched as the slots allow,
// and all of it.
func TestAWeekOfEventsIsLaunchedSlotBySlot(t *testing.T) {
	w := newTriggers(t, "{id: s, bot_id: slow, invocation: board, match: {kinds: [card.moved], states: [backlog]}}")
	w.bot("slow", fmt.Sprintf("echo begin >> %s; sleep 0.3; echo end >> %s", w.path("count"), w.path("count")), "")
	w.write("slots.yaml", "agent: {max_concurrent: 3}\n")
	d := w.armed("slots.yaml")
	d.term()
	const moves = 20
	for n := range moves {
		w.move(w.make(board.Issue{Title: fmt.Sprint("card ", n), State: "inbox"}).ID, "backlog")
	}
	w.ok("daemon", "slots.yaml", "--until-idle", "-q")
	data, err := os.ReadFile(w.path("count"))
	if err != nil {
		t.Fatal(err)
	}
	live, most := 0, 0
	for line := range strings.Lines(string(data)) {
		if line == "begin\n" {
			live++
		} else {
			live--
		}
		most = max(most, live)
	}
	if most > 3 || live != 0 || len(w.runs()) != moves {
		t.Errorf("at most %d at once, %d left, %d runs; want 3, 0 and %d", most, live, len(w.runs()), moves)
	}
}

// A one-shot label by CI: the CLI's own verbs, from the subscription to the dead letter
// and back.
func TestAOneShotFromLabelToDeadLetterAndBack(t *testing.T) {
	w := newTriggers(t, "{id: s, bot_id: late, invocation: board, match: {all_labels: [go]}, consume_labels: true}")
	w.armed()
	id := w.ok("-q", "issue", "create", "--title", "wanted", "--state", "backlog", "--label", "go")
	var dead trigger.Effect
	w.eventually("the launch of a bot that is not there has failed once", func() bool {
		rows := w.effects()
		if len(rows) == 1 {
			dead = rows[0]
		}
		return len(rows) == 1 && rows[0].Attempts == 1
	})
	if labels := w.issue(id).Labels; len(labels) > 0 || !dead.ConsumeMarked {
		t.Errorf("labels %v, marked: %t", labels, dead.ConsumeMarked)
	}
	w.bot("late", "echo $ITERION_SUBJECT_ID >> "+w.path("count"), "")
	w.ok("trigger", "effects", "retry", dead.ID)
	w.eventually("the bot ran", func() bool { return w.lines(w.path("count")) == 1 })
	w.eventually("the effect is done", func() bool { return w.effects()[0].State == trigger.Done })
	if runs := w.runs(); len(runs) != 1 || runs[0].ID != dead.RunID {
		t.Errorf("runs %v, want the one of the row, %s", runs, dead.RunID)
	}
}

// A daemon that works until nothing is left ends where there were no events, too.
func TestADaemonUntilIdleWaitsForNoEvents(t *testing.T) {
	w := newTriggers(t, everything()...)
	w.ok("-q", "run", "shell", "--var", "command=true")
	for range 3 {
		if code := w.start("daemon", "--until-idle", "-q").wait(); code != 0 {
			t.Errorf("exit %d", code)
		}
	}
}
