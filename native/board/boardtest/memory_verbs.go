package boardtest

import (
	"context"
	"time"

	"iterion/native/board"
)

// Update implements board.Store.
func (m *Memory) Update(ctx context.Context, id string, p board.Patch, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "Update", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.Update(i, p)
	})
}

// Move implements board.Store.
func (m *Memory) Move(ctx context.Context, id, to string, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "Move", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.Move(i, to)
	})
}

// Reopen implements board.Store.
func (m *Memory) Reopen(ctx context.Context, id, to string, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "Reopen", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.Reopen(i, to, m.dependents(id))
	})
}

// Delete implements board.Store.
func (m *Memory) Delete(ctx context.Context, id string, force bool, by board.Cause) error {
	_, err := m.change(ctx, "Delete", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.Delete(i, force)
	})
	return err
}

// Comment implements board.Store.
func (m *Memory) Comment(ctx context.Context, id, author, body string, by board.Cause) (board.Comment, error) {
	i, err := m.change(ctx, "Comment", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.Comment(i, board.NewCommentID(), author, body)
	})
	if err != nil {
		return board.Comment{}, err
	}
	return i.Comments[len(i.Comments)-1], nil
}

// Claim implements board.Store.
func (m *Memory) Claim(ctx context.Context, id, marker string, lease time.Duration, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "Claim", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.Claim(i, marker, lease)
	})
}

// Renew implements board.Store.
func (m *Memory) Renew(ctx context.Context, id string, f board.Fence, lease time.Duration) error {
	_, err := m.change(ctx, "Renew", id, board.Cause{}, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.Renew(i, f, lease)
	})
	return err
}

// Release implements board.Store.
func (m *Memory) Release(ctx context.Context, id string, f board.Fence, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "Release", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.Release(i, f)
	})
}

// ForceRelease implements board.Store.
func (m *Memory) ForceRelease(ctx context.Context, id string, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "ForceRelease", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.ForceRelease(i)
	})
}

// Transfer implements board.Store.
func (m *Memory) Transfer(ctx context.Context, id string, t board.Takeover, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "Transfer", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.Transfer(i, t)
	})
}

// SetState implements board.Store.
func (m *Memory) SetState(ctx context.Context, id string, f board.Fence, s board.Filing, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "SetState", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.SetState(i, f, s)
	})
}

// SetLastRun implements board.Store.
func (m *Memory) SetLastRun(ctx context.Context, id string, f board.Fence, run board.RunRef, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "SetLastRun", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.SetLastRun(i, f, run)
	})
}

// SetAwaitingInput implements board.Store.
func (m *Memory) SetAwaitingInput(ctx context.Context, id string, f board.Fence, awaiting bool, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "SetAwaitingInput", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.SetAwaitingInput(i, f, awaiting)
	})
}

// SetGaveUp implements board.Store.
func (m *Memory) SetGaveUp(ctx context.Context, id string, f board.Fence, g board.GaveUp, by board.Cause) (board.Issue, error) {
	return m.change(ctx, "SetGaveUp", id, by, func(r board.Rules, i board.Issue) (board.Change, error) {
		return r.SetGaveUp(i, f, g)
	})
}
