package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"iterion/native/board"
)

// MoveAll implements board.Store.
func (s *Store) MoveAll(ctx context.Context, ids []string, to string, by board.Cause) (moved []board.Moved, err error) {
	err = s.write(ctx, func(w *writer) error {
		r, err := w.rules(by)
		if err != nil {
			return err
		}
		var changes []board.Change
		moved, changes, err = r.MoveAll(ids, to, w.waiting)
		if err != nil {
			return err
		}
		return w.apply(changes)
	})
	if err != nil {
		return nil, err
	}
	return moved, nil
}

// Relabel implements board.Store.
func (s *Store) Relabel(ctx context.Context, e board.LabelEdit, by board.Cause) (touched []string, err error) {
	err = s.write(ctx, func(w *writer) error {
		r, err := w.rules(by)
		if err != nil {
			return err
		}
		changes, err := w.relabel(r, e)
		if err != nil {
			return err
		}
		for _, c := range changes {
			touched = append(touched, c.Issue.ID)
		}
		return w.apply(changes)
	})
	if err != nil {
		return nil, err
	}
	return touched, nil
}

// RenameState implements board.Store.
func (s *Store) RenameState(ctx context.Context, from, to string, by board.Cause) (touched []string, err error) {
	err = s.write(ctx, func(w *writer) error {
		r, err := w.rules(by)
		if err != nil {
			return err
		}
		in, err := w.s.cards.pick(func(f *board.Facts) bool { return f.State == from })
		if err != nil {
			return err
		}
		c, moved, err := r.RenameState(in.Issues, from, to)
		if err != nil {
			return err
		}
		for _, m := range moved {
			touched = append(touched, m.Issue.ID)
		}
		return w.renameState(c, moved)
	})
	if err != nil {
		return nil, err
	}
	return touched, nil
}

// renameState writes the board and the cards of a renamed column as one.
func (w *writer) renameState(c board.SchemaChange, moved []board.Change) error {
	data, err := board.EncodeSchema(c.Schema)
	if err != nil {
		return err
	}
	out := []change{{id: boardName, data: data, event: *c.Event}}
	for _, m := range moved {
		ch, err := issueChange(m)
		if err != nil {
			return err
		}
		out = append(out, ch)
	}
	if len(out) == 1 {
		return w.commit(out[0])
	}
	return w.commitAll(out)
}

// relabel looks at the cards that bear one of the labels, and at the others only
// to say which label may have been meant.
func (w *writer) relabel(r board.Rules, e board.LabelEdit) ([]board.Change, error) {
	from, to := strings.TrimSpace(e.From), strings.TrimSpace(e.To)
	bearing, err := w.s.cards.pick(func(f *board.Facts) bool {
		return slices.Contains(f.Labels, from) || slices.Contains(f.Labels, to)
	})
	if err != nil {
		return nil, err
	}
	changes, err := r.Relabel(bearing.Issues, e)
	if !errors.Is(err, board.ErrNotFound) {
		return changes, err
	}
	all, err := w.s.cards.all()
	if err != nil {
		return nil, err
	}
	return r.Relabel(all.Issues, e)
}

// waiting returns every card that has blockers.
func (w *writer) waiting() ([]board.Issue, error) {
	found, err := w.s.cards.pick(func(f *board.Facts) bool { return len(f.Blockers) > 0 })
	return found.Issues, err
}

// Import implements board.Store.
func (s *Store) Import(ctx context.Context, rec board.Record, by board.Cause) (board.Issue, board.Outcome, error) {
	var after board.Issue
	var did board.Outcome
	err := s.write(ctx, func(w *writer) error {
		c, d, err := w.importRecord(rec, by)
		after, did = c.Issue, d
		return err
	})
	if err != nil {
		return board.Issue{}, "", err
	}
	return after, did, nil
}

func (w *writer) importRecord(rec board.Record, by board.Cause) (c board.Change, did board.Outcome, err error) {
	if err := board.CheckID(rec.Issue.ID); err != nil {
		return c, "", fmt.Errorf("import issue: %w", err)
	}
	was, err := w.existing(rec.Issue.ID)
	if err != nil {
		return c, "", fmt.Errorf("import over %w", err)
	}
	r, err := w.rules(by)
	if err != nil {
		return c, "", err
	}
	if c, did, err = r.Import(was, rec); err != nil {
		return c, "", err
	}
	return c, did, w.applyAll(r, c)
}

// existing returns the card of that id, or nil when there is none. One that
// cannot be read is there, and nothing goes over it.
func (w *writer) existing(id string) (*board.Issue, error) {
	i, err := w.s.cards.read(id)
	if errors.Is(err, board.ErrNotFound) {
		return nil, nil
	}
	return &i, err
}

// SetLaunchRefusal implements board.Store.
func (s *Store) SetLaunchRefusal(ctx context.Context, id string, f board.Fence, l board.LaunchRefusal, by board.Cause) (board.Issue, error) {
	return s.change(ctx, id, by, func(_ *writer, r board.Rules, i board.Issue) (board.Change, error) {
		return r.SetLaunchRefusal(i, f, l)
	})
}
