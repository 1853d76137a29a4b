package native

import (
	"context"
	"time"

	"iterion/native/board"
)

// SetSchema implements board.Store.
func (s *Store) SetSchema(ctx context.Context, next board.Schema, by board.Cause) error {
	return s.write(ctx, func(w *writer) error {
		was, err := s.schema.read()
		if err != nil {
			return err
		}
		held, err := w.held(was, next)
		if err != nil {
			return err
		}
		return w.setSchema(was, next, held, by)
	})
}

// Create implements board.Store.
func (s *Store) Create(ctx context.Context, draft board.Issue, by board.Cause) (board.Issue, error) {
	var fresh string
	if draft.ID == "" {
		fresh = board.NewID()
		draft.ID = fresh
	}
	var c board.Change
	err := s.write(ctx, func(w *writer) (err error) {
		w.fresh = fresh
		c, err = w.create(draft, by)
		return err
	})
	if err != nil {
		return board.Issue{}, err
	}
	return c.Issue, nil
}

// Update implements board.Store.
func (s *Store) Update(ctx context.Context, id string, p board.Patch, by board.Cause) (board.Issue, error) {
	change := s.changeCard
	if len(p.SetFields)+len(p.ClearFields) > 0 {
		change = s.change
	}
	return change(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.Update(i, p)
	})
}

// Move implements board.Store.
func (s *Store) Move(ctx context.Context, id, to string, by board.Cause) (board.Issue, error) {
	return s.change(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.Move(i, to)
	})
}

// Reopen implements board.Store.
func (s *Store) Reopen(ctx context.Context, id, to string, by board.Cause) (board.Issue, error) {
	return s.change(ctx, id, by, func(w *writer, r board.Rules, i board.Issue) (board.Change, error) {
		dependents, err := w.dependents(id)
		if err != nil {
			return board.Change{}, err
		}
		return r.Reopen(i, to, dependents)
	})
}

// Delete implements board.Store.
func (s *Store) Delete(ctx context.Context, id string, force bool, by board.Cause) error {
	_, err := s.changeCard(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.Delete(i, force)
	})
	return err
}

// Comment implements board.Store.
func (s *Store) Comment(ctx context.Context, id, author, body string, by board.Cause) (board.Comment, error) {
	i, err := s.changeCard(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.Comment(i, board.NewCommentID(), author, body)
	})
	if err != nil {
		return board.Comment{}, err
	}
	return i.Comments[len(i.Comments)-1], nil
}

// Claim implements board.Store.
func (s *Store) Claim(ctx context.Context, id, marker string, lease time.Duration, by board.Cause) (board.Issue, error) {
	return s.changeCard(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.Claim(i, marker, lease)
	})
}

// Renew implements board.Store.
func (s *Store) Renew(ctx context.Context, id string, f board.Fence, lease time.Duration) error {
	_, err := s.changeCard(ctx, id, board.Cause{}, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.Renew(i, f, lease)
	})
	return err
}

// Release implements board.Store.
func (s *Store) Release(ctx context.Context, id string, f board.Fence, by board.Cause) (board.Issue, error) {
	return s.changeCard(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.Release(i, f)
	})
}

// ForceRelease implements board.Store.
func (s *Store) ForceRelease(ctx context.Context, id string, by board.Cause) (board.Issue, error) {
	return s.changeCard(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.ForceRelease(i)
	})
}

// Transfer implements board.Store.
func (s *Store) Transfer(ctx context.Context, id string, t board.Takeover, by board.Cause) (board.Issue, error) {
	return s.changeCard(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.Transfer(i, t)
	})
}

// SetState implements board.Store.
func (s *Store) SetState(ctx context.Context, id string, f board.Fence, to board.Filing, by board.Cause) (board.Issue, error) {
	return s.change(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.SetState(i, f, to)
	})
}

// SetLastRun implements board.Store.
func (s *Store) SetLastRun(ctx context.Context, id string, f board.Fence, run board.RunRef, by board.Cause) (board.Issue, error) {
	return s.changeCard(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.SetLastRun(i, f, run)
	})
}

// SetAwaitingInput implements board.Store.
func (s *Store) SetAwaitingInput(ctx context.Context, id string, f board.Fence, awaiting bool, by board.Cause) (board.Issue, error) {
	return s.changeCard(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.SetAwaitingInput(i, f, awaiting)
	})
}

// SetGaveUp implements board.Store.
func (s *Store) SetGaveUp(ctx context.Context, id string, f board.Fence, g board.GaveUp, by board.Cause) (board.Issue, error) {
	return s.changeCard(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.SetGaveUp(i, f, g)
	})
}
