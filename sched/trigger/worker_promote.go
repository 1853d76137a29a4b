package trigger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"iterion/native/board"
)

// promote stamps the bot on the card and nudges the dispatcher; the claim stays the
// only way to a dispatched run.
//
// A card that was another bot's when the event happened changes hands: so it goes from
// bot to bot, column by column. One that was given a bot since is left alone: of two
// subscriptions that want one card for different bots the first has it, and whoever
// chose a bot meanwhile has the last word. Args that the card bears already stay. None
// of it fires anything, for the stamp has a machine reason.
func (w *Worker) promote(ctx context.Context, row Effect, sub Subscription) (v end, err error) {
	id, ok := cardOf(row.Event)
	if !ok {
		return v, fmt.Errorf("%w: mode board needs a card, and the event is about none: use mode direct", ErrRefused)
	}
	for range 3 { // whoever changes the card meanwhile does so once or twice
		v, err = w.stamp(ctx, row, sub, id)
		if !errors.Is(err, board.ErrTransitionRejected) {
			break
		}
	}
	if err == nil && v.effect && w.Nudge != nil {
		w.Nudge(id)
	}
	return v, err
}

func (w *Worker) stamp(ctx context.Context, row Effect, sub Subscription, id string) (v end, err error) {
	card, err := w.Board.Get(ctx, id)
	switch {
	case errors.Is(err, board.ErrNotFound):
		return done(false, "without effect: the card is gone")
	case err != nil:
		return v, err
	case card.Bot != "" && card.Bot != sub.BotID:
		since, err := w.givenSince(ctx, row.Event, id)
		if err != nil {
			return v, err
		}
		if since {
			return done(false, "without effect: the card is bot %s's already", card.Bot)
		}
	}
	p := board.Patch{IfBot: &card.Bot}
	if card.Bot != sub.BotID {
		p.Bot, p.SetBotArgs = &sub.BotID, missing(Vars(row.Event, sub), card.BotArgs)
	}
	if sub.ConsumeLabels && !row.ConsumeMarked {
		why, err := w.consume(ctx, row, sub, p)
		if err != nil || why != "" {
			return end{outcome: why}, err
		}
		return done(true, "the card is bot %s's now", sub.BotID)
	}
	if card.Bot == sub.BotID {
		return done(true, "the card is bot %s's", sub.BotID)
	}
	_, err = w.Board.Update(ctx, id, p, board.Cause{Reason: board.ReasonPromoted, Actor: Actor})
	switch {
	case errors.Is(err, board.ErrNotFound):
		return done(false, "without effect: the card is gone")
	case err != nil:
		return v, fmt.Errorf("stamp the bot on the card: %w", err)
	}
	return done(true, "the card is bot %s's now", sub.BotID)
}

// givenSince looks in the board's log, from its end back to the event, whether the card
// was given a bot meanwhile.
func (w *Worker) givenSince(ctx context.Context, e Event, card string) (given bool, err error) {
	at, onBoard := boardSeq(e)
	err = w.backwards(ctx, func(b board.Event) (stop bool) {
		if onBoard && b.Seq <= at || !onBoard && b.Timestamp.Before(e.OccurredAt) {
			return true
		}
		given = given || b.IssueID == card && slices.Contains(b.Payload.Changed, "bot")
		return given
	})
	if err != nil {
		return false, fmt.Errorf("look for who gave the card its bot: %w", err)
	}
	return given, nil
}

// backwards hands the events of the board's log to look, the newest first, until it
// has seen enough.
func (w *Worker) backwards(ctx context.Context, look func(board.Event) (stop bool)) error {
	to, err := w.Board.Tip(ctx)
	if err != nil {
		return err
	}
	for window := int64(256); to >= 0; window *= 2 {
		from := max(to-window, -1)
		events, err := w.Board.Events(ctx, from, int(to-from))
		if err != nil {
			return err
		}
		for _, e := range slices.Backward(events) {
			if look(e) {
				return nil
			}
		}
		to = from
	}
	return nil
}

// missing returns the entries of vars that have does not hold.
func missing(vars, have map[string]string) map[string]string {
	var out map[string]string
	for k, v := range vars {
		if _, there := have[k]; !there {
			if out == nil {
				out = map[string]string{}
			}
			out[k] = v
		}
	}
	return out
}
