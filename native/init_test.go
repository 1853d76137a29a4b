package native

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/storetest"
)

func TestInitNeverOverwritesWithoutForce(t *testing.T) {
	l := newStoreDir(t)
	s := openStore(t, l, Options{NoFsync: true})
	mustCreate(t, s, "x", "")
	own := board.Schema{States: []board.State{{Name: board.StateInbox}, {Name: "mine"}}}
	was, err := os.ReadFile(l.Board())
	if err != nil {
		t.Fatal(err)
	}
	if made, err := Init(l.Root, own, false); err != nil || made != MadeNothing {
		t.Fatalf("got %v, %v", made, err)
	}
	if now, _ := os.ReadFile(l.Board()); !slices.Equal(now, was) {
		t.Error("the board was overwritten")
	}
	if made, err := Init(l.Root, own, true); err != nil || made != MadeBoard {
		t.Fatalf("with force: %v, %v", made, err)
	}
	schema, err := s.Schema(t.Context())
	if err != nil || !slices.Equal(schema.StateNames(), []string{"inbox", "mine"}) {
		t.Errorf("columns %v, %v", schema.StateNames(), err)
	}
	if list, err := s.List(t.Context(), board.Query{}); err != nil || len(list.Issues) != 1 {
		t.Errorf("cards %v, %v", list, err)
	}
	checkWhole(t, l)
}

func TestInitByManyAtOnceMakesOneStore(t *testing.T) {
	root := filepath.Join(t.TempDir(), DirName)
	var all sync.WaitGroup
	made := make(chan Made, 8)
	for range 8 {
		all.Go(func() {
			did, err := Init(root, board.DefaultSchema(), false)
			if err != nil {
				t.Error(err)
			}
			made <- did
		})
	}
	all.Wait()
	close(made)
	n := 0
	for did := range made {
		if did == MadeStore {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d of 8 say that they made the store", n)
	}
}

func TestInitTellsAStoreThatWasThereFromANewOne(t *testing.T) {
	for name, want := range map[string]Made{
		"":                               MadeStore,
		"trusted.json":                   MadeStore, // a home's .iterion
		"dispatcher/.lock":               MadeStore, // an init that was killed
		"dispatcher/issues/native__x.js": MadeBoard,
		"dispatcher/claims.json":         MadeBoard,
		"dispatcher/events.jsonl":        MadeBoard,
		"runs/r/run.json":                MadeBoard,
		"workspaces/x/.git/hooks/a":      MadeBoard,
	} {
		root := filepath.Join(t.TempDir(), DirName)
		if name != "" {
			writeFile(t, filepath.Join(root, name), "{}")
		}
		if made, err := Init(root, board.DefaultSchema(), false); err != nil || made != want {
			t.Errorf("beside %q: %v, %v, want %v", name, made, err, want)
		}
	}
}

func TestI5_ForceKeepsTheBoardThatItCannotRead(t *testing.T) {
	l := newStoreDir(t)
	const typo = `{"states": [{"name": "mine"} {"name": "yours"}]}`
	writeFile(t, l.Board(), typo)
	if made, err := Init(l.Root, board.DefaultSchema(), true); err != nil || made != MadeBoard {
		t.Fatalf("got %v, %v", made, err)
	}
	checkWhole(t, l)
	kept, err := filepath.Glob(l.Board() + ".unreadable-*")
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %v, %v", kept, err)
	}
	if data, err := os.ReadFile(kept[0]); err != nil || string(data) != typo {
		t.Errorf("kept %q, %v", data, err)
	}
}

func writeFile(t testing.TB, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestInitRefusesABadBoard(t *testing.T) {
	root := filepath.Join(t.TempDir(), DirName)
	if _, err := Init(root, board.Schema{}, false); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(root); !os.IsNotExist(err) {
		t.Error("something was written")
	}
}

func TestGitSeesTheBoardAndTheCardsAlone(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	l := newStoreDir(t)
	s := openStore(t, l, Options{NoFsync: true})
	card := mustCreate(t, s, "x", "")
	for _, name := range []string{"runs/r/run.json", "spend/2026-01-01.json", "dispatcher/claims.json", "dispatcher/owners/x.lock"} {
		path := filepath.Join(l.Root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir = filepath.Dir(l.Root)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	run("init", "-q")
	run("add", "-A")
	got := strings.Fields(run("ls-files"))
	want := []string{".iterion/.gitignore", ".iterion/dispatcher/board.json", ".iterion/dispatcher/issues/" + encodeID(card.ID) + ".json"}
	if !slices.Equal(got, want) {
		t.Errorf("git tracks %v, want %v", got, want)
	}
}

func TestClonedStoreWithoutItsOwnFoldersWorks(t *testing.T) {
	l := newStoreDir(t)
	card := mustCreate(t, openStore(t, l, Options{NoFsync: true}), "x", "")
	for _, own := range []string{l.Staging(), l.Events(), l.WriterLock(), l.logMark()} {
		os.RemoveAll(own) // git brings none of these
	}
	s := openStore(t, l, Options{NoFsync: true})
	if tip, err := s.Tip(t.Context()); err != nil || tip != -1 {
		t.Errorf("tip %d, %v", tip, err)
	}
	if _, err := s.Move(t.Context(), card.ID, board.StateReady, board.Cause{}); err != nil {
		t.Error(err)
	}
	takeLock(t, l)
	storetest.Whole(t, l.Dispatcher(), storetest.Options{Younger: true})
}

func TestOpenOfNoStoreSaysSo(t *testing.T) {
	_, err := Open(Layout{Root: t.TempDir()}, Options{})
	var none *NoStoreError
	if !errors.As(err, &none) {
		t.Errorf("got %v, want a NoStoreError", err)
	}
}

func TestBusyStoreNamesTheHolder(t *testing.T) {
	l := newStoreDir(t)
	lock, err := filelock.TryAcquire(l.WriterLock())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	s := openStore(t, l, Options{NoFsync: true, LockWait: 10 * time.Millisecond})
	_, err = s.Create(t.Context(), board.Issue{Title: "x"}, board.Cause{})
	var held *filelock.HeldError
	if !errors.Is(err, board.ErrBusy) || !errors.As(err, &held) || held.Holder.PID != os.Getpid() {
		t.Errorf("got %v", err)
	}
}

func TestBusyWithinOneProcess(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true, LockWait: 10 * time.Millisecond})
	err := s.Exclusive(t.Context(), func() error {
		_, err := s.Create(context.Background(), board.Issue{Title: "x"}, board.Cause{})
		return err
	})
	if !errors.Is(err, board.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
}

func TestTrustIsByRealPath(t *testing.T) {
	home, l := t.TempDir(), newStoreDir(t)
	link := Layout{Root: filepath.Join(t.TempDir(), "link")}
	if err := os.Symlink(l.Root, link.Root); err != nil {
		t.Fatal(err)
	}
	expect := func(l Layout, want bool) {
		t.Helper()
		if got, err := Trusted(home, l); err != nil || got != want {
			t.Errorf("trusted: %v, %v, want %v", got, err, want)
		}
	}
	expect(l, false)
	for range 2 {
		if err := Trust(home, link); err != nil {
			t.Fatal(err)
		}
	}
	expect(l, true)
	expect(link, true)
	expect(newStoreDir(t), false)
	if err := Revoke(home, l); err != nil {
		t.Fatal(err)
	}
	expect(l, false)
	if info, err := os.Stat(trustPath(home)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestUnreadableTrustIsAnErrorNotATrust(t *testing.T) {
	home, l := t.TempDir(), newStoreDir(t)
	if err := Trust(home, l); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(trustPath(home), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Trusted(home, l); err == nil || got {
		t.Errorf("got %v, %v", got, err)
	}
	if err := Trust(home, l); err == nil {
		t.Error("the damaged list was overwritten")
	}
}
