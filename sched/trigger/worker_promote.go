package trigger

import (
	"context"
	"errors"
	"fmt"

	"iterion/native/board"
)

// promote stamps the bot on the card and nudges the dispatcher; the claim stays the
// only way to a dispatched run.
//
// A card that bears another bot, whoever stamped it, is left alone: of two
// subscriptions that want one card for different bots the first has it, and a bot that
// a person chose stays. Args that the card bears already stay, too. Neither fires
// anything, for the stamp has a machine reason.
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
		return done(false, "without effect: the card is bot %s's already", card.Bot)
	}
	p := board.Patch{IfBot: &card.Bot}
	if card.Bot == "" {
		p.Bot, p.SetBotArgs = &sub.BotID, missing(Vars(row.Event, sub), card.BotArgs)
	}
	if sub.ConsumeLabels && !row.ConsumeMarked {
		why, err := w.consume(ctx, row, sub, p)
		if err != nil || why != "" {
			return end{outcome: why}, err
		}
		return done(true, "the card is bot %s's now", sub.BotID)
	}
	if card.Bot != "" {
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
