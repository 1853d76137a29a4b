package native

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/native/board"
)

// indexed makes a store whose index knows all of its n cards, and returns what a
// list of it must say.
func indexed(t *testing.T, n int) (Layout, board.Listing) {
	t.Helper()
	l := newStoreDir(t)
	s := openStore(t, l, Options{NoFsync: true})
	paths := []string{l.Issues()}
	for i := range n {
		c := mustCreate(t, s, fmt.Sprint("card ", i), "")
		paths = append(paths, l.IssueFile(c.ID))
	}
	backdate(t, paths...)
	want := listOf(t, s)
	if _, err := os.Stat(l.Index()); err != nil || len(want.Issues) != n {
		t.Fatalf("%d cards listed, %v", len(want.Issues), err)
	}
	return l, want
}

func listOf(t *testing.T, s *Store) board.Listing {
	t.Helper()
	list, err := s.List(t.Context(), board.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// expectList lists as a process that starts now, and returns how many card files
// that read.
func expectList(t *testing.T, l Layout, want board.Listing) int64 {
	t.Helper()
	s := openStore(t, l, Options{NoFsync: true})
	loads := countLoads(s)
	if diff := cmp.Diff(want, listOf(t, s)); diff != "" {
		t.Errorf("the list is wrong (-want +got):\n%s", diff)
	}
	return loads.Load()
}

func TestIndexSparesTheNextProcessReadingTheCards(t *testing.T) {
	l, want := indexed(t, 100)
	if n := expectList(t, l, want); n != 0 {
		t.Errorf("%d files read though none changed", n)
	}
	s := openStore(t, l, Options{NoFsync: true})
	moved, err := s.Move(t.Context(), want.Issues[7].ID, board.StateReady, board.Cause{})
	if err != nil {
		t.Fatal(err)
	}
	want.Issues[7] = moved
	if n := expectList(t, l, want); n != 1 {
		t.Errorf("%d files read, want the one that changed", n)
	}
}

func TestI5_DamagedIndexNeverChangesTheList(t *testing.T) {
	l, want := indexed(t, 6)
	whole, err := os.ReadFile(l.Index())
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(l.Index(), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if expectList(t, l, want); t.Failed() {
			t.Fatalf("with an index that %s", what)
		}
	}
	for at := 0; at < len(whole); at += 5 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		spoil(fmt.Sprint("has a wrong bit in byte ", at), flipped)
	}
	for size := 0; size < len(whole); size += 37 {
		spoil(fmt.Sprint("ends after ", size), whole[:size])
		spoil(fmt.Sprint("is empty blocks from on ", size), append(bytes.Clone(whole[:size]), make([]byte, len(whole)-size)...))
	}
	spoil("goes on", append(bytes.Clone(whole), whole...))
	spoil("is of another version", bytes.Replace(whole, []byte("index 1"), []byte("index 2"), 1))
	spoil("is text", []byte("{}\n"))
}

func TestIndexThatIsMissingOrInTheWayIsDoneWithout(t *testing.T) {
	l, want := indexed(t, 5)
	remove := func() {
		if err := os.RemoveAll(l.Index()); err != nil {
			t.Fatal(err)
		}
	}
	remove()
	if n := expectList(t, l, want); n != 5 {
		t.Errorf("%d files read, want all", n)
	}
	if n := expectList(t, l, want); n != 0 {
		t.Errorf("%d files read: the index was not made again", n)
	}
	remove()
	if err := os.MkdirAll(filepath.Join(l.Index(), "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, l, Options{NoFsync: true})
	for range 2 {
		if diff := cmp.Diff(want, listOf(t, s)); diff != "" {
			t.Errorf("with a folder in its place: %s", diff)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(l.Dispatcher(), tempIndex+"*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestIndexOfAnotherStoreIsNotBelieved(t *testing.T) {
	l, want := indexed(t, 5)
	other := newStoreDir(t)
	for _, i := range want.Issues { // the same cards under the same names, and one of them changed
		if i.Title == "card 3" {
			i.Title = "card X"
		}
		data, err := board.EncodeIssue(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(other.IssueFile(i.ID), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(l.Index())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other.Index(), data, 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range want.Issues {
		want.Issues[n].Title = strings.Replace(want.Issues[n].Title, "3", "X", 1)
	}
	expectList(t, other, want)
}

// An index whose checksums are right and that says what is not so.
func TestIndexThatTakesOneCardForAnotherIsNotBelieved(t *testing.T) {
	l, want := indexed(t, 5)
	c := openStore(t, l, Options{}).cards
	c.recall(c.index.open(c.l.Index()))
	a, b := c.kept[1], c.kept[3]
	a.as, b.as = b.as, a.as
	c.kept[0].content, c.kept[4].content = c.kept[4].content, c.kept[0].content
	f, _, err := writeIndex(l.Index(), c.kept, c.index.File, c.dir)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if n := expectList(t, l, want); n < 2 {
		t.Errorf("%d files read", n)
	}
}

// What git checkout, editors and other programs do to the files.
func TestIndexSeesWhatOthersDoToTheFiles(t *testing.T) {
	type files struct {
		l    Layout
		want board.Listing
	}
	encode := func(t *testing.T, i board.Issue) []byte {
		data, err := board.EncodeIssue(i)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, do := range map[string]func(t *testing.T, f *files) error{
		"adds a card": func(t *testing.T, f *files) error {
			i := f.want.Issues[4]
			i.ID, i.CreatedAt = board.NewID(), i.CreatedAt.Add(time.Hour)
			f.want.Issues = append(f.want.Issues, i)
			return os.WriteFile(f.l.IssueFile(i.ID), encode(t, i), 0o600)
		},
		"removes a card": func(t *testing.T, f *files) error {
			gone := f.want.Issues[2]
			f.want.Issues = append(f.want.Issues[:2], f.want.Issues[3:]...)
			return os.Remove(f.l.IssueFile(gone.ID))
		},
		"replaces a card": func(t *testing.T, f *files) error {
			f.want.Issues[2].Title = "card Z"
			temp := filepath.Join(f.l.Root, "new")
			if err := os.WriteFile(temp, encode(t, f.want.Issues[2]), 0o600); err != nil {
				return err
			}
			return os.Rename(temp, f.l.IssueFile(f.want.Issues[2].ID))
		},
		"writes into a card, same size, and sets its times back": func(t *testing.T, f *files) error {
			f.want.Issues[2].Title = "card Z"
			path := f.l.IssueFile(f.want.Issues[2].ID)
			was, err := os.Stat(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(path, encode(t, f.want.Issues[2]), 0o600); err != nil {
				return err
			}
			return os.Chtimes(path, was.ModTime(), was.ModTime())
		},
		"removes the folder": func(t *testing.T, f *files) error {
			f.want = board.Listing{}
			return os.RemoveAll(f.l.Issues())
		},
		"puts another folder in its place": func(t *testing.T, f *files) error {
			kept := f.want.Issues[2]
			f.want.Issues = []board.Issue{kept}
			if err := os.Rename(f.l.Issues(), f.l.Issues()+"-old"); err != nil {
				return err
			}
			if err := os.Mkdir(f.l.Issues(), 0o700); err != nil {
				return err
			}
			return os.WriteFile(f.l.IssueFile(kept.ID), encode(t, kept), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, want := indexed(t, 5)
			s := openStore(t, l, Options{NoFsync: true}) // one that has looked before
			listOf(t, s)
			f := files{l, want}
			if err := do(t, &f); err != nil {
				t.Fatal(err)
			}
			for range 2 { // and once from the index that this may have left
				if diff := cmp.Diff(f.want.Issues, listOf(t, s).Issues); diff != "" {
					t.Errorf("a store that has looked before (-want +got):\n%s", diff)
				}
				if len(f.want.Issues) > 0 {
					expectList(t, l, f.want)
				}
			}
		})
	}
}

// The times of a card that changed just now prove nothing yet, so no index may
// vouch for it.
func TestIndexLeavesOutFreshCards(t *testing.T) {
	l, want := indexed(t, 5)
	s := openStore(t, l, Options{NoFsync: true})
	path := l.IssueFile(want.Issues[0].ID)
	fresh := time.Now().Add(time.Minute) // whatever the load, it is not old yet
	for _, title := range []string{"card A", "card B"} {
		want.Issues[0].Title = title
		data, err := board.EncodeIssue(want.Issues[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, fresh, fresh); err != nil {
			t.Fatal(err)
		}
		mustCreate(t, s, "another change, worth an index", "")
		listOf(t, s)
		for _, e := range s.cards.kept {
			if e.facts.ID == want.Issues[0].ID {
				t.Error("a card that changed just now is kept by its times")
			}
		}
		got := listOf(t, openStore(t, l, Options{NoFsync: true}))
		if got.Issues[0].Title != title {
			t.Errorf("got %q, want %q", got.Issues[0].Title, title)
		}
	}
}

func TestManyWritersOfTheIndexAtOnce(t *testing.T) {
	l, want := indexed(t, 40)
	id := want.Issues[0].ID
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for range 30 {
				s, err := Open(l, Options{NoFsync: true})
				if err != nil {
					t.Error(err)
					return
				}
				list, err := s.List(t.Context(), board.Query{})
				s.cards.mu.Lock()
				s.cards.index.write(s.cards)
				s.cards.mu.Unlock()
				if err != nil || len(list.Issues) != 40 || len(list.Broken) != 0 {
					t.Errorf("%d cards, broken %v, %v", len(list.Issues), list.Broken, err)
				}
				s.Close()
			}
		})
	}
	all.Go(func() {
		s := openStore(t, l, Options{NoFsync: true})
		for n := range 30 {
			title := fmt.Sprintf("card %d", n)
			if _, err := s.Update(t.Context(), id, board.Patch{Title: &title}, board.Cause{}); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	i, err := openStore(t, l, Options{}).Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	want.Issues[0] = i
	expectList(t, l, want)
}

func TestLeftOversOfKilledIndexWritersAreRemoved(t *testing.T) {
	l, _ := indexed(t, 3)
	stale, fresh := filepath.Join(l.Dispatcher(), tempIndex+"1"), filepath.Join(l.Dispatcher(), tempIndex+"2")
	for _, path := range []string{stale, fresh} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	backdate(t, stale)
	sweepIndexes(l.Dispatcher())
	if _, err := os.Stat(stale); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old one is left: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("the one of a process at work: %v", err)
	}
}

func TestDependentsAreFoundThroughAStaleIndex(t *testing.T) {
	l, want := indexed(t, 6)
	blocker, waiting := want.Issues[0], want.Issues[1]
	waiting.Blockers, waiting.State = []string{blocker.ID}, board.StateWaitingDeps
	data, err := board.EncodeIssue(waiting)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.IssueFile(waiting.ID), data, 0o600); err != nil { // as git checkout might
		t.Fatal(err)
	}
	s := openStore(t, l, Options{NoFsync: true})
	loads := countLoads(s)
	if _, err := s.Move(t.Context(), blocker.ID, board.StateDone, board.Cause{}); err != nil {
		t.Fatal(err)
	}
	if i, err := s.Get(t.Context(), waiting.ID); err != nil || i.State != board.StateBacklog {
		t.Errorf("the dependent is in %s, %v", i.State, err)
	}
	if loads.Load() > 4 {
		t.Errorf("%d cards read to move one", loads.Load())
	}
	schema := board.DefaultSchema()
	schema.States = schema.States[1:]
	loads.Store(0)
	err = openStore(t, l, Options{NoFsync: true}).SetSchema(t.Context(), schema, board.Cause{})
	if !errors.Is(err, board.ErrInvalid) || !strings.Contains(err.Error(), "4 cards") {
		t.Errorf("a column with cards: %v", err)
	}
}

func TestListFilesIsTheListEncoded(t *testing.T) {
	l, _ := indexed(t, 70)
	s := openStore(t, l, Options{NoFsync: true})
	odd := board.Issue{Title: `<b> & "q" ` + "\u2028", Labels: []string{"a"}, Extra: board.Extra{"later": []byte(`{"x":1}`)}}
	if _, err := s.Create(t.Context(), odd, board.Cause{}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []board.Query{{}, {Limit: 3}, {Sort: "-title"}, {Search: "card 1"}, {Labels: []string{"a"}}, {States: []string{"done"}}} {
		list, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		broken, err := s.ListFiles(t.Context(), q, func(c []byte) error { got = append(got, string(c)); return nil })
		if err != nil || len(broken) > 0 || len(got) != len(list.Issues) {
			t.Fatalf("%+v: %d cards, want %d; %v, %v", q, len(got), len(list.Issues), broken, err)
		}
		for n, i := range list.Issues {
			if want, err := board.EncodeIssue(i); err != nil || got[n] != string(want) {
				t.Errorf("%+v: card %d is\n%swant\n%s%v", q, n, got[n], want, err)
			}
		}
	}
	enough := errors.New("enough")
	if _, err := s.ListFiles(t.Context(), board.Query{}, func([]byte) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("the caller's error: %v", err)
	}
}
