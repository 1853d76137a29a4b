package trigger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"iterion/native/board"
)

// direct launches a run now. The slot is taken before the labels are, so that a
// launch which is held leaves them on the card.
func (w *Worker) direct(ctx context.Context, row Effect, sub Subscription) (v end, err error) {
	if row.RunID == "" {
		return v, fmt.Errorf("%w: the row has no run id", ErrRefused)
	}
	l := Launch{
		RunID: row.RunID, Subscription: sub, Event: row.Event,
		Vars: Vars(row.Event, sub), ChainDepth: LaunchDepth(row.Event),
	}
	if err := w.Launcher.Admit(ctx, l); err != nil {
		return v, err
	}
	v, err = w.launch(ctx, row, l)
	told := err
	if err == nil && !v.effect {
		told = errors.New(v.outcome)
	}
	if told != nil { // a slot is only free again when there is no run
		if made, eerr := w.Launcher.Exists(ctx, row.RunID); eerr == nil && made {
			w.Launcher.Launched(row.RunID, nil)
			return done(true, "launched run %s", row.RunID)
		}
	}
	w.Launcher.Launched(row.RunID, told)
	return v, err
}

func (w *Worker) launch(ctx context.Context, row Effect, l Launch) (end, error) {
	if l.Subscription.ConsumeLabels && !row.ConsumeMarked {
		why, err := w.consume(ctx, row, l.Subscription, board.Patch{})
		if err != nil || why != "" {
			return end{outcome: why}, err
		}
	}
	if err := w.Launcher.Launch(ctx, l); err != nil {
		return end{}, err
	}
	return done(true, "launched run %s", l.RunID)
}

// consume takes the subscription's labels off the card, all in one step and together
// with what p changes, and marks that. why says why the one-shot is not this row's to
// spend; then nothing was changed.
//
// Each taking bears the row's run id in the board's log. So a row that was cut off
// between the taking and its mark finds that it has taken them, whoever set them again
// since, and one whose labels somebody else took finds that, too.
func (w *Worker) consume(ctx context.Context, row Effect, sub Subscription, p board.Patch) (why string, err error) {
	id, ok := cardOf(row.Event)
	if !ok {
		return "", fmt.Errorf("%w: consume_labels needs a card, and the event is about none", ErrRefused)
	}
	if row.Attempts > 0 || row.LastError != "" { // not its first try
		taken, err := w.hasTaken(ctx, row, id)
		if err != nil {
			return "", err
		}
		if taken {
			return "", w.Outbox.MarkConsumed(ctx, row.ID, row.ClaimID, now())
		}
	}
	for range 3 { // whoever changes the card meanwhile does so once or twice
		why, err = w.takeOff(ctx, row, id, sub.Match.AllLabels, p)
		if !errors.Is(err, board.ErrTransitionRejected) {
			break
		}
	}
	if err != nil || why != "" {
		return why, err
	}
	return "", w.Outbox.MarkConsumed(ctx, row.ID, row.ClaimID, now())
}

func (w *Worker) takeOff(ctx context.Context, row Effect, id string, labels []string, p board.Patch) (why string, err error) {
	card, err := w.Board.Get(ctx, id)
	switch {
	case errors.Is(err, board.ErrNotFound):
		return "without effect: the card is gone", nil
	case err != nil:
		return "", err
	case len(lacking(labels, card.Labels)) > 0:
		return "without effect: the labels were taken off the card before", nil
	}
	p.RemoveLabels = slices.DeleteFunc(slices.Clone(card.Labels), func(l string) bool { return !containsFold(labels, l) })
	p.IfLabels = p.RemoveLabels
	_, err = w.Board.Update(ctx, id, p, board.Cause{Reason: board.ReasonPromoted, Actor: Actor, RunID: row.RunID})
	switch {
	case errors.Is(err, board.ErrNotFound):
		return "without effect: the card is gone", nil
	case err != nil:
		return "", fmt.Errorf("take the labels off: %w", err)
	}
	return "", nil
}

// skew is how far the clocks of who made a row and of who wrote to the board may be
// apart.
const skew = time.Hour

// hasTaken looks in the board's log, from its end back to the making of the row,
// whether the row has taken its labels off the card.
func (w *Worker) hasTaken(ctx context.Context, row Effect, card string) (taken bool, err error) {
	made := row.CreatedAt.Add(-skew)
	err = w.backwards(ctx, func(e board.Event) (stop bool) {
		taken = e.IssueID == card && e.Payload.ByRun == row.RunID && e.Payload.ByActor == Actor && len(e.Payload.LabelsRemoved) > 0
		return taken || e.Timestamp.Before(made)
	})
	if err != nil {
		return false, fmt.Errorf("look for the taking of labels: %w", err)
	}
	return taken, nil
}

// cardOf returns the card that an event is about: its subject, or the card that the
// run worked on.
func cardOf(e Event) (id string, ok bool) {
	if e.Subject.Type == "card" && e.Subject.ID != "" {
		return e.Subject.ID, true
	}
	id, _ = e.Payload["issue_id"].(string)
	return id, strings.TrimSpace(id) != ""
}
