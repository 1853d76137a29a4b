package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"iterion/native/board"
)

// countLoads counts the card files that the store reads.
func countLoads(s *Store) *atomic.Int64 {
	n := new(atomic.Int64)
	s.cards.load = func(path, id string) (board.Issue, error) {
		n.Add(1)
		return readCard(path, id)
	}
	return n
}

func TestI5_UnreadableRecordsAreNamedAndKeptAndTheOthersServe(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	good := mustCreate(t, s, "good", "")
	for name, spoil := range map[string]func(path string) error{
		"bad json":       func(p string) error { return os.WriteFile(p, []byte(`{"id":`), 0o600) },
		"empty file":     func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"empty object":   func(p string) error { return os.WriteFile(p, []byte(`{}`), 0o600) },
		"null":           func(p string) error { return os.WriteFile(p, []byte(`null`), 0o600) },
		"wrong inner id": func(p string) error { return os.WriteFile(p, []byte(`{"id":"native:other","title":"x"}`), 0o600) },
		"a folder": func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.Mkdir(p, 0o700)
		},
		"a broken link": func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.Symlink(p+".gone/x", p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			card := mustCreate(t, s, "to be spoilt", "")
			path := s.Layout().IssueFile(card.ID)
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			was, _ := os.Lstat(path)
			checkUnreadable(t, s, card.ID, path)
			if now, err := os.Lstat(path); err != nil || !os.SameFile(was, now) || now.Size() != was.Size() {
				t.Errorf("the record was touched: %v", err)
			}
			if _, err := s.Get(t.Context(), good.ID); err != nil {
				t.Errorf("the good card: %v", err)
			}
			os.RemoveAll(path)
		})
	}
}

// A column may be what a card that nobody can read is in.
func TestI5_NoColumnGoesWhileACardCannotBeRead(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	card := mustCreate(t, s, "x", board.StateReview)
	writeFile(t, s.Layout().IssueFile(card.ID), `{"id":`)
	schema, err := s.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	less := schema.Clone()
	less.States = slices.DeleteFunc(less.States, func(st board.State) bool { return st.Name == board.StateReview })
	err = s.SetSchema(t.Context(), less, board.Cause{})
	if !errors.Is(err, board.ErrInvalid) || !strings.Contains(err.Error(), s.Layout().IssueFile(card.ID)) {
		t.Errorf("dropping a column: %v", err)
	}
	more := schema.Clone()
	more.States = append(more.States, board.State{Name: "later"})
	if err := s.SetSchema(t.Context(), more, board.Cause{}); err != nil {
		t.Errorf("adding a column: %v", err)
	}
}

// What a holder owes its claim, and what people say, needs no columns.
func TestI5_CardsServeWhileTheBoardCannotBeRead(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	ctx, by := t.Context(), board.Cause{}
	card := mustCreate(t, s, "x", "")
	writeFile(t, s.Layout().Board(), `{"states": [}`)
	held, err := s.Claim(ctx, card.ID, "m", time.Minute, by)
	if err != nil {
		t.Fatal(err)
	}
	f, id := held.Fence(), card.ID
	label := board.Patch{AddLabels: []string{"seen"}}
	for name, verb := range map[string]func() error{
		"renew":          func() error { return s.Renew(ctx, id, f, time.Hour) },
		"last run":       func() error { _, err := s.SetLastRun(ctx, id, f, board.RunRef{RunID: "r"}, by); return err },
		"awaiting input": func() error { _, err := s.SetAwaitingInput(ctx, id, f, true, by); return err },
		"comment":        func() error { _, err := s.Comment(ctx, id, "a", "b", by); return err },
		"label":          func() error { _, err := s.Update(ctx, id, label, by); return err },
	} {
		if err := verb(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var unreadable *board.UnreadableSchemaError
	if _, err := s.Move(ctx, id, board.StateReady, by); !errors.As(err, &unreadable) || errors.Is(err, board.ErrInvalid) {
		t.Errorf("move: %v", err)
	}
	if _, err := s.Release(ctx, id, f, by); err != nil {
		t.Errorf("release: %v", err)
	}
	if err := s.Delete(ctx, id, false, by); err != nil {
		t.Errorf("delete: %v", err)
	}
}

func checkUnreadable(t *testing.T, s *Store, id, path string) {
	t.Helper()
	list, err := s.List(t.Context(), board.Query{})
	if err != nil || len(list.Issues) != 1 || len(list.Broken) != 1 || list.Broken[0].ID != id || list.Broken[0].Path != path {
		t.Errorf("list: %d cards, broken %+v, %v", len(list.Issues), list.Broken, err)
	}
	tip, err := s.Tip(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	by := board.Cause{}
	_, errGet := s.Get(t.Context(), id)
	_, errMove := s.Move(t.Context(), id, board.StateReady, by)
	_, errClaim := s.Claim(t.Context(), id, "m", 1e9, by)
	for verb, err := range map[string]error{
		"get": errGet, "move": errMove, "claim": errClaim, "delete": s.Delete(t.Context(), id, true, by),
	} {
		var unreadable *board.UnreadableError
		if !errors.As(err, &unreadable) || unreadable.ID != id || errors.Is(err, board.ErrNotFound) {
			t.Errorf("%s: got %v", verb, err)
		}
	}
	if _, err := s.Create(t.Context(), board.Issue{ID: id, Title: "x"}, by); !errors.Is(err, board.ErrExists) {
		t.Errorf("create over it: got %v", err)
	}
	if now, err := s.Tip(t.Context()); err != nil || now != tip {
		t.Errorf("refused verbs left events: tip %d, was %d, %v", now, tip, err)
	}
}

func TestListReadsOnlyWhatChanged(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	var paths []string
	var cards []board.Issue
	for n := range 300 {
		i := mustCreate(t, s, fmt.Sprint("card ", n), "")
		cards, paths = append(cards, i), append(paths, s.Layout().IssueFile(i.ID))
	}
	backdate(t, paths...)
	loads := countLoads(s)
	list := func(want int64) {
		t.Helper()
		loads.Store(0)
		l, err := s.List(t.Context(), board.Query{})
		if err != nil || len(l.Issues) != len(cards) || loads.Load() != want {
			t.Errorf("%d cards, %v, from %d files read, want %d", len(l.Issues), err, loads.Load(), want)
		}
	}
	list(300)
	list(0)
	other := openStore(t, s.Layout(), Options{NoFsync: true}) // as another process would
	if _, err := other.Move(t.Context(), cards[7].ID, board.StateReady, board.Cause{}); err != nil {
		t.Fatal(err)
	}
	list(1)
	if err := other.Delete(t.Context(), cards[8].ID, false, board.Cause{}); err != nil {
		t.Fatal(err)
	}
	cards = cards[:299]
	backdate(t, paths[7])
	list(1) // its times changed
	list(0)
}

func TestListSeesTwoChangesWithinOneTickOfTheClock(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	other := openStore(t, s.Layout(), Options{NoFsync: true})
	card := mustCreate(t, other, "0000", "")
	for n := range 200 {
		title := fmt.Sprintf("%04d", n) // same size each time
		if _, err := other.Update(t.Context(), card.ID, board.Patch{Title: &title}, board.Cause{}); err != nil {
			t.Fatal(err)
		}
		l, err := s.List(t.Context(), board.Query{})
		if err != nil || l.Issues[0].Title != title {
			t.Fatalf("got %q, %v, want %q", l.Issues[0].Title, err, title)
		}
	}
}

// The times of a file that changed just now prove nothing yet: here inode, size
// and times stay as they were.
func TestListDoesNotTrustTheTimesOfAFreshFile(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	card := mustCreate(t, s, "aaaa", "")
	path := s.Layout().IssueFile(card.ID)
	fresh := time.Now().Add(time.Minute) // whatever the load, it is not old yet
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"aaaa", "bbbb"} {
		data = []byte(strings.Replace(string(data), "aaaa", title, 1))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, fresh, fresh); err != nil {
			t.Fatal(err)
		}
		if l, err := s.List(t.Context(), board.Query{}); err != nil || l.Issues[0].Title != title {
			t.Errorf("got %+v, %v, want %q", l, err, title)
		}
	}
}

func TestListHandsOutCopies(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	i, err := s.Create(t.Context(), board.Issue{Title: "x", Labels: []string{"a"}}, board.Cause{})
	if err != nil {
		t.Fatal(err)
	}
	backdate(t, s.Layout().IssueFile(i.ID))
	for range 2 {
		l, err := s.List(t.Context(), board.Query{})
		if err != nil || l.Issues[0].Labels[0] != "a" {
			t.Fatalf("got %+v, %v", l, err)
		}
		l.Issues[0].Labels[0] = "spoilt"
	}
}

func TestOneCardVerbsReadOneCard(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	for range 50 {
		mustCreate(t, s, "other", "")
	}
	card := mustCreate(t, s, "the one", "")
	loads := countLoads(s)
	by := board.Cause{}
	for verb, do := range map[string]func() error{
		"create": func() error { _, err := s.Create(t.Context(), board.Issue{Title: "new"}, by); return err },
		"get":    func() error { _, err := s.Get(t.Context(), card.ID); return err },
		"move":   func() error { _, err := s.Move(t.Context(), card.ID, board.StateReady, by); return err },
		"claim":  func() error { _, err := s.Claim(t.Context(), card.ID, "m", 1e9, by); return err },
		"resolve": func() error {
			_, err := s.Resolve(t.Context(), strings.TrimPrefix(card.ID, "native:"))
			return err
		},
	} {
		loads.Store(0)
		if err := do(); err != nil {
			t.Errorf("%s: %v", verb, err)
		}
		if loads.Load() > 1 {
			t.Errorf("%s read %d cards", verb, loads.Load())
		}
	}
}

func TestI5_UnreadableBoardStillShowsItsCards(t *testing.T) {
	l := newStoreDir(t)
	card := mustCreate(t, openStore(t, l, Options{NoFsync: true}), "x", "")
	if err := os.WriteFile(l.Board(), []byte(`{"states":`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, l, Options{NoFsync: true})
	if list, err := s.List(t.Context(), board.Query{}); err != nil || len(list.Issues) != 1 {
		t.Errorf("list: %+v, %v", list, err)
	}
	if _, err := s.Get(t.Context(), card.ID); err != nil {
		t.Errorf("get: %v", err)
	}
	if _, err := s.Schema(t.Context()); err == nil || !strings.Contains(err.Error(), l.Board()) {
		t.Errorf("schema: got %v, want an error that names the file", err)
	}
	if _, err := s.Move(t.Context(), card.ID, board.StateReady, board.Cause{}); err == nil {
		t.Error("a card was moved on a board that nobody can read")
	}
	if made, err := Init(l.Root, board.DefaultSchema(), true); err != nil || made != MadeBoard {
		t.Fatalf("repair: %v, %v", made, err)
	}
	if _, err := s.Move(t.Context(), card.ID, board.StateReady, board.Cause{}); err != nil {
		t.Errorf("after the repair: %v", err)
	}
	checkWhole(t, l)
}

func TestI11_EverythingIsPrivate(t *testing.T) {
	l := newStoreDir(t)
	s := openStore(t, l, Options{NoFsync: true})
	b := mustCreate(t, s, "b", "")
	mustCreate(t, s, "d", board.StateWaitingDeps, b.ID)
	if _, err := s.Move(t.Context(), b.ID, board.StateDone, board.Cause{}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetSchema(t.Context(), board.DefaultSchema(), board.Cause{}); err != nil {
		t.Fatal(err)
	}
	openStore(t, l, Options{}).Exclusive(t.Context(), func() error { return nil })
	err := filepath.WalkDir(l.Root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
