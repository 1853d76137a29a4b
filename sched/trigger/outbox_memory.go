package trigger

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Memory is an Outbox in memory, for tests and simulations. It keeps no goroutine
// and reads no clock.
type Memory struct {
	// Before, when set, is asked before each verb; its error is the verb's, and
	// nothing happens. Set it before the outbox is shared.
	Before func(verb, id string) error
	// After, when set, is asked after each verb that changed something; its error is
	// the verb's although the change stands.
	After func(verb, id string) error

	mu sync.Mutex
	t  *Table
}

var _ Outbox = (*Memory)(nil)

// NewMemory returns an empty outbox.
func NewMemory() *Memory { return &Memory{t: NewTable()} }

// look runs fn on the table.
func (m *Memory) look(ctx context.Context, verb, id string, fn func(*Table) error) error {
	return m.change(ctx, verb, id, func(t *Table) (Change, error) { return Change{}, fn(t) })
}

// change runs fn on the table and takes in the change that it returns.
func (m *Memory) change(ctx context.Context, verb, id string, fn func(*Table) (Change, error)) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s %s: %w", verb, id, err)
	}
	if m.Before != nil {
		if err := m.Before(verb, id); err != nil {
			return err
		}
	}
	m.mu.Lock()
	c, err := fn(m.t)
	if err == nil {
		m.t.Apply(c)
	}
	m.mu.Unlock()
	if err == nil && !c.Empty() && m.After != nil {
		err = m.After(verb, id)
	}
	return err
}

// Cursor implements Outbox.
func (m *Memory) Cursor(ctx context.Context, feed string) (at int64, ok bool, err error) {
	err = m.look(ctx, "Cursor", feed, func(t *Table) error {
		at, ok = t.Cursor(feed)
		return nil
	})
	return at, ok, err
}

// Add implements Outbox.
func (m *Memory) Add(ctx context.Context, feed string, at int64, rows []Effect) error {
	mine := make([]Effect, len(rows))
	for n, e := range rows {
		mine[n] = e.Clone()
	}
	return m.change(ctx, "Add", feed, func(t *Table) (Change, error) { return t.Add(feed, at, mine) })
}

// Claim implements Outbox.
func (m *Memory) Claim(ctx context.Context, now time.Time, limit int) (rows []Effect, err error) {
	err = m.change(ctx, "Claim", "", func(t *Table) (c Change, err error) {
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
func (m *Memory) held(ctx context.Context, verb, id, claimID string, do func(Effect) Effect) (e Effect, err error) {
	err = m.change(ctx, verb, id, func(t *Table) (c Change, err error) {
		c, e, err = t.Held(id, claimID, do)
		return c, err
	})
	return e.Clone(), err
}

// Renew implements Outbox.
func (m *Memory) Renew(ctx context.Context, id, claimID string, now time.Time) error {
	_, err := m.held(ctx, "Renew", id, claimID, func(e Effect) Effect { return e.Renewed(now) })
	return err
}

// MarkConsumed implements Outbox.
func (m *Memory) MarkConsumed(ctx context.Context, id, claimID string, now time.Time) error {
	_, err := m.held(ctx, "MarkConsumed", id, claimID, func(e Effect) Effect { return e.Consumed(now) })
	return err
}

// Finish implements Outbox.
func (m *Memory) Finish(ctx context.Context, id, claimID, outcome string, now time.Time) error {
	_, err := m.held(ctx, "Finish", id, claimID, func(e Effect) Effect { return e.Finished(outcome, now) })
	return err
}

// Fail implements Outbox.
func (m *Memory) Fail(ctx context.Context, id, claimID, reason string, final bool, now time.Time) (Effect, error) {
	return m.held(ctx, "Fail", id, claimID, func(e Effect) Effect { return e.FailedOnce(reason, final, now) })
}

// Wait implements Outbox.
func (m *Memory) Wait(ctx context.Context, id, claimID, reason string, notBefore, now time.Time) error {
	_, err := m.held(ctx, "Wait", id, claimID, func(e Effect) Effect { return e.Waiting(reason, notBefore, now) })
	return err
}

// Wake implements Outbox.
func (m *Memory) Wake(ctx context.Context, now time.Time, limit int) (n int, err error) {
	err = m.change(ctx, "Wake", "", func(t *Table) (Change, error) {
		c := t.Wake(now, limit)
		n = len(c.Set)
		return c, nil
	})
	return n, err
}

// NextDue implements Outbox.
func (m *Memory) NextDue(ctx context.Context) (at time.Time, ok bool, err error) {
	err = m.look(ctx, "NextDue", "", func(t *Table) error {
		at, ok = t.NextDue()
		return nil
	})
	return at, ok, err
}

// Counts implements Outbox.
func (m *Memory) Counts(ctx context.Context) (n map[EffectState]int, err error) {
	err = m.look(ctx, "Counts", "", func(t *Table) error {
		n = t.Counts()
		return nil
	})
	return n, err
}

// List implements Outbox.
func (m *Memory) List(ctx context.Context, q EffectQuery) (rows []Effect, err error) {
	err = m.look(ctx, "List", "", func(t *Table) error {
		rows = t.List(q)
		return nil
	})
	return rows, err
}

// Get implements Outbox.
func (m *Memory) Get(ctx context.Context, id string) (e Effect, err error) {
	err = m.look(ctx, "Get", id, func(t *Table) (err error) {
		e, err = t.Get(id)
		return err
	})
	return e, err
}

// Retry implements Outbox.
func (m *Memory) Retry(ctx context.Context, id string, now time.Time) (e Effect, err error) {
	err = m.change(ctx, "Retry", id, func(t *Table) (c Change, err error) {
		c, e, err = t.Retry(id, now)
		return c, err
	})
	return e, err
}

// Drop implements Outbox.
func (m *Memory) Drop(ctx context.Context, id string) error {
	return m.change(ctx, "Drop", id, func(t *Table) (Change, error) { return t.Dropped(id) })
}

// Prune implements Outbox.
func (m *Memory) Prune(ctx context.Context, before time.Time) (n int, err error) {
	err = m.change(ctx, "Prune", "", func(t *Table) (Change, error) {
		c := t.Prune(before)
		n = len(c.Drop)
		return c, nil
	})
	return n, err
}
