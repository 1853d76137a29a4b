package local

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"iterion/sched/trigger"
)

type jsonRaw = json.RawMessage

// Cursor implements trigger.Outbox.
func (b *Outbox) Cursor(ctx context.Context, feed string) (at int64, ok bool, err error) {
	err = b.look(ctx, func(t *trigger.Table) error {
		at, ok = t.Cursor(feed)
		return nil
	})
	return at, ok, err
}

// Add implements trigger.Outbox.
func (b *Outbox) Add(ctx context.Context, feed string, at int64, rows []trigger.Effect) error {
	mine := make([]trigger.Effect, len(rows))
	for n, e := range rows {
		mine[n] = e.Clone()
	}
	return b.change(ctx, func(t *trigger.Table) (trigger.Change, error) { return t.Add(feed, at, mine) })
}

// Claim implements trigger.Outbox. Where nothing is due it takes no lock.
func (b *Outbox) Claim(ctx context.Context, now time.Time, limit int) (rows []trigger.Effect, err error) {
	due := false
	if err := b.look(ctx, func(t *trigger.Table) error {
		at, ok := t.NextDue()
		due = ok && !at.After(now)
		return nil
	}); err != nil || !due {
		return nil, err
	}
	err = b.change(ctx, func(t *trigger.Table) (c trigger.Change, err error) {
		c, rows = t.Claim(now, limit, uuid.NewString)
		for n := range rows {
			rows[n] = rows[n].Clone()
		}
		return c, nil
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// held changes a row that is under a claim.
func (b *Outbox) held(ctx context.Context, id, claimID string, do func(trigger.Effect) trigger.Effect) (e trigger.Effect, err error) {
	err = b.change(ctx, func(t *trigger.Table) (c trigger.Change, err error) {
		c, e, err = t.Held(id, claimID, do)
		return c, err
	})
	return e.Clone(), err
}

// Renew implements trigger.Outbox.
func (b *Outbox) Renew(ctx context.Context, id, claimID string, now time.Time) error {
	_, err := b.held(ctx, id, claimID, func(e trigger.Effect) trigger.Effect { return e.Renewed(now) })
	return err
}

// MarkConsumed implements trigger.Outbox.
func (b *Outbox) MarkConsumed(ctx context.Context, id, claimID string, now time.Time) error {
	_, err := b.held(ctx, id, claimID, func(e trigger.Effect) trigger.Effect { return e.Consumed(now) })
	return err
}

// Finish implements trigger.Outbox.
func (b *Outbox) Finish(ctx context.Context, id, claimID, outcome string, now time.Time) error {
	_, err := b.held(ctx, id, claimID, func(e trigger.Effect) trigger.Effect { return e.Finished(outcome, now) })
	return err
}

// Fail implements trigger.Outbox.
func (b *Outbox) Fail(ctx context.Context, id, claimID, reason string, final bool, now time.Time) (trigger.Effect, error) {
	return b.held(ctx, id, claimID, func(e trigger.Effect) trigger.Effect { return e.FailedOnce(reason, final, now) })
}

// Wait implements trigger.Outbox.
func (b *Outbox) Wait(ctx context.Context, id, claimID, reason string, notBefore, now time.Time) error {
	_, err := b.held(ctx, id, claimID, func(e trigger.Effect) trigger.Effect { return e.Waiting(reason, notBefore, now) })
	return err
}

// Wake implements trigger.Outbox. Where nothing is held it takes no lock.
func (b *Outbox) Wake(ctx context.Context, now time.Time, limit int) (n int, err error) {
	if err := b.look(ctx, func(t *trigger.Table) error {
		n = len(t.Wake(now, 1).Set)
		return nil
	}); err != nil || n == 0 {
		return 0, err
	}
	err = b.change(ctx, func(t *trigger.Table) (trigger.Change, error) {
		c := t.Wake(now, limit)
		n = len(c.Set)
		return c, nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// NextDue implements trigger.Outbox.
func (b *Outbox) NextDue(ctx context.Context) (at time.Time, ok bool, err error) {
	err = b.look(ctx, func(t *trigger.Table) error {
		at, ok = t.NextDue()
		return nil
	})
	return at, ok, err
}

// Counts implements trigger.Outbox.
func (b *Outbox) Counts(ctx context.Context) (n map[trigger.EffectState]int, err error) {
	err = b.look(ctx, func(t *trigger.Table) error {
		n = t.Counts()
		return nil
	})
	return n, err
}

// List implements trigger.Outbox.
func (b *Outbox) List(ctx context.Context, q trigger.EffectQuery) (rows []trigger.Effect, err error) {
	err = b.look(ctx, func(t *trigger.Table) error {
		rows = t.List(q)
		return nil
	})
	return rows, err
}

// Get implements trigger.Outbox.
func (b *Outbox) Get(ctx context.Context, id string) (e trigger.Effect, err error) {
	err = b.look(ctx, func(t *trigger.Table) (err error) {
		e, err = t.Get(id)
		return err
	})
	return e, err
}

// Retry implements trigger.Outbox.
func (b *Outbox) Retry(ctx context.Context, id string, now time.Time) (e trigger.Effect, err error) {
	err = b.change(ctx, func(t *trigger.Table) (c trigger.Change, err error) {
		c, e, err = t.Retry(id, now)
		return c, err
	})
	return e, err
}

// Drop implements trigger.Outbox.
func (b *Outbox) Drop(ctx context.Context, id string) error {
	return b.change(ctx, func(t *trigger.Table) (trigger.Change, error) { return t.Dropped(id) })
}

// Prune implements trigger.Outbox. Where nothing is old enough it takes no lock.
func (b *Outbox) Prune(ctx context.Context, before time.Time) (n int, err error) {
	if err := b.look(ctx, func(t *trigger.Table) error {
		n = len(t.Prune(before).Drop)
		return nil
	}); err != nil || n == 0 {
		return 0, err
	}
	err = b.change(ctx, func(t *trigger.Table) (trigger.Change, error) {
		c := t.Prune(before)
		n = len(c.Drop)
		return c, nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Expire ends the horizons of all claims, so that their rows are due now, and returns
// how many it were. It is for whoever holds the lock of the store's singletons: then
// whoever made the claims is dead. Each still spends an attempt when it is claimed, so
// that a row which kills its worker is tried no more often than others.
func (b *Outbox) Expire(ctx context.Context, now time.Time) (n int, err error) {
	err = b.change(ctx, func(t *trigger.Table) (trigger.Change, error) {
		c := t.Expire(now)
		n = len(c.Set)
		return c, nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}
