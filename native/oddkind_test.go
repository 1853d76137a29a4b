package native

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"iterion/native/board"
)

// otherKind puts a folder in place of a file, and a file in place of a folder.
func otherKind(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.RemoveAll(path)
	}
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
	case info != nil && info.IsDir():
		err = os.WriteFile(path, []byte("x"), 0o600)
	default:
		err = errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "x"), nil, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestI5_FoldersInPlaceOfNotesAreDoneWithout(t *testing.T) {
	for name, where := range map[string]func(Layout) string{"index": Layout.Index, "mark": Layout.logMark, "verb": Layout.verb} {
		t.Run(name, func(t *testing.T) {
			l := newStoreDir(t)
			mustCreate(t, openStore(t, l, Options{NoFsync: true}), "one", "")
			otherKind(t, where(l))
			s := openStore(t, l, Options{NoFsync: true})
			mustCreate(t, s, "two", "")
			if n := len(listOf(t, s).Issues); n != 2 {
				t.Errorf("%d cards listed, want 2", n)
			}
			if got := seqs(t, s, -1, 0); len(got) != 2 {
				t.Errorf("events %v, want two", got)
			}
			checkWhole(t, l)
		})
	}
}

// A power cut, or a copy by a tool, may leave anything. What cannot be written is
// still read.
func TestI5_FilesInPlaceOfFoldersAndLocksStopWritesAlone(t *testing.T) {
	for name, where := range map[string]func(Layout) string{"staging": Layout.Staging, "lock": Layout.WriterLock} {
		t.Run(name, func(t *testing.T) {
			l := newStoreDir(t)
			card := mustCreate(t, openStore(t, l, Options{NoFsync: true}), "one", "")
			otherKind(t, where(l))
			s := openStore(t, l, Options{NoFsync: true})
			_, err := s.Move(t.Context(), card.ID, board.StateReady, board.Cause{})
			if err == nil || errors.Is(err, board.ErrAmbiguous) || !strings.Contains(err.Error(), where(l)) {
				t.Errorf("got %v, want a plain error that names %s", err, where(l))
			}
			if i, err := s.Get(t.Context(), card.ID); err != nil || i.State != card.State {
				t.Errorf("the card is in %s, %v", i.State, err)
			}
			if n := len(listOf(t, s).Issues); n != 1 {
				t.Errorf("%d cards listed, want 1", n)
			}
			if got := seqs(t, s, -1, 0); len(got) != 1 {
				t.Errorf("events %v, want one", got)
			}
		})
	}
}

// Where a full disk could stop it.
func TestVerbOverSeveralCardsThatCannotBeWrittenIsTakenBackWhole(t *testing.T) {
	for name, inTheWay := range map[string]func(l Layout, id string) string{
		"its second card": func(l Layout, id string) string { return filepath.Join(l.Staging(), "6-"+encodeID(id)) },
		"its verb file":   func(l Layout, _ string) string { return l.verb() },
	} {
		t.Run(name, func(t *testing.T) {
			sc := newScene(t)
			l := sc.s.l
			cards := listOf(t, sc.s).Issues
			sc.s.crash = func(string) {
				for _, c := range cards {
					_ = os.MkdirAll(filepath.Join(inTheWay(l, c.ID), "x"), 0o700)
				}
			}
			_, err := sc.s.Relabel(t.Context(), board.RenameLabel("x", "y"), board.Cause{})
			if err == nil || errors.Is(err, board.ErrAmbiguous) {
				t.Errorf("got %v, want a plain error", err)
			}
			for _, c := range cards {
				if err := os.RemoveAll(inTheWay(l, c.ID)); err != nil {
					t.Fatal(err)
				}
			}
			checkNothingLeft(t, l)
			checkWhole(t, l)
			if got := seqs(t, sc.s, 4, 0); len(got) != 0 {
				t.Errorf("events %v of a verb that was refused", got)
			}
		})
	}
}
