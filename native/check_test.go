package native

import (
	"os"
	"slices"
	"testing"
	"time"

	"iterion/native/board"
)

// checkWhole takes the writer lock once, as the next process would, and then
// checks that nothing is half-way: seq without gap or repeat, and each card
// exactly as its last event left it.
func checkWhole(t testing.TB, l Layout) {
	t.Helper()
	s := openStore(t, l, Options{NoFsync: true})
	if err := s.Exclusive(t.Context(), func() error { return nil }); err != nil {
		t.Fatalf("the next writer: %v", err)
	}
	checkNothingLeft(t, l)
	events, err := s.Events(t.Context(), -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	checkSeq(t, events)
	checkCards(t, s, events)
	checkSchema(t, s, events)
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

// checkCards relies on every verb stamping the card with its event's instant.
func checkCards(t testing.TB, s *Store, events []board.Event) {
	t.Helper()
	last := map[string]board.Event{}
	for _, e := range events {
		if e.IssueID != "" {
			last[e.IssueID] = e
		}
	}
	list, err := s.List(t.Context(), board.Query{})
	if err != nil || len(list.Broken) > 0 {
		t.Fatalf("list: %v, broken %v", err, list.Broken)
	}
	for _, i := range list.Issues {
		e, ok := last[i.ID]
		delete(last, i.ID)
		if !ok || !e.Timestamp.Equal(i.UpdatedAt) {
			t.Errorf("card %s was changed at %v, its last event (%s, seq %d) is of %v", i.ID, i.UpdatedAt, e.Type, e.Seq, e.Timestamp)
		}
	}
	for id, e := range last {
		if e.Type != board.EventIssueDeleted {
			t.Errorf("card %s is missing; its last event is %s, seq %d", id, e.Type, e.Seq)
		}
	}
}

func checkSchema(t testing.TB, s *Store, events []board.Event) {
	t.Helper()
	schema, err := s.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(events)
	for _, e := range events {
		if e.Type == board.EventBoardUpdated {
			if !e.Timestamp.Equal(schema.UpdatedAt) {
				t.Errorf("the board was changed at %v, its last event is of %v", schema.UpdatedAt, e.Timestamp)
			}
			return
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

// backdate makes a store's files look as if they had been at rest for long.
func backdate(t testing.TB, paths ...string) {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	for _, p := range paths {
		if err := os.Chtimes(p, past, past); err != nil {
			t.Fatal(err)
		}
	}
}
