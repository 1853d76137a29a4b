package run

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// asking makes a run that waits for an answer to raw.
func asking(t *testing.T, d *Dir, raw string) Record {
	t.Helper()
	rec := add(t, d, Record{Status: PausedHuman, Bot: "b",
		Awaiting: &Awaiting{InteractionID: "q1", Questions: json.RawMessage(raw)}})
	in := Interaction{ID: "q1", Questions: form(t, raw), AskedAt: time.Now().UTC()}
	if err := d.Ask(rec.ID, in); err != nil {
		t.Fatal(err)
	}
	return rec
}

func answersOf(t *testing.T, d *Dir, id string) string {
	t.Helper()
	data, err := os.ReadFile(d.file(id, AnswersFile))
	if err != nil {
		t.Fatal(err)
	}
	var compact map[string]any
	if err := json.Unmarshal(data, &compact); err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(compact)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func TestAnswersAreStoredAndTheRunGoesOnWaiting(t *testing.T) {
	d := newDir(t)
	rec := asking(t, d, `{"ship":{"type":"bool"},"depth":{"type":"number","default":2}}`)
	if done, err := d.Answered(rec); err != nil || done {
		t.Fatalf("answered before: %v, %v", done, err)
	}
	got, err := d.Answer(t.Context(), rec.ID, map[string]any{"ship": "yes"}, "ana")
	if err != nil || got.Status != PausedHuman || got.Awaiting == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if done, err := d.Answered(got); err != nil || !done {
		t.Errorf("not answered after: %v", err)
	}
	if text := answersOf(t, d, rec.ID); text != `{"depth":2,"ship":true}` {
		t.Errorf("the bot is given %s", text)
	}
	in, err := d.Interaction(rec.ID, "q1")
	if err != nil || in.AnsweredBy != "ana" || in.RunID != rec.ID || in.AskedAt.IsZero() {
		t.Errorf("%+v, %v", in, err)
	}
	if diff := cmp.Diff(map[string]any{"ship": true, "depth": json.Number("2")}, in.Answers); diff != "" {
		t.Error(diff)
	}
	if held, err := d.Locked(rec.ID); err != nil || held {
		t.Errorf("the lock is still held: %v", err)
	}
}

func TestASecondAnswerReplacesTheFirstAndSaysSo(t *testing.T) {
	d := newDir(t)
	rec := asking(t, d, `{"a":{"required":false},"b":{"required":false}}`)
	for _, values := range []map[string]any{{"a": "1"}, {"b": "2"}} {
		if _, err := d.Answer(t.Context(), rec.ID, values, "ana"); err != nil {
			t.Fatal(err)
		}
	}
	if text := answersOf(t, d, rec.ID); text != `{"b":"2"}` {
		t.Errorf("the bot is given %s", text)
	}
	events, err := d.Events(rec.ID, -1)
	if err != nil || len(events) != 2 {
		t.Fatalf("%v, %v", events, err)
	}
	for i, replaced := range []any{nil, true} {
		if e := events[i]; e.Type != EventAnswered || e.Data["replaced"] != replaced || e.Data["by"] != "ana" {
			t.Errorf("event %d: %+v", i, e)
		}
	}
}

func TestAWrongAnswerChangesNothing(t *testing.T) {
	d := newDir(t)
	rec := asking(t, d, `{"n":{"type":"number"}}`)
	var wrong *AnswerError
	if _, err := d.Answer(t.Context(), rec.ID, map[string]any{"n": "x"}, "ana"); !errors.As(err, &wrong) {
		t.Fatalf("%v", err)
	}
	if done, err := d.Answered(rec); done || err != nil {
		t.Errorf("answered: %v, %v", done, err)
	}
	if _, err := os.Stat(d.file(rec.ID, AnswersFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("answers.json: %v", err)
	}
	if events, err := d.Events(rec.ID, -1); err != nil || len(events) > 0 {
		t.Errorf("%v, %v", events, err)
	}
}

func TestOnlyARunThatWaitsIsAnswered(t *testing.T) {
	d := newDir(t)
	for _, s := range []Status{Queued, Running, PausedOperator, Finished, Failed, FailedResumable, Cancelled} {
		rec := add(t, d, Record{Status: s})
		var not *NotWaitingError
		if _, err := d.Answer(t.Context(), rec.ID, nil, "ana"); !errors.As(err, &not) || not.Status != s {
			t.Errorf("%s: %v", s, err)
		}
		if done, err := d.Answered(rec); done || err != nil {
			t.Errorf("%s: answered %v, %v", s, done, err)
		}
	}
	for _, id := range []string{NewID(), "..", ""} {
		if _, err := d.Answer(t.Context(), id, nil, "ana"); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestAnAnswerThatMeetsAResumeHearsOfIt(t *testing.T) {
	d := newDir(t)
	rec := asking(t, d, `"Q"`)
	lock, err := d.TryLock(rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var not *NotWaitingError
	if _, err := d.Answer(ctx, rec.ID, map[string]any{"answer": "x"}, "ana"); err == nil || errors.As(err, &not) {
		t.Errorf("%v", err)
	}
	rec.Status = Running
	if err := d.Save(rec); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Answer(t.Context(), rec.ID, map[string]any{"answer": "x"}, "ana"); !errors.As(err, &not) {
		t.Errorf("%v", err)
	}
}

// A kill between the steps of a second answer must leave a run that waits, never
// one whose bot is given other answers than the interaction tells.
func TestAKilledSecondAnswerLeavesTheRunWaiting(t *testing.T) {
	d := newDir(t)
	rec := asking(t, d, `"Q"`)
	if _, err := d.Answer(t.Context(), rec.ID, map[string]any{"answer": "first"}, "ana"); err != nil {
		t.Fatal(err)
	}
	// A folder in the place of answers.json ends the second answer where a kill would.
	path := d.file(rec.ID, AnswersFile)
	if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "x"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Answer(t.Context(), rec.ID, map[string]any{"answer": "second"}, "ana"); err == nil {
		t.Fatal("answered over a folder")
	}
	if done, err := d.Answered(rec); done || err != nil {
		t.Errorf("answered: %v, %v", done, err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Answer(t.Context(), rec.ID, map[string]any{"answer": "third"}, "ana"); err != nil {
		t.Fatal(err)
	}
	if text := answersOf(t, d, rec.ID); text != `{"answer":"third"}` {
		t.Errorf("the bot is given %s", text)
	}
}

func TestTheRecordsCopyOfAQuestionCountsWhereItsFileIsGone(t *testing.T) {
	d := newDir(t)
	rec := asking(t, d, `{"n":{"type":"number"}}`)
	if err := os.RemoveAll(d.file(rec.ID, interactionsDir)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Answer(t.Context(), rec.ID, map[string]any{"n": 3}, "ana"); err != nil {
		t.Fatal(err)
	}
	if done, err := d.Answered(rec); !done || err != nil {
		t.Errorf("answered: %v, %v", done, err)
	}
}

func TestAQuestionsIDLeadsNowhereElse(t *testing.T) {
	d := newDir(t)
	rec := add(t, d, Record{})
	if err := d.Ask(rec.ID, Interaction{ID: "../run"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("%v", err)
	}
	if _, err := d.Interaction(rec.ID, "../run"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestAClearedIntentIsGone(t *testing.T) {
	d := newDir(t)
	rec := add(t, d, Record{})
	if err := d.SetIntent(rec.ID, Intent{Verb: VerbCancel, By: "ana"}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is none
		if err := d.ClearIntent(rec.ID); err != nil {
			t.Fatal(err)
		}
	}
	if in, err := d.Intent(rec.ID); in != nil || err != nil {
		t.Errorf("%+v, %v", in, err)
	}
}
