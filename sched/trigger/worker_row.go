package trigger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/board"
)

// end is what became of a row that needs no further try.
type end struct {
	outcome string
	// effect: the binding has proven to work. A row may end well without any.
	effect bool
}

func done(effect bool, format string, args ...any) (end, error) {
	return end{outcome: fmt.Sprintf(format, args...), effect: effect}, nil
}

// markTime bounds how long the end of a row may take to be written.
const markTime = 10 * time.Second

// carryOut brings a claimed row to an end, or back.
func (w *Worker) carryOut(ctx context.Context, row Effect) {
	mine, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	stop := w.keep(mine, row, lose)
	var sub Subscription
	v, err := w.try(mine, row, &sub)
	stop()
	if errors.Is(context.Cause(mine), ErrLostClaim) {
		w.Log.Warn("an effect was claimed by somebody else meanwhile", "effect_id", row.ID)
		return
	}
	// The mark has a context of its own, so that a try that was cut off leaves one, too.
	mark, cancel := context.WithTimeout(context.WithoutCancel(ctx), markTime)
	defer cancel()
	if err != nil && ctx.Err() != nil {
		w.marked(row, "given back", w.Outbox.Wait(mark, row.ID, row.ClaimID, "the daemon stopped meanwhile", now(), now()))
		return
	}
	w.settle(mark, row, sub, v, err)
}

func now() time.Time { return time.Now().UTC() }

// settle writes down what became of a try.
func (w *Worker) settle(ctx context.Context, row Effect, sub Subscription, v end, err error) {
	var held *HeldError
	switch {
	case err == nil:
		w.marked(row, v.outcome, w.Outbox.Finish(ctx, row.ID, row.ClaimID, v.outcome, now()))
		if v.effect {
			w.judge(ctx, sub, "")
		}
	case errors.As(err, &held), passing(err):
		w.marked(row, "waits: "+err.Error(), w.Outbox.Wait(ctx, row.ID, row.ClaimID, err.Error(), now().Add(w.HoldFor), now()))
	default:
		got, ferr := w.Outbox.Fail(ctx, row.ID, row.ClaimID, err.Error(), final(err), now())
		w.marked(row, "", ferr)
		if ferr == nil {
			w.Log.Warn("effect failed", "effect_id", row.ID, "run_id", row.RunID, "attempts", got.Attempts, "state", got.State, "err", err)
		}
		w.judge(ctx, sub, err.Error())
	}
}

func (w *Worker) marked(row Effect, what string, err error) {
	switch {
	case errors.Is(err, ErrLostClaim):
		w.Log.Warn("an effect was claimed by somebody else meanwhile", "effect_id", row.ID)
	case err != nil:
		w.Log.Error("what became of an effect cannot be written; it is tried again", "effect_id", row.ID, "err", err)
	case what != "":
		w.Log.Info("effect", "effect_id", row.ID, "run_id", row.RunID, "subscription_id", row.SubscriptionID, "outcome", what)
	}
}

// judge notes on the subscription whether its binding works, when that is news.
func (w *Worker) judge(ctx context.Context, sub Subscription, text string) {
	if w.Verdict == nil || sub.ID == "" || sub.LastError == text {
		return
	}
	if err := w.Verdict(ctx, sub.ID, text); err != nil {
		w.Log.Warn("the health of a subscription cannot be written", "subscription_id", sub.ID, "err", err)
	}
}

// unknownError wraps what keeps a subscription from being read.
type unknownError struct{ err error }

func (e *unknownError) Error() string { return e.err.Error() }

// Unwrap returns the reason.
func (e *unknownError) Unwrap() error { return e.err }

// passing reports whether an error is trouble of the world around, which spends no
// attempt of the row's.
func passing(err error) bool {
	var unknown *unknownError
	return errors.As(err, &unknown) || errors.Is(err, board.ErrBusy) || errors.Is(err, board.ErrReadOnly)
}

// final reports whether an error will come again whatever happens.
func final(err error) bool { return errors.Is(err, ErrRefused) || errors.Is(err, board.ErrInvalid) }

// keep renews the row's claim until stop is called, and ends its work when the claim
// is lost.
func (w *Worker) keep(ctx context.Context, row Effect, lose context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(ClaimHorizon / 4)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			err := w.Outbox.Renew(ctx, row.ID, row.ClaimID, now())
			if errors.Is(err, ErrLostClaim) {
				lose(ErrLostClaim)
				return
			}
			if err != nil && ctx.Err() == nil {
				w.Log.Warn("a claim cannot be renewed", "effect_id", row.ID, "err", err)
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// try carries a row out as far as it goes. sub takes the subscription once it was read.
func (w *Worker) try(ctx context.Context, row Effect, sub *Subscription) (v end, err error) {
	defer func() {
		if p := recover(); p != nil { // one poisoned row must not end the others
			err = fmt.Errorf("%w: it made the worker panic: %v", ErrRefused, p)
		}
	}()
	if row.Kind != EffectLaunch {
		return v, fmt.Errorf("%w: this version does not know effects of kind %q", ErrRefused, row.Kind)
	}
	if row.RunID != "" {
		made, err := w.Launcher.Exists(ctx, row.RunID)
		if err != nil {
			return v, fmt.Errorf("look for run %s: %w", row.RunID, err)
		}
		if made {
			return done(true, "launched run %s", row.RunID)
		}
	}
	s, err := w.Subscription(ctx, row.SubscriptionID)
	switch {
	case errors.Is(err, ErrNoSubscription):
		return done(false, "without effect: the subscription is gone")
	case err != nil:
		return v, &unknownError{fmt.Errorf("read subscription %s: %w", row.SubscriptionID, err)}
	}
	*sub = s
	switch {
	case s.TenantID != row.TenantID:
		return done(false, "without effect: the subscription is another tenant's")
	case !s.Active():
		return done(false, "without effect: the subscription is not in force")
	case !s.Matches(row.Event):
		return done(false, "without effect: the subscription no longer matches the event")
	case s.Mode == Promote:
		return w.promote(ctx, row, s)
	}
	return w.direct(ctx, row, s)
}
