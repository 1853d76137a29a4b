package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"iterion/native/board"
)

// An editor writes beside the card, keeps a copy of the old one and renames; what
// it leaves among the cards is none.
func TestEditorThatSavesByRename(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	card := mustCreate(t, s, "before", "")
	path := s.Layout().IssueFile(card.ID)
	backdate(t, path)
	if l, err := s.List(t.Context(), board.Query{}); err != nil || l.Issues[0].Title != "before" {
		t.Fatalf("got %+v, %v", l, err)
	}
	edited := strings.Replace(readFile(t, path), "before", "edited", 1) // of the same size
	writeFile(t, filepath.Join(s.Layout().Issues(), "4913"), edited)
	writeFile(t, filepath.Join(s.Layout().Issues(), "."+filepath.Base(path)+".swp"), "x")
	if err := os.Rename(path, path+"~"); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path+".new", edited)
	backdate(t, path+".new")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	l, err := s.List(t.Context(), board.Query{})
	if err != nil || len(l.Issues) != 1 || len(l.Broken) != 0 || l.Issues[0].Title != "edited" {
		t.Errorf("got %+v, %v", l, err)
	}
	if i, err := s.Get(t.Context(), card.ID); err != nil || i.Title != "edited" {
		t.Errorf("got %+v, %v", i, err)
	}
	if id, err := s.Resolve(t.Context(), board.ShortID(card.ID)); err != nil || id != card.ID {
		t.Errorf("resolved to %s, %v", id, err)
	}
}
