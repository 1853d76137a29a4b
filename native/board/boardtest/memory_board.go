package boardtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"iterion/native/board"
)

// Schema implements board.Store.
func (m *Memory) Schema(ctx context.Context) (board.Schema, error) {
	if err := m.enter(ctx, "Schema", ""); err != nil {
		return board.Schema{}, err
	}
	defer m.mu.Unlock()
	return m.schema.Clone(), nil
}

// SetSchema implements board.Store.
func (m *Memory) SetSchema(ctx context.Context, s board.Schema, by board.Cause) error {
	if err := m.enter(ctx, "SetSchema", ""); err != nil {
		return err
	}
	defer m.mu.Unlock()
	held := map[string]int{}
	for _, i := range m.cards {
		held[i.State]++
	}
	c, err := m.rules(by).SetSchema(s, held)
	if err != nil {
		return err
	}
	m.schema = c.Schema.Clone()
	m.append(c.Event)
	return nil
}

// Resolve implements board.Store.
func (m *Memory) Resolve(ctx context.Context, ref string) (string, error) {
	if err := m.enter(ctx, "Resolve", ref); err != nil {
		return "", err
	}
	defer m.mu.Unlock()
	id, err := board.Resolve(ref, slices.Collect(maps.Keys(m.cards)))
	var ambiguous *board.AmbiguousError
	if errors.As(err, &ambiguous) {
		for n, match := range ambiguous.Matches {
			ambiguous.Matches[n] = m.cards[match.ID].Clone()
		}
	}
	return id, err
}

// Get implements board.Store.
func (m *Memory) Get(ctx context.Context, id string) (board.Issue, error) {
	if err := m.enter(ctx, "Get", id); err != nil {
		return board.Issue{}, err
	}
	defer m.mu.Unlock()
	i, err := m.card(id)
	return i.Clone(), err
}

// List implements board.Store.
func (m *Memory) List(ctx context.Context, q board.Query) (board.Listing, error) {
	if err := m.enter(ctx, "List", ""); err != nil {
		return board.Listing{}, err
	}
	defer m.mu.Unlock()
	found, err := q.Select(m.all(), m.schema)
	if err != nil {
		return board.Listing{}, fmt.Errorf("list issues: %w", err)
	}
	return board.Listing{Issues: found}, nil
}

// Create implements board.Store.
func (m *Memory) Create(ctx context.Context, draft board.Issue, by board.Cause) (board.Issue, error) {
	if draft.ID == "" {
		draft.ID = board.NewID()
	}
	if err := m.enter(ctx, "Create", draft.ID); err != nil {
		return board.Issue{}, err
	}
	c, err := m.create(draft, by)
	m.mu.Unlock()
	if err == nil && m.After != nil {
		err = m.After("Create", draft.ID)
	}
	if err != nil {
		return board.Issue{}, err
	}
	return c.Issue.Clone(), nil
}

func (m *Memory) create(draft board.Issue, by board.Cause) (board.Change, error) {
	if _, taken := m.cards[draft.ID]; taken {
		return board.Change{}, fmt.Errorf("create issue %s: %w", draft.ID, board.ErrExists)
	}
	c, err := m.rules(by).Create(draft)
	if err == nil {
		m.apply(c)
	}
	return c, err
}

// Events implements board.Store.
func (m *Memory) Events(ctx context.Context, after int64, limit int) ([]board.Event, error) {
	if err := m.enter(ctx, "Events", ""); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	from := min(max(after+1, 0), int64(len(m.events)))
	out := m.events[from:]
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return slices.Clone(out), nil
}

// Tip implements board.Store.
func (m *Memory) Tip(ctx context.Context) (int64, error) {
	if err := m.enter(ctx, "Tip", ""); err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	return int64(len(m.events)) - 1, nil
}
