package trigger_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/native/run"
	"iterion/sched/trigger"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// records is a run store that holds these records alone.
type records map[string]run.Record

func (r records) Get(id string) (run.Record, error) {
	if rec, ok := r[id]; ok {
		return rec, nil
	}
	return run.Record{}, fmt.Errorf("run %s: %w", id, run.ErrNotFound)
}

func (r records) List(run.Query) (run.Listing, error) {
	var l run.Listing
	for _, rec := range r {
		l.Records = append(l.Records, rec)
	}
	return l, nil
}

// everything matches all events.
func everything(ids ...string) []trigger.Subscription {
	var out []trigger.Subscription
	for _, id := range ids {
		out = append(out, trigger.Subscription{ID: id, BotID: "bot-" + id, Invocation: trigger.OnBoard, Mode: trigger.Direct, Enabled: true})
	}
	return out
}

func evaluate(t *testing.T, v trigger.Evaluator, subs []trigger.Subscription, events ...trigger.Event) trigger.Verdict {
	t.Helper()
	return ok(v.Evaluate(events, subs, now))(t)
}

func outcome(rec run.Record) trigger.Event {
	e, told := trigger.FromRun(rec)
	if !told {
		panic("no outcome")
	}
	return e
}

func TestEachSubscriptionIsOwedOneEffectOfAnEvent(t *testing.T) {
	e := trigger.Event{ID: "board:7", Source: trigger.SourceBoard, Kind: trigger.CardLabeled}
	again := e
	again.Kind = trigger.CardUpdated
	n := 0
	v := trigger.Evaluator{NewID: func() string { n++; return fmt.Sprintf("run-%d", n) }}
	got := evaluate(t, v, everything("a", "b"), e, again, trigger.Event{ID: "custom:1", Source: trigger.SourceCustom})
	var ids []string
	for _, r := range got.Rows {
		ids = append(ids, r.ID+" "+r.RunID+" "+r.Event.Kind)
		if r.State != trigger.Pending || r.Kind != trigger.EffectLaunch || !r.CreatedAt.Equal(now) {
			t.Errorf("row %+v", r)
		}
	}
	want := []string{"board:7|a run-1 card.labeled", "board:7|b run-2 card.labeled", "custom:1|a run-3 ", "custom:1|b run-4 "}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
	if got.Events != 2 {
		t.Errorf("looked at %d events", got.Events)
	}
}

func TestI9_SilentEventsOweNothing(t *testing.T) {
	got := evaluate(t, trigger.Evaluator{}, everything("a"),
		trigger.Event{ID: "1", Source: trigger.SourceBoard, Reason: "import"},
		trigger.Event{ID: "2", Source: trigger.SourceManual, LaunchedRunID: "r"})
	if len(got.Rows) > 0 || got.Silent != 2 {
		t.Errorf("%+v", got)
	}
}

func TestARunsOutcomeIsCheckedAgainstItsRecord(t *testing.T) {
	rec := run.Record{ID: "r", Bot: "lint", Status: run.Failed, OutcomeSeq: 2}
	told := outcome(rec)
	for _, c := range []struct {
		name   string
		record func(*run.Record)
		event  func(*trigger.Event)
		why    string // empty: believed
	}{
		{name: "the record agrees"},
		{name: "the run was resumed since", record: func(r *run.Record) { r.Status = run.Running }},
		{name: "the run has come to another end since", record: func(r *run.Record) { r.Status, r.OutcomeSeq = run.Finished, 3 }},
		{name: "a pause", record: func(r *run.Record) { r.Status = run.PausedHuman },
			event: func(e *trigger.Event) {
				*e = outcome(run.Record{ID: "r", Bot: "lint", Status: run.PausedHuman, OutcomeSeq: 2})
			}},
		{name: "a pause that is over", record: func(r *run.Record) { r.Status = run.Running },
			event: func(e *trigger.Event) {
				*e = outcome(run.Record{ID: "r", Bot: "lint", Status: run.PausedOperator, OutcomeSeq: 2})
			}},

		{name: "no status", event: func(e *trigger.Event) { e.Subject.State = "" }, why: "does not say"},
		{name: "a record without status", record: func(r *run.Record) { r.Status = "" }, why: "no status"},
		{name: "a status that is no outcome", event: func(e *trigger.Event) { e.Subject.State = "running" }, why: "neither an end nor a pause"},
		{name: "a status that there is not", event: func(e *trigger.Event) { e.Subject.State = "splendid" }, why: "neither an end nor a pause"},
		{name: "a kind of another status", event: func(e *trigger.Event) { e.Kind = trigger.RunFinished }, why: "does not go with"},
		{name: "two statuses", event: func(e *trigger.Event) { e.Payload = map[string]any{"status": "finished"} }, why: "claims"},
		{name: "another end than the record's", record: func(r *run.Record) { r.Status = run.Finished }, why: "the run is finished"},
		{name: "an outcome that has not been", event: func(e *trigger.Event) { e.OutcomeSeq = 3 }, why: "outcome 3"},
		{name: "an end without its number", event: func(e *trigger.Event) { e.OutcomeSeq = 0 }, why: "which outcome"},
		{name: "another bot", event: func(e *trigger.Event) { e.Payload = map[string]any{"bot": "deploy"} }, why: "bot was deploy"},
		{name: "two runs", event: func(e *trigger.Event) { e.Subject.ID = "other" }, why: "another run"},
		{name: "no run", event: func(e *trigger.Event) { e.RunID = "" }, why: "names no run"},
		{name: "a run that is not there", event: func(e *trigger.Event) { e.RunID = "gone" }, why: "not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, e := rec, told
			if c.record != nil {
				c.record(&r)
			}
			if c.event != nil {
				c.event(&e)
			}
			log := &strings.Builder{}
			v := trigger.Evaluator{Run: records{"r": r}.Get, Log: logTo(log)}
			got := evaluate(t, v, everything("a"), e)
			if believed := c.why == ""; believed != (len(got.Rows) == 1) || believed == (got.Dropped == 1) {
				t.Fatalf("%+v\n%s", got, log)
			}
			if !strings.Contains(log.String(), c.why) {
				t.Errorf("the warning does not say %q: %s", c.why, log)
			}
		})
	}
}

func TestAStoreThatCannotBeAskedStopsTheEvaluation(t *testing.T) {
	down := errors.New("too many open files")
	v := trigger.Evaluator{Run: func(string) (run.Record, error) { return run.Record{}, down }}
	e := outcome(run.Record{ID: "r", Status: run.Finished, OutcomeSeq: 1})
	if _, err := v.Evaluate([]trigger.Event{e}, everything("a"), now); !errors.Is(err, down) {
		t.Errorf("got %v", err)
	}
	v.Run = func(id string) (run.Record, error) { return run.Record{}, &run.UnreadableError{ID: id, Err: down} }
	if got := evaluate(t, v, everything("a"), e); got.Dropped != 1 {
		t.Errorf("an unreadable record: %+v", got)
	}
}

// A finishes and launches B, which finishes and launches A: the last launch that is
// allowed is the one at the bound.
func TestAChainOfBotsStopsAtItsBoundAndNamesTheLoop(t *testing.T) {
	subs := []trigger.Subscription{
		{ID: "on-a", BotID: "b", Invocation: trigger.OnBoard, Mode: trigger.Direct, Enabled: true, Match: trigger.Match{Authors: []string{"a"}}},
		{ID: "on-b", BotID: "a", Invocation: trigger.OnBoard, Mode: trigger.Direct, Enabled: true, Match: trigger.Match{Authors: []string{"b"}}},
	}
	runs := records{}
	v := trigger.Evaluator{Run: runs.Get, MaxChain: 3}
	rec := run.Record{ID: "r0", Bot: "a", Status: run.Finished, OutcomeSeq: 1}
	for depth := 0; ; depth++ {
		runs[rec.ID] = rec
		rows := evaluate(t, v, subs, outcome(rec)).Rows
		if len(rows) != 1 {
			t.Fatalf("depth %d: %d rows", depth, len(rows))
		}
		if rows[0].State == trigger.Failed {
			if depth != 3 || rows[0].LastError != "chain depth 4 exceeds 3: a -> b -> a -> b -> a" {
				t.Errorf("refused behind depth %d: %s", depth, rows[0].LastError)
			}
			return
		}
		if depth > 3 {
			t.Fatal("it goes on for ever")
		}
		bot := map[string]string{"on-a": "b", "on-b": "a"}[rows[0].SubscriptionID]
		rec = run.Record{
			ID: rows[0].RunID, Bot: bot, Status: run.Finished, OutcomeSeq: 1, ChainDepth: trigger.LaunchDepth(rows[0].Event),
			Source: run.Source{Kind: run.SourceTrigger, EventID: rows[0].EventID, SubscriptionID: rows[0].SubscriptionID},
		}
	}
}

func TestWhatABotWritesLengthensItsChain(t *testing.T) {
	runs := records{"deep": {ID: "deep", Bot: "a", ChainDepth: trigger.DefaultMaxChain, Status: run.Running}}
	v := trigger.Evaluator{Run: runs.Get}
	e := trigger.Event{ID: "board:1", Source: trigger.SourceBoard, Kind: trigger.CardMoved, ByRun: "deep"}
	rows := evaluate(t, v, everything("a"), e).Rows
	if len(rows) != 1 || rows[0].State != trigger.Failed || !strings.Contains(rows[0].LastError, "chain depth 9 exceeds 8") {
		t.Errorf("%+v", rows)
	}
	e.ByRun = "gone" // pruned: the write happened all the same
	rows = evaluate(t, v, everything("a"), e).Rows
	if len(rows) != 1 || rows[0].State != trigger.Pending || trigger.LaunchDepth(rows[0].Event) != 1 {
		t.Errorf("%+v", rows)
	}
	e.ByRun = ""
	if rows = evaluate(t, v, everything("a"), e).Rows; trigger.LaunchDepth(rows[0].Event) != 0 {
		t.Errorf("a person's write: depth %d", trigger.LaunchDepth(rows[0].Event))
	}
}
