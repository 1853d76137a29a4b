package boardtest

import (
	"context"
	"errors"

	"iterion/native/board"
)

// MoveAll implements board.Store.
func (m *Memory) MoveAll(ctx context.Context, ids []string, to string, by board.Cause) ([]board.Moved, error) {
	var moved []board.Moved
	err := m.changeMany(ctx, "MoveAll", func() (changes []board.Change, err error) {
		all := func() ([]board.Issue, error) { return m.all(), nil }
		moved, changes, err = m.rules(by).MoveAll(ids, to, all)
		return changes, err
	})
	return moved, err
}

// Relabel implements board.Store.
func (m *Memory) Relabel(ctx context.Context, e board.LabelEdit, by board.Cause) ([]string, error) {
	var touched []string
	err := m.changeMany(ctx, "Relabel", func() ([]board.Change, error) {
		changes, err := m.rules(by).Relabel(m.all(), e)
		for _, c := range changes {
			touched = append(touched, c.Issue.ID)
		}
		return changes, err
	})
	return touched, err
}

// RenameState implements board.Store.
func (m *Memory) RenameState(ctx context.Context, from, to string, by board.Cause) ([]string, error) {
	var touched []string
	err := m.changeMany(ctx, "RenameState", func() ([]board.Change, error) {
		c, moved, err := m.rules(by).RenameState(m.all(), from, to)
		if err != nil {
			return nil, err
		}
		m.schema = c.Schema.Clone()
		m.append(c.Event)
		for _, i := range moved {
			touched = append(touched, i.Issue.ID)
		}
		return moved, nil
	})
	return touched, err
}

// changeMany runs a verb on several cards.
func (m *Memory) changeMany(ctx context.Context, verb string, ask func() ([]board.Change, error)) error {
	if err := m.enter(ctx, verb, ""); err != nil {
		return err
	}
	changes, err := ask()
	if err == nil {
		for _, c := range changes {
			m.apply(c)
		}
	}
	m.mu.Unlock()
	if err == nil && len(changes) > 0 && m.After != nil {
		err = m.After(verb, "")
	}
	return err
}

// Import implements board.Store.
func (m *Memory) Import(ctx context.Context, rec board.Record, by board.Cause) (board.Issue, board.Outcome, error) {
	if err := m.enter(ctx, "Import", rec.Issue.ID); err != nil {
		return board.Issue{}, "", err
	}
	c, did, err := m.importRecord(rec, by)
	m.mu.Unlock()
	if err == nil && c.Write && m.After != nil {
		err = m.After("Import", rec.Issue.ID)
	}
	if err != nil {
		return board.Issue{}, "", err
	}
	return c.Issue.Clone(), did, nil
}

func (m *Memory) importRecord(rec board.Record, by board.Cause) (board.Change, board.Outcome, error) {
	var was *board.Issue
	if i, err := m.card(rec.Issue.ID); err == nil {
		was = &i
	} else if !errors.Is(err, board.ErrNotFound) {
		return board.Change{}, "", err
	}
	r := m.rules(by)
	c, did, err := r.Import(was, rec)
	if err == nil {
		m.applyAll(r, c)
	}
	return c, did, err
}

// SetLaunchRefusal implements board.Store.
func (m *Memory) SetLaunchRefusal(ctx context.Context, id string, f board.Fence, l board.LaunchRefusal, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "SetLaunchRefusal", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.SetLaunchRefusal(i, f, l)
	})
}
