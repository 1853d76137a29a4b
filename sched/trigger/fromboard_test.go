package trigger_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/native/board"
	"iterion/native/board/boardtest"
	"iterion/native/run"
	"iterion/sched/trigger"
)

// desk is a board in memory whose verbs are told as events.
type desk struct {
	*testing.T
	*boardtest.Memory
	seen int64
}

func newDesk(t *testing.T) *desk {
	return &desk{T: t, Memory: boardtest.NewMemory(), seen: -1}
}

// fataler is what ok needs of a test.
type fataler interface {
	Helper()
	Fatal(...any)
}

func ok[V any](v V, err error) func(fataler) V {
	return func(t fataler) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (d *desk) create(draft board.Issue, by board.Cause) board.Issue {
	d.Helper()
	if draft.Title == "" {
		draft.Title = "card"
	}
	return ok(d.Create(d.Context(), draft, by))(d)
}

func (d *desk) move(id, to string, by board.Cause) {
	d.Helper()
	ok(d.Move(d.Context(), id, to, by))(d)
}

func (d *desk) update(id string, p board.Patch, by board.Cause) {
	d.Helper()
	ok(d.Update(d.Context(), id, p, by))(d)
}

// fires returns the readings of what happened since it was last asked, silent ones
// left out.
func (d *desk) fires() []trigger.Event {
	d.Helper()
	var out []trigger.Event
	for _, e := range ok(d.Events(context.Background(), d.seen, 0))(d) {
		d.seen = e.Seq
		if card, err := d.Get(context.Background(), e.IssueID); err == nil {
			for _, r := range trigger.FromBoard(e, card) {
				if trigger.Silent(r) == "" {
					out = append(out, r)
				}
			}
		}
	}
	return out
}

// told is the short form of a reading.
func told(events []trigger.Event) []string {
	out := []string{}
	for _, e := range events {
		out = append(out, e.Kind+" "+e.Action+" "+e.Subject.State)
	}
	return out
}

var person = board.Cause{Actor: "ana"}

func TestWhatTheBoardTellsOfACard(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		name string
		do   func(d *desk, id string)
		want []string
	}{
		{"a move tells of the column that it led to", func(d *desk, id string) {
			d.move(id, "ready", person)
			d.move(id, "review", person)
		}, []string{"card.moved moved ready", "card.moved moved review"}},
		{"added labels", func(d *desk, id string) { d.update(id, board.Patch{AddLabels: []string{"x"}}, person) },
			[]string{"card.labeled labeled inbox"}},
		{"labels taken off are an update", func(d *desk, id string) { d.update(id, board.Patch{RemoveLabels: []string{"old"}}, person) },
			[]string{"card.updated updated inbox"}},
		{"labels and more have two readings", func(d *desk, id string) {
			d.update(id, board.Patch{AddLabels: []string{"x"}, Title: text("new")}, person)
		}, []string{"card.labeled labeled inbox", "card.updated updated inbox"}},
		{"a new title", func(d *desk, id string) { d.update(id, board.Patch{Title: text("new")}, person) },
			[]string{"card.updated updated inbox"}},
		{"a comment", func(d *desk, id string) { ok(d.Comment(d.Context(), id, "ana", "hm", person))(d) },
			[]string{"card.updated commented inbox"}},
		{"a claim and its release", func(d *desk, id string) {
			is := ok(d.Claim(d.Context(), id, "m", time.Minute, person))(d)
			ok(d.Release(d.Context(), id, is.Fence(), person))(d)
		}, []string{}},
		{"a label that is renamed, merged and deleted", func(d *desk, id string) {
			ok(d.Relabel(d.Context(), board.RenameLabel("old", "new"), person))(d)
			ok(d.Relabel(d.Context(), board.DeleteLabel("new"), person))(d)
		}, []string{}},
		{"an import", func(d *desk, id string) {
			is := ok(d.Get(d.Context(), id))(d)
			is.State, is.Labels = "ready", []string{"x"}
			if _, did, err := d.Import(d.Context(), board.Record{Issue: is}, person); err != nil || did != board.ImportUpdated {
				d.Fatal(did, err)
			}
		}, []string{}},
		{"a deletion", func(d *desk, id string) {
			if err := d.Delete(d.Context(), id, true, person); err != nil {
				d.Fatal(err)
			}
		}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			id := d.create(board.Issue{Labels: []string{"old"}}, person).ID
			d.fires()
			c.do(d, id)
			if diff := cmp.Diff(c.want, told(d.fires())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnEventBearsItsCardAsItIsNow(t *testing.T) {
	d := newDesk(t)
	card := d.create(board.Issue{Title: "one", Body: "text", External: &board.External{URL: "https://x/1", Repo: "o/r"}}, board.Cause{Actor: "ana", RunID: "run-1"})
	title := "two"
	d.update(card.ID, board.Patch{Title: &title, AddLabels: []string{"l"}}, board.Cause{Actor: trigger.Actor})
	got := d.fires()[0]
	want := trigger.Event{
		ID: "board:0", Source: trigger.SourceBoard, Kind: trigger.CardCreated, Action: "created", Repo: "o/r",
		Subject: trigger.Subject{Type: "card", ID: card.ID, URL: "https://x/1", Title: "two", Body: "text", State: "inbox"},
		Actor:   "ana", Labels: []string{"l"}, OccurredAt: card.CreatedAt, ByRun: "run-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAMoveFromAChainOfBlockersFires(t *testing.T) {
	d := newDesk(t)
	first := d.create(board.Issue{}, person).ID
	d.create(board.Issue{State: "waiting_deps", Blockers: []string{first}}, person)
	d.fires()
	d.move(first, "done", person)
	if diff := cmp.Diff([]string{"card.moved moved done", "card.moved unblocked backlog"}, told(d.fires())); diff != "" {
		t.Error(diff)
	}
}

func TestI9_TheDispatchersWritesOnACardFireOnlyTheRunsVerdict(t *testing.T) {
	d := newDesk(t)
	ctx, by := t.Context(), board.Cause{Actor: "dispatcher"}
	id := d.create(board.Issue{State: "ready"}, person).ID
	d.fires()
	is := ok(d.Claim(ctx, id, "m", time.Minute, by))(t)
	f := is.Fence()
	ok(d.SetState(ctx, id, f, board.Filing{To: "in_progress"}, by))(t)
	ok(d.SetLastRun(ctx, id, f, board.RunRef{RunID: "r"}, by))(t)
	ok(d.SetAwaitingInput(ctx, id, f, true, by))(t)
	ok(d.SetState(ctx, id, f, board.Filing{To: "awaiting_input"}, by))(t)
	d.update(id, board.Patch{AddLabels: []string{"aside"}}, by)
	bot := "b"
	d.update(id, board.Patch{Bot: &bot}, board.Cause{Actor: trigger.Actor, Reason: board.ReasonPromoted})
	d.update(id, board.Patch{RemoveLabels: []string{"aside"}}, board.Cause{Actor: trigger.Actor})
	if got := told(d.fires()); len(got) > 0 {
		t.Errorf("they fire: %v", got)
	}
	verdict := board.Cause{Actor: "dispatcher", Reason: board.ReasonRunFinished}
	ok(d.SetState(ctx, id, f, board.Filing{To: "review"}, verdict))(t)
	ok(d.Release(ctx, id, f, by))(t)
	fired := d.fires()
	if diff := cmp.Diff([]string{"card.moved moved review"}, told(fired)); diff != "" {
		t.Error(diff)
	}
	for _, e := range fired { // so that what it launches belongs to the run's chain
		if e.ByRun != "r" {
			t.Errorf("the verdict comes from run %q", e.ByRun)
		}
	}
}

func TestI9_ARenamedColumnFiresNothing(t *testing.T) {
	d := newDesk(t)
	s := board.DefaultSchema()
	s.States = append(s.States, board.State{Name: "qa"})
	if err := d.SetSchema(t.Context(), s, person); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		d.create(board.Issue{State: "qa"}, person)
	}
	d.fires()
	if ids := ok(d.RenameState(t.Context(), "qa", "checks", person))(t); len(ids) != 5 {
		t.Fatal(ids)
	}
	if got := told(d.fires()); len(got) > 0 {
		t.Errorf("it fires: %v", got)
	}
}

func TestTheEventOfARun(t *testing.T) {
	rec := run.Record{
		ID: "0193-run", Bot: "lint", Status: run.FailedResumable, OutcomeSeq: 2, Error: "no space", FailureCode: "EXIT", ChainDepth: 3,
		Source: run.Source{Kind: run.SourceIssue, IssueID: "native:1"}, FinishedAt: time.Unix(5, 0).UTC(), UpdatedAt: time.Unix(6, 0).UTC(),
	}
	got, told := trigger.FromRun(rec)
	want := trigger.Event{
		ID: "run:0193-run:2", Source: trigger.SourceRun, Kind: trigger.RunFailed, Action: "failed_resumable", Actor: "lint",
		Subject: trigger.Subject{Type: "run", ID: "0193-run", Title: "lint: run 0193-run failed_resumable", Body: "no space", State: "failed_resumable"},
		Payload: map[string]any{"bot": "lint", "status": "failed_resumable", "issue_id": "native:1", "source": "issue", "failure_code": "EXIT"},
		RunID:   "0193-run", OutcomeSeq: 2, ChainDepth: 3, OccurredAt: time.Unix(5, 0).UTC(),
	}
	if diff := cmp.Diff(want, got); diff != "" || !told {
		t.Error(diff)
	}
	for _, s := range []run.Status{run.Queued, run.Running, ""} {
		if _, told := trigger.FromRun(run.Record{ID: "r", Status: s}); told {
			t.Errorf("a run that is %q has an outcome", s)
		}
	}
}
