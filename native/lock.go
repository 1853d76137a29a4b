package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/board"
	"iterion/native/filelock"
)

// Exclusive runs fn under the writer lock, for the files of the store that have
// no verb of their own. fn must be short, and must not call a writing verb of
// the store, which would wait for the lock that fn runs under.
func (s *Store) Exclusive(ctx context.Context, fn func() error) error {
	return s.write(ctx, func(*writer) error { return fn() })
}

// writer is what a verb may do while it holds the writer lock.
type writer struct {
	s     *Store
	owed  []string // folders that a record was placed in, to be synced
	fresh string   // an id that was made just now, which no card can name
}

// write runs fn under the writer lock, after finishing what an earlier holder
// left behind.
func (s *Store) write(ctx context.Context, fn func(*writer) error) error {
	w := &writer{s: s}
	err := w.run(ctx, fn)
	if late := w.settleOwed(); err == nil {
		err = late
	}
	return err
}

func (w *writer) run(ctx context.Context, fn func(*writer) error) error {
	unlock, err := w.s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := w.redo(); err != nil {
		return fmt.Errorf("finish the write of an earlier process: %w", err)
	}
	err = fn(w)
	w.s.log.saveMark()
	return err
}

func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(s.o.LockWait)
	if err := s.turn(ctx); err != nil {
		return nil, err
	}
	release := suspension.hold()
	lock, err := filelock.Acquire(ctx, s.l.WriterLock(), filelock.Options{Wait: max(time.Until(deadline), time.Millisecond)})
	if err != nil {
		release()
		<-s.turns
		return nil, lockError(err)
	}
	return func() {
		lock.Release()
		release()
		<-s.turns
	}, nil
}

// turn queues the writers of this process, so that they do not poll against
// each other.
func (s *Store) turn(ctx context.Context) error {
	t := time.NewTimer(s.o.LockWait)
	defer t.Stop()
	select {
	case s.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return fmt.Errorf("%w: this process still writes", board.ErrBusy)
	}
}

func lockError(err error) error {
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return fmt.Errorf("%w: %w", board.ErrBusy, held)
	}
	return readOnly(err)
}

// writable refuses a read-only store before anything half-happens, and makes
// the folders that a clone of the store does not bring along.
func (s *Store) writable() error {
	for _, dir := range []string{s.l.Dispatcher(), s.l.Issues(), s.l.Staging()} {
		err := access(dir + "/.") // a file in its place is refused
		if errors.Is(err, fs.ErrNotExist) && dir != s.l.Dispatcher() {
			err = os.Mkdir(dir, 0o700)
			if errors.Is(err, fs.ErrExist) {
				err = nil // somebody else was quicker
			}
		}
		if err != nil {
			return readOnly(fmt.Errorf("write to %s: %w", dir, err))
		}
	}
	if err := access(s.l.Events()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return readOnly(fmt.Errorf("write to %s: %w", s.l.Events(), err))
	}
	return nil
}

func access(path string) error {
	return unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS)
}

// readOnly adds board.ErrReadOnly where that is what err means.
func readOnly(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", board.ErrReadOnly, err)
	}
	return err
}

// isNotDir reports that a part of a path is a file.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
