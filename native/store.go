package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/jsonl"
)

// Options of a Store. The zero value is the durable one.
type Options struct {
	// NoFsync leaves out the syncs: kill -9 still loses nothing, a power cut may.
	NoFsync bool
	// LockWait is how long a writer waits for the others; 0 means 5 s.
	LockWait time.Duration
	// Log takes reports of what was found damaged and how it was dealt with. Nil
	// is silent.
	Log *slog.Logger
}

func (o Options) atomic() atomicfile.Options { return atomicfile.Options{NoFsync: o.NoFsync} }
func (o Options) jsonl() jsonl.Options       { return jsonl.Options{NoFsync: o.NoFsync} }

// Store is the board in one folder. It is safe for concurrent use, and so are
// any number of Stores on one folder, over processes.
type Store struct {
	l      Layout
	o      Options
	turns  chan struct{} // holds one token while a writer of this process is at work
	log    *eventLog
	cards  *cards
	schema *schemaFile

	awaited awaited

	// crash, when set, is told each step of a write as it is done; tests die there.
	crash func(step string)
}

var _ board.Store = (*Store)(nil)

// Open opens the store at l. A board that lacks columns which came later is
// upgraded first, where the store can be written.
func Open(l Layout, o Options) (*Store, error) {
	s := newStore(l, o)
	info, err := os.Stat(l.Dispatcher())
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, &NoStoreError{Tried: l.Root}
	}
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := s.upgrade(context.Background()); err != nil {
		return nil, fmt.Errorf("upgrade the board of %s: %w", l.Root, err)
	}
	return s, nil
}

func newStore(l Layout, o Options) *Store {
	if o.LockWait <= 0 {
		o.LockWait = filelock.DefaultWait
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Store{
		l:      l,
		o:      o,
		turns:  make(chan struct{}, 1),
		log:    newEventLog(l, o),
		cards:  newCards(l),
		schema: &schemaFile{path: l.Board()},
		crash:  func(string) {},
	}
}

// Layout returns where the store lies.
func (s *Store) Layout() Layout { return s.l }

// Close lets go of what the Store remembers. Of files it holds the index open.
func (s *Store) Close() error {
	s.cards.forget()
	return nil
}

// upgrade leaves a board that cannot be read, or not be written, as it is:
// people can still read their cards.
func (s *Store) upgrade(ctx context.Context) error {
	schema, err := s.schema.read()
	if err != nil {
		return nil
	}
	if _, older := board.Upgrade(schema); !older {
		return nil
	}
	err = s.write(ctx, func(w *writer) error {
		schema, err := s.schema.read() // another process may have been quicker
		if err != nil {
			return err
		}
		next, _ := board.Upgrade(schema)
		return w.setSchema(schema, next, nil, board.Cause{Reason: board.ReasonSchemaMigration})
	})
	if errors.Is(err, board.ErrReadOnly) {
		return nil
	}
	return err
}
