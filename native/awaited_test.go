package native

import (
	"fmt"
	"testing"

	"iterion/native/board"
)

func finished(n int) board.Record {
	return board.Record{Issue: board.Issue{ID: fmt.Sprintf("native:done-%d", n), Title: "finished", State: board.StateDone}}
}

func importOne(t *testing.T, s *Store, rec board.Record) {
	t.Helper()
	if _, _, err := s.Import(t.Context(), rec, board.Cause{}); err != nil {
		t.Fatal(err)
	}
}

func TestImportOfManyFinishedCardsLooksAtTheBoardOnce(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	for n := range 50 {
		mustCreate(t, s, fmt.Sprint("card ", n), "")
	}
	importOne(t, s, finished(0))
	loads := countLoads(s)
	for n := range 10 {
		importOne(t, s, finished(n+1))
	}
	if n := loads.Load(); n > 40 {
		t.Errorf("%d card files were read for 10 cards", n)
	}
	loads.Store(0)
	if _, err := s.Create(t.Context(), board.Issue{Title: "x", State: board.StateDone}, board.Cause{}); err != nil {
		t.Fatal(err)
	}
	if n := loads.Load(); n > 0 {
		t.Errorf("%d card files were read to make a card whose id nobody can name", n)
	}
}

func TestFinishedCardFreesWhoCameMeanwhile(t *testing.T) {
	l := newStoreDir(t)
	s, other := openStore(t, l, Options{NoFsync: true}), openStore(t, l, Options{NoFsync: true})
	importOne(t, s, finished(0)) // from now on it knows who is waited for
	first := board.Issue{ID: "native:first", Title: "waits", State: board.StateWaitingDeps, Blockers: []string{"native:done-1"}}
	importOne(t, other, board.Record{Issue: first})
	later := mustCreate(t, other, "waits, too", board.StateWaitingDeps, "native:done-0", "native:first")
	importOne(t, s, finished(1))
	if i, err := s.Get(t.Context(), first.ID); err != nil || i.State != board.StateBacklog {
		t.Errorf("its last blocker came done, it is in %s, %v", i.State, err)
	}
	if i, err := s.Get(t.Context(), later.ID); err != nil || i.State != board.StateWaitingDeps {
		t.Errorf("a blocker is open, it is in %s, %v", i.State, err)
	}
	checkWhole(t, l)
}

func TestFinishedCardFreesOnABoardThatLostItsLog(t *testing.T) {
	l := newStoreDir(t)
	s := openStore(t, l, Options{NoFsync: true})
	for n := range 3 {
		importOne(t, s, finished(n))
	}
	writeFile(t, l.Events(), "")
	waits := board.Issue{ID: "native:waits", Title: "waits", State: board.StateWaitingDeps, Blockers: []string{"native:done-9"}}
	importOne(t, s, board.Record{Issue: waits})
	importOne(t, s, finished(9))
	if i, err := s.Get(t.Context(), waits.ID); err != nil || i.State != board.StateBacklog {
		t.Errorf("its last blocker came done, it is in %s, %v", i.State, err)
	}
}
