package daemon

import (
	"context"
	"errors"
	"fmt"

	"iterion/daemon/control"
	"iterion/native/board"
	"iterion/native/run"
)

// Update changes parts of a card, see control.Editing.
func (d service) Update(ctx context.Context, ref string, in control.UpdateIssue) (board.Issue, error) {
	id, err := d.store.Resolve(ctx, ref)
	if err != nil {
		return board.Issue{}, err
	}
	if in.Bot != nil {
		if err := d.checkBot(*in.Bot); err != nil {
			return board.Issue{}, err
		}
	}
	return d.nudged(d.store.Update(ctx, id, in.Patch(), board.Cause{Actor: in.By}))
}

// Question returns what a run asks, see control.Editing.
func (d service) Question(_ context.Context, ref string) (run.Interaction, error) {
	rec, err := d.record(ref)
	if err != nil {
		return run.Interaction{}, err
	}
	in, err := d.runs.Pending(rec)
	return in, asAnswerTrouble(err)
}

// AnswerRun stores answers and lets the run go on, see control.Editing.
func (d service) AnswerRun(ctx context.Context, ref string, in control.Answer) (run.Record, error) {
	rec, err := d.record(ref)
	if err != nil {
		return rec, err
	}
	if rec, err = d.runs.Answer(ctx, rec.ID, in.Values, in.By); err != nil {
		return rec, asAnswerTrouble(err)
	}
	return d.ResumeRun(ctx, rec.ID, control.By{By: in.By})
}

// asAnswerTrouble classes the refusals of questions and answers.
func asAnswerTrouble(err error) error {
	var not *run.NotWaitingError
	var bad *run.AnswerError
	switch {
	case errors.As(err, &not):
		return fmt.Errorf("%w: %w", board.ErrConflict, err)
	case errors.As(err, &bad):
		return fmt.Errorf("%w: %w", board.ErrInvalid, err)
	}
	return err
}
