package native

import (
	"context"
	"errors"

	"iterion/native/board"
)

// Schema implements board.Store.
func (s *Store) Schema(ctx context.Context) (board.Schema, error) {
	if err := ctx.Err(); err != nil {
		return board.Schema{}, err
	}
	return s.schema.read()
}

// Resolve implements board.Store. It looks at names only, and for a whole id of
// the usual form at one of them.
func (s *Store) Resolve(ctx context.Context, ref string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if id, ok := board.FullID(ref); ok && s.has(id) {
		return id, nil
	}
	ids, err := s.cards.ids()
	if err != nil {
		return "", err
	}
	id, err := board.Resolve(ref, ids)
	var ambiguous *board.AmbiguousError
	if errors.As(err, &ambiguous) {
		for n, m := range ambiguous.Matches {
			if i, err := s.cards.read(m.ID); err == nil {
				ambiguous.Matches[n] = i
			}
		}
	}
	return id, err
}

// has reports whether there is a record of that id, readable or not.
func (s *Store) has(id string) bool {
	there, err := exists(s.l.IssueFile(id))
	return err == nil && there
}

// Get implements board.Store.
func (s *Store) Get(ctx context.Context, id string) (board.Issue, error) {
	if err := ctx.Err(); err != nil {
		return board.Issue{}, err
	}
	return s.cards.read(id)
}
