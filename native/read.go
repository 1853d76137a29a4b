package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"iterion/native/board"
)

// Schema implements board.Store.
func (s *Store) Schema(ctx context.Context) (board.Schema, error) {
	if err := ctx.Err(); err != nil {
		return board.Schema{}, err
	}
	return s.readSchema()
}

func (s *Store) readSchema() (board.Schema, error) {
	data, err := os.ReadFile(s.l.Board())
	if errors.Is(err, fs.ErrNotExist) {
		return board.Schema{}, fmt.Errorf("board %s: %w", s.l.Board(), board.ErrNotFound)
	}
	var schema board.Schema
	if err == nil {
		schema, err = board.DecodeSchema(data)
	}
	if err == nil {
		err = schema.Validate()
	}
	if err != nil {
		return board.Schema{}, &board.UnreadableSchemaError{Path: s.l.Board(), Err: err}
	}
	return schema, nil
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
