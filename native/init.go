package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/board"
)

// gitignore leaves the board and its cards to git and keeps the rest, which is
// this host's own, out.
const gitignore = `# The board and its cards may be committed; the rest belongs to this host.
/*
!/.gitignore
!/dispatcher/
/dispatcher/*
!/dispatcher/board.json
!/dispatcher/issues/
`

// Init makes dir a store with the given board and reports whether it did. A
// board that is there is left alone unless force is set; then it is replaced,
// readable or not, and its cards stay.
func Init(dir string, schema board.Schema, force bool) (created bool, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return false, fmt.Errorf("make a store: %w", err)
	}
	if err := schema.Validate(); err != nil {
		return false, err
	}
	s := newStore(Layout{Root: abs}, Options{})
	if err := s.makeFolders(); err != nil {
		return false, fmt.Errorf("make a store: %w", err)
	}
	err = s.write(context.Background(), func(w *writer) error {
		created, err = w.initBoard(schema, force)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("make a store at %s: %w", abs, err)
	}
	return created, s.writeGitignore()
}

func (s *Store) makeFolders() error {
	for _, dir := range []string{s.l.Dispatcher(), s.l.Issues(), s.l.Staging()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return readOnly(err)
		}
	}
	return nil
}

// initBoard writes a first board without an event: the log tells changes. A
// board that is replaced by force leaves one.
func (w *writer) initBoard(schema board.Schema, force bool) (bool, error) {
	taken, err := exists(w.s.l.Board())
	if err != nil || taken && !force {
		return false, err
	}
	if taken {
		return true, w.replaceBoard(schema)
	}
	schema.UpdatedAt = time.Now().UTC()
	data, err := board.EncodeSchema(schema)
	if err != nil {
		return false, err
	}
	o := w.s.o.atomic()
	o.TempDir = w.s.l.Staging()
	return true, atomicfile.WriteFile(w.s.l.Board(), data, 0o600, o)
}

// replaceBoard starts from whatever can be read of the old board.
func (w *writer) replaceBoard(schema board.Schema) error {
	was, err := w.s.readSchema()
	if err != nil {
		w.s.o.Log.Warn("the old board is replaced unread", "err", err)
		was = board.Schema{}
	}
	held, err := w.held()
	if err != nil {
		return err
	}
	return w.setSchema(was, schema, held, board.Cause{})
}

// writeGitignore leaves one that is there alone: it may have been edited.
func (s *Store) writeGitignore() error {
	path := filepath.Join(s.l.Root, ".gitignore")
	if taken, err := exists(path); taken || err != nil {
		return err
	}
	return atomicfile.WriteFile(path, []byte(gitignore), 0o600, s.o.atomic())
}

// exists reports whether anything has the name.
func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
