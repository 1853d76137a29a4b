package native

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/board"
	"iterion/native/storetest"
)

// checkWhole takes the writer lock once, as the next process would, and then has
// the files judged by themselves.
func checkWhole(t testing.TB, l Layout) storetest.Report {
	t.Helper()
	takeLock(t, l)
	return storetest.Whole(t, l.Dispatcher(), storetest.Options{})
}

func takeLock(t testing.TB, l Layout) {
	t.Helper()
	s := openStore(t, l, Options{NoFsync: true})
	if err := s.Exclusive(t.Context(), func() error { return nil }); err != nil {
		t.Fatalf("the next writer: %v", err)
	}
}

func checkNothingLeft(t testing.TB, l Layout) {
	t.Helper()
	left, err := os.ReadDir(l.Staging())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		t.Errorf("%s is left in the staging folder", e.Name())
	}
	if _, err := os.Lstat(l.verb()); !os.IsNotExist(err) {
		t.Errorf("the verb file is left: %v", err)
	}
}

func checkSeq(t testing.TB, events []board.Event) {
	t.Helper()
	for n, e := range events {
		if e.Seq != int64(n) {
			t.Fatalf("event %d has seq %d", n, e.Seq)
		}
	}
}

func mustCreate(t testing.TB, s *Store, title, state string, blockers ...string) board.Issue {
	t.Helper()
	i, err := s.Create(t.Context(), board.Issue{Title: title, State: state, Blockers: blockers}, board.Cause{})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// backdate makes a store's files look as if they had been at rest for long, and
// waits until the change of their times, which nobody can date back, is old
// enough to be told from the next one.
func backdate(t testing.TB, paths ...string) {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	for _, p := range paths {
		if err := os.Chtimes(p, past, past); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range paths {
		for st := statOf(t, p); !st.settled(time.Now()); time.Sleep(time.Millisecond) {
		}
	}
}

func statOf(t testing.TB, path string) stat {
	t.Helper()
	st, err := statAt(unix.AT_FDCWD, path)
	if err != nil {
		t.Fatal(err)
	}
	return st
}
