package daemon

import (
	"errors"
	"testing"

	"iterion/daemon/control"
	"iterion/native/board"
	"iterion/native/run"
)

func TestQuestionIsAnsweredOverTheSocket(t *testing.T) {
	b := newLab(t)
	c, _ := b.start(b.options())
	id := b.card(asking)
	is := b.parked(c, id)
	q, err := c.Question(t.Context(), is.LastRunID)
	b.must(err)
	if q.Questions.Question != "Ship it?" || len(q.Questions.Fields) != 1 {
		t.Errorf("the question came as %+v", q)
	}
	wrong := control.Answer{Values: map[string]any{"sink": "yes"}, By: "ana"}
	if _, err := c.AnswerRun(t.Context(), is.LastRunID, wrong); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("an answer to what was not asked: %v", err)
	}
	b.parked(c, id)
	_, err = c.AnswerRun(t.Context(), is.LastRunID, control.Answer{Values: map[string]any{"ship": "yes"}, By: "ana"})
	b.must(err)
	b.settled(id, board.StateReview)
	if recs := b.runsOf(id); len(recs) != 1 || recs[0].Status != run.Finished {
		t.Fatalf("runs %+v", recs)
	}
	if _, err := c.Question(t.Context(), is.LastRunID); !errors.Is(err, board.ErrConflict) {
		t.Errorf("the question of a run that has ended: %v", err)
	}
}

func TestCardIsUpdatedOverTheSocket(t *testing.T) {
	b := newLab(t)
	c, _ := b.start(b.options())
	is, err := c.Create(t.Context(), control.CreateIssue{Title: "one", State: board.StateBacklog, Labels: []string{"a"}})
	b.must(err)
	title, nobody := "two", "no-such-bot"
	_, err = c.Update(t.Context(), is.ID, control.UpdateIssue{Title: &title, AddLabels: []string{"b"}, RemoveLabels: []string{"a"}, By: "ana"})
	b.must(err)
	if got := b.issue(is.ID); got.Title != "two" || len(got.Labels) != 1 || got.Labels[0] != "b" {
		t.Errorf("the card is %+v", got)
	}
	if _, err := c.Update(t.Context(), is.ID, control.UpdateIssue{Bot: &nobody}); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("an unknown bot: %v", err)
	}
}
