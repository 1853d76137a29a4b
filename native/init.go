package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// Made is what Init did.
type Made int

// What Init can have done.
const (
	MadeNothing Made = iota // there is a board, and it stays
	MadeBoard               // wrote the board of a store that was there before
	MadeStore               // made the store: nothing in it is anybody else's
)

// Init makes dir a store with the given board. A board that is there is left
// alone unless force is set; then it is replaced, readable or not, and its cards
// stay.
func Init(dir string, schema board.Schema, force bool) (Made, error) {
	return Options{}.Init(dir, schema, force)
}

// Init is Init with options.
func (o Options) Init(dir string, schema board.Schema, force bool) (made Made, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return MadeNothing, fmt.Errorf("make a store: %w", err)
	}
	if err := schema.Validate(); err != nil {
		return MadeNothing, err
	}
	s := newStore(Layout{Root: abs}, o)
	if err := s.makeFolders(); err != nil {
		return MadeNothing, fmt.Errorf("make a store: %w", err)
	}
	err = s.write(context.Background(), func(w *writer) error {
		made, err = w.initBoard(schema, force)
		return err
	})
	if err != nil {
		return MadeNothing, fmt.Errorf("make a store at %s: %w", abs, err)
	}
	return made, s.writeGitignore()
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
func (w *writer) initBoard(schema board.Schema, force bool) (Made, error) {
	taken, err := exists(w.s.l.Board())
	if err != nil || taken && !force {
		return MadeNothing, err
	}
	if taken {
		return MadeBoard, w.replaceBoard(schema)
	}
	made := MadeBoard
	if fresh, err := w.s.pristine(); err != nil {
		return MadeNothing, err
	} else if fresh {
		made = MadeStore
	}
	schema.UpdatedAt = time.Now().UTC()
	data, err := board.EncodeSchema(schema)
	if err != nil {
		return MadeNothing, err
	}
	o := w.s.o.atomic()
	o.TempDir = w.s.l.Staging()
	return made, atomicfile.WriteFile(w.s.l.Board(), data, 0o600, o)
}

// pristine reports that the store holds nothing but what Init has just made. A
// folder that came with a clone may lack its board and still bring cards, runs
// or a dispatcher's files of somebody else. Other programs' files beside them
// do not count: a home's .iterion has some.
func (s *Store) pristine() (bool, error) {
	for _, dir := range []string{s.l.Runs(), s.l.Spend(), s.l.Workspaces()} {
		if taken, err := exists(dir); taken || err != nil {
			return false, err
		}
	}
	ours := map[string]bool{}
	for _, path := range []string{s.l.WriterLock(), s.l.Staging(), s.l.Issues()} {
		ours[filepath.Base(path)] = true
	}
	found, err := os.ReadDir(s.l.Dispatcher())
	if err != nil || slices.ContainsFunc(found, func(e fs.DirEntry) bool { return !ours[e.Name()] }) {
		return false, err
	}
	cards, err := os.ReadDir(s.l.Issues())
	return len(cards) == 0, err
}

// replaceBoard starts from whatever can be read of the old board. One that
// cannot be read is kept beside the new one: it may be a person's work that only
// lacks a comma.
func (w *writer) replaceBoard(schema board.Schema) error {
	was, err := w.s.schema.read()
	if err != nil {
		aside := asideName(w.s.l.Board())
		if err := keepAside(w.s.l.Board(), aside); err != nil {
			return fmt.Errorf("keep the unreadable board: %w", err)
		}
		w.s.o.Log.Warn("the old board could not be read", "kept", aside, "err", err)
		was = board.Schema{}
	}
	held, err := w.held(was, schema)
	if err != nil {
		return err
	}
	return w.setSchema(was, schema, held, board.Cause{})
}

// keepAside gives a file a second name, or what is no file another one.
func keepAside(path, aside string) error {
	if os.Link(path, aside) == nil {
		return nil
	}
	return os.Rename(path, aside)
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
