package native

import (
	"errors"
	"os"
	"strings"
	"testing"

	"iterion/native/board"
)

// readBoard returns a store that remembers its board, and the board's text.
func readBoard(t *testing.T) (*Store, string) {
	t.Helper()
	l := newStoreDir(t)
	backdate(t, l.Board())
	s := openStore(t, l, Options{NoFsync: true})
	if s.schema.as == (stat{}) {
		t.Fatal("the board is not remembered")
	}
	data, err := os.ReadFile(l.Board())
	if err != nil {
		t.Fatal(err)
	}
	return s, string(data)
}

func TestBoardEditedInPlaceWithItsSizeAndTimesIsSeen(t *testing.T) {
	s, text := readBoard(t)
	info, err := os.Stat(s.l.Board())
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.l.Board(), strings.Replace(text, `"name": "ready"`, `"name": "raedy"`, 1))
	if err := os.Chtimes(s.l.Board(), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Schema(t.Context())
	if _, there := schema.State("raedy"); err != nil || !there {
		t.Errorf("got the columns %v, %v", schema.StateNames(), err)
	}
	if _, err := s.Create(t.Context(), board.Issue{Title: "x", State: "ready"}, board.Cause{}); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("a card in a column that went: %v", err)
	}
}

func TestBoardThatCannotBeReadAnyMoreIsTold(t *testing.T) {
	s, text := readBoard(t)
	writeFile(t, s.l.Board(), text[:len(text)/2])
	var bad *board.UnreadableSchemaError
	if _, err := s.Schema(t.Context()); !errors.As(err, &bad) {
		t.Errorf("half a board: %v", err)
	}
	if err := os.Remove(s.l.Board()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Schema(t.Context()); !errors.Is(err, board.ErrNotFound) {
		t.Errorf("no board: %v", err)
	}
}

func TestSchemaHandsOutCopies(t *testing.T) {
	s, _ := readBoard(t)
	schema, err := s.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	schema.States[0].Name = "mine"
	again, err := s.Schema(t.Context())
	if err != nil || again.States[0].Name == "mine" {
		t.Errorf("a caller's change is in the next answer: %v, %v", again.StateNames(), err)
	}
}
