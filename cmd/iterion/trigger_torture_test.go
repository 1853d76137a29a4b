package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/trigger"
)

var triggerKills = flag.Int("trigger-kills", 0, "how often the daemon is killed while triggers fire; 0: as often as fits into a run of all tests")

// tortureTriggers is how long the daemon is being killed while triggers fire.
const tortureTriggers = 12 * time.Second

// The daemon is killed at random instants while cards are made, labelled and moved,
// events are left and runs end. Whatever the instants were: in the end each event has
// had the effect that it owes, no launch was made twice, and each one-shot was spent
// once. The check reads the board's log, the runs' records, and what the bots noted.
func TestI8_TriggersUnderKill(t *testing.T) {
	tt := newTriggerTorture(t, torment(t))
	began := time.Now()
	for more := true; more; {
		tt.round()
		if more = time.Since(began) < tortureTriggers; *triggerKills > 0 {
			more = tt.kills < *triggerKills
		}
	}
	tt.ok("daemon", "torture.yaml", "--until-idle", "-q")
	tt.retry()
	tt.check()
	t.Logf("%d kills, %d effects, %d runs, %d bots began", tt.kills, len(tt.effects()), len(tt.runs()), tt.lines(tt.path("notes")))
}

type triggerTorture struct {
	*triggers
	rand  *rand.Rand
	kills int
	from  int64 // the board's tip before the first event that counts
	cards []string
	keys  []string // of the events that were left
}

func newTriggerTorture(t *testing.T, r *rand.Rand) *triggerTorture {
	direct := func(id, match, more string) string {
		return fmt.Sprintf("{id: %s, bot_id: noter, invocation: board, mode: direct, match: {%s}%s}", id, match, more)
	}
	tt := &triggerTorture{rand: r, triggers: newTriggers(t,
		direct("created", "kinds: [card.created]", ""),
		direct("moved", "kinds: [card.moved], states: [backlog]", ""),
		direct("once", "kinds: [card.labeled], all_labels: [once]", ", consume_labels: true"),
		direct("custom", "sources: [custom], kinds: [deploy]", ""),
		direct("outcome", "kinds: [run.finished], authors: [plain]", ""),
		"{id: promote, bot_id: worker, invocation: board, mode: board, match: {kinds: [card.moved], states: [ready]}}",
	)}
	tt.bot("noter", fmt.Sprintf("echo \"$ITERION_TRIGGER $ITERION_EVENT_ID\" >> %s", tt.path("notes")), "")
	tt.bot("worker", "true", "")
	tt.bot("plain", "true", "")
	tt.write("torture.yaml", "agent: {max_concurrent: 6, max_retry_backoff_ms: 50}\npolling: {interval_ms: 500}\n")
	d := tt.armed("torture.yaml")
	d.kill9()
	var err error
	if tt.from, err = tt.store.Tip(context.Background()); err != nil {
		t.Fatal(err)
	}
	return tt
}

// round lets a daemon work for a moment while things happen, and kills it.
func (tt *triggerTorture) round() {
	d := tt.start("daemon", "torture.yaml")
	for n := 1 + tt.rand.IntN(3); n > 0; n-- {
		time.Sleep(time.Duration(tt.rand.IntN(120)) * time.Millisecond)
		tt.happen()
	}
	time.Sleep(time.Duration(tt.rand.IntN(400)) * time.Millisecond)
	d.kill9()
	tt.kills++
}

func (tt *triggerTorture) happen() {
	what := tt.rand.IntN(12)
	if len(tt.cards) < 3 {
		what = 0
	}
	switch {
	case what < 2:
		is := tt.make(board.Issue{Title: fmt.Sprint("card ", len(tt.cards)), State: "inbox"})
		tt.cards = append(tt.cards, is.ID)
	case what < 4:
		id := tt.cards[tt.rand.IntN(len(tt.cards))]
		if is := tt.get(id); is.State == "inbox" || is.State == "backlog" {
			tt.move(id, map[string]string{"inbox": "backlog", "backlog": "inbox"}[is.State])
		}
	case what < 8:
		tt.label(tt.cards[tt.rand.IntN(len(tt.cards))], "once")
	case what < 10:
		tt.keys = append(tt.keys, fmt.Sprint(len(tt.keys)))
		tt.emit("deploy", tt.keys[len(tt.keys)-1])
	case what == 10:
		tt.run("-q", "run", "plain")
	default:
		id := tt.cards[tt.rand.IntN(len(tt.cards))]
		if is := tt.get(id); is.State == "inbox" || is.State == "backlog" {
			tt.move(id, "ready")
		}
	}
}

func (tt *triggerTorture) get(id string) board.Issue {
	tt.t.Helper()
	is, err := tt.store.Get(context.Background(), id)
	if err != nil {
		tt.t.Fatal(err)
	}
	return is
}

// retry lets the rows go on whose worker was killed too often. They are kept, they say
// why, and nothing else has failed.
func (tt *triggerTorture) retry() {
	tt.t.Helper()
	failed := slices.DeleteFunc(tt.effects(), func(e trigger.Effect) bool { return e.State != trigger.Failed })
	for _, e := range failed {
		if e.Attempts != trigger.MaxAttempts || !strings.Contains(e.LastError, "did not come to an end") {
			tt.t.Errorf("effect %s failed after %d attempts: %s", e.ID, e.Attempts, e.LastError)
		}
		tt.ok("trigger", "effects", "retry", e.ID)
	}
	if len(failed) > 0 {
		tt.t.Logf("%d effects were dead-lettered and tried again", len(failed))
		tt.ok("daemon", "torture.yaml", "--until-idle", "-q")
	}
}

// owed returns the ids of the effects that must be there, from what happened.
func (tt *triggerTorture) owed() []string {
	tt.t.Helper()
	events, err := tt.store.Events(context.Background(), tt.from, 0)
	if err != nil {
		tt.t.Fatal(err)
	}
	var ids []string
	for _, e := range events {
		owe := func(sub string) { ids = append(ids, fmt.Sprintf("board:%d|%s", e.Seq, sub)) }
		switch {
		case e.Type == board.EventIssueCreated:
			owe("created")
		case e.Type == board.EventIssueStateChanged && e.Payload.To == "backlog":
			owe("moved")
		case e.Type == board.EventIssueStateChanged && e.Payload.To == "ready" && e.Payload.ByActor == "ana": // the dispatcher puts cards back there, too
			owe("promote")
		}
	}
	for _, k := range tt.keys {
		ids = append(ids, "custom:"+k+"|custom")
	}
	for _, r := range tt.runs() {
		if r.Bot == "plain" {
			ids = append(ids, fmt.Sprintf("run:%s:%d|outcome", r.ID, r.OutcomeSeq))
		}
	}
	return ids
}

func (tt *triggerTorture) check() {
	tt.t.Helper()
	rows := map[string]trigger.Effect{}
	for _, e := range tt.effects() {
		rows[e.ID] = e
		if e.State != trigger.Done {
			tt.t.Errorf("effect %s is %s after %d attempts: %s", e.ID, e.State, e.Attempts, e.LastError)
		}
	}
	for _, id := range tt.owed() {
		if _, there := rows[id]; !there {
			tt.t.Errorf("effect %s was never made", id)
		}
	}
	tt.checkLaunches(rows)
	tt.checkOneShots(rows)
	for _, is := range tt.issues() {
		if is.Bot == "worker" && (is.State != board.StateReview || is.Claim != "") {
			tt.t.Errorf("the promoted card %s is in %s, claim %q", is.ID, is.State, is.Claim)
		}
	}
}

// checkLaunches: each row that says so has its run, and each run of a trigger its row;
// a bot ran once, or not at all where its launcher was killed before it began.
func (tt *triggerTorture) checkLaunches(rows map[string]trigger.Effect) {
	tt.t.Helper()
	byID := map[string]run.Record{}
	for _, r := range tt.runs() {
		byID[r.ID] = r
		if r.Source.Kind != run.SourceTrigger {
			continue
		}
		id := trigger.EffectID(r.Source.EventID, r.Source.SubscriptionID)
		if rows[id].RunID != r.ID {
			tt.t.Errorf("run %s came of %s, whose run is %s", r.ID, id, rows[id].RunID)
		}
	}
	data, _ := os.ReadFile(tt.path("notes"))
	noted := map[string]int{}
	for line := range strings.Lines(string(data)) {
		sub, event, _ := strings.Cut(strings.TrimSpace(line), " ")
		noted[trigger.EffectID(event, sub)]++
	}
	for id, e := range rows {
		launched := strings.HasPrefix(e.Outcome, "launched run")
		r, made := byID[e.RunID]
		lost := r.FailureCode == run.CodeSupervisorLost
		switch {
		case e.SubscriptionID == "promote" && (made || noted[id] > 0):
			tt.t.Errorf("a promotion made a run of its own: %s", id)
		case e.SubscriptionID == "promote":
		case launched != made:
			tt.t.Errorf("effect %s: %q, and its run exists: %t", id, e.Outcome, made)
		case noted[id] > 1, launched && !lost && noted[id] != 1, !launched && noted[id] > 0:
			tt.t.Errorf("effect %s: %q, its bot ran %d times (run %s: %s)", id, e.Outcome, noted[id], r.Status, cmp.Or(r.Error, "no error"))
		}
	}
}

// checkOneShots: each taking of a label is a launch's, and each launch's is one.
func (tt *triggerTorture) checkOneShots(rows map[string]trigger.Effect) {
	tt.t.Helper()
	events, err := tt.store.Events(context.Background(), tt.from, 0)
	if err != nil {
		tt.t.Fatal(err)
	}
	set, taken := 0, map[string]int{}
	for _, e := range events {
		if slices.Contains(e.Payload.LabelsAdded, "once") {
			set++
		}
		if slices.Contains(e.Payload.LabelsRemoved, "once") {
			taken[e.Payload.ByRun]++
		}
	}
	launched := 0
	for _, e := range rows {
		if e.SubscriptionID != "once" || !strings.HasPrefix(e.Outcome, "launched run") {
			continue
		}
		if launched++; taken[e.RunID] != 1 {
			tt.t.Errorf("effect %s launched and took its label %d times", e.ID, taken[e.RunID])
		}
	}
	if launched != set || len(taken) != set {
		tt.t.Errorf("labels were set %d times, taken by %d, and launched %d times", set, len(taken), launched)
	}
	for _, is := range tt.issues() {
		if slices.Contains(is.Labels, "once") {
			tt.t.Errorf("card %s still bears its label", is.ID)
		}
	}
}

// BenchmarkTriggerLatency is how long it takes from a move of a card until the bot of
// a trigger in promote mode runs.
func BenchmarkTriggerLatency(b *testing.B) {
	w := newTriggers(b, "{id: s, bot_id: timer, invocation: board, mode: board, match: {kinds: [card.moved], states: [ready]}}")
	w.bot("timer", fmt.Sprintf("date +%%s%%N > %s/$ITERION_ISSUE_IDENTIFIER", w.dir), "")
	d := w.armed()
	defer d.term()
	var took []time.Duration
	for b.Loop() {
		is := w.make(board.Issue{Title: "timed", State: "backlog"})
		time.Sleep(50 * time.Millisecond)
		began := time.Now()
		w.move(is.ID, "ready")
		path := w.path(board.ShortID(is.ID))
		var at int64
		w.eventually("the bot ran", func() bool {
			data, _ := os.ReadFile(path)
			_, err := fmt.Sscan(string(data), &at)
			return err == nil
		})
		took = append(took, time.Unix(0, at).Sub(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Milliseconds()), "p95-ms")
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "p50-ms")
	b.ReportMetric(0, "ns/op")
}
