package native

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"iterion/native/board"
)

// asNobody makes the test's thread an ordinary user towards the file system,
// because root may write anywhere.
func asNobody(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	runtime.LockOSThread() // never unlocked: the thread ends with the test
	if _, err := unix.SetfsuidRetUid(65534); err != nil {
		t.Skipf("cannot become an ordinary user: %v", err)
	}
	t.Cleanup(func() { unix.SetfsuidRetUid(0) })
}

// protect takes the right to write from a store that everyone may read.
func protect(t *testing.T, l Layout) {
	t.Helper()
	chmod := func(dir, file fs.FileMode) {
		filepath.WalkDir(l.Root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				return os.Chmod(path, dir)
			}
			return os.Chmod(path, file)
		})
	}
	for dir := filepath.Dir(l.Root); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		os.Chmod(dir, 0o755)
	}
	chmod(0o555, 0o444)
	t.Cleanup(func() { chmod(0o700, 0o600) })
}

func TestReadOnlyStoreIsReadAndNotWritten(t *testing.T) {
	l := newStoreDir(t)
	card := mustCreate(t, openStore(t, l, Options{NoFsync: true}), "x", "")
	protect(t, l)
	asNobody(t)
	s := openStore(t, l, Options{NoFsync: true})
	if i, err := s.Get(t.Context(), card.ID); err != nil || i.Title != "x" {
		t.Errorf("get: %+v, %v", i, err)
	}
	if list, err := s.List(t.Context(), board.Query{}); err != nil || len(list.Issues) != 1 {
		t.Errorf("list: %+v, %v", list, err)
	}
	if events, err := s.Events(t.Context(), -1, 0); err != nil || len(events) != 1 {
		t.Errorf("events: %+v, %v", events, err)
	}
	by := board.Cause{}
	_, errCreate := s.Create(t.Context(), board.Issue{Title: "y"}, by)
	_, errMove := s.Move(t.Context(), card.ID, board.StateReady, by)
	for verb, err := range map[string]error{
		"create": errCreate, "move": errMove,
		"delete":    s.Delete(t.Context(), card.ID, false, by),
		"exclusive": s.Exclusive(t.Context(), func() error { t.Error("ran"); return nil }),
	} {
		if !errors.Is(err, board.ErrReadOnly) {
			t.Errorf("%s: got %v, want ErrReadOnly", verb, err)
		}
	}
	if _, err := Init(l.Root, board.DefaultSchema(), true); !errors.Is(err, board.ErrReadOnly) {
		t.Errorf("init: got %v, want ErrReadOnly", err)
	}
}

func TestOneReadOnlyPartStopsAWriteBeforeItBegins(t *testing.T) {
	for name, path := range map[string]func(Layout) string{
		"cards": Layout.Issues, "log": Layout.Events, "staging": Layout.Staging, "dispatcher": Layout.Dispatcher, "lock": Layout.WriterLock,
	} {
		t.Run(name, func(t *testing.T) {
			l := newStoreDir(t)
			card := mustCreate(t, openStore(t, l, Options{NoFsync: true}), "x", "")
			protect(t, l)
			filepath.WalkDir(l.Root, func(p string, d fs.DirEntry, err error) error {
				if err == nil && p != path(l) {
					os.Chmod(p, 0o777)
				}
				return err
			})
			asNobody(t)
			s := openStore(t, l, Options{NoFsync: true})
			_, err := s.Move(t.Context(), card.ID, board.StateReady, board.Cause{})
			if !errors.Is(err, board.ErrReadOnly) {
				t.Errorf("got %v, want ErrReadOnly", err)
			}
			if tip, err := s.Tip(t.Context()); err != nil || tip != 0 {
				t.Errorf("tip %d, %v, want 0", tip, err)
			}
			if i, err := s.Get(t.Context(), card.ID); err != nil || i.State != card.State {
				t.Errorf("the card: %s, %v", i.State, err)
			}
		})
	}
}

func TestI5_CardWithoutPermissionIsNamed(t *testing.T) {
	l := newStoreDir(t)
	made := openStore(t, l, Options{NoFsync: true})
	card, other := mustCreate(t, made, "x", ""), mustCreate(t, made, "y", "")
	protect(t, l)
	os.Chmod(l.IssueFile(card.ID), 0)
	asNobody(t)
	s := openStore(t, l, Options{NoFsync: true})
	list, err := s.List(t.Context(), board.Query{})
	if err != nil || len(list.Issues) != 1 || list.Issues[0].ID != other.ID || len(list.Broken) != 1 || list.Broken[0].ID != card.ID {
		t.Errorf("list: %+v, %v", list, err)
	}
	if _, err := s.Get(t.Context(), card.ID); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("get: %v", err)
	}
}
