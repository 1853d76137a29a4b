package native

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"iterion/native/board"
)

// newStoreDir makes a store in a temporary folder.
func newStoreDir(t testing.TB) Layout {
	t.Helper()
	l := Layout{Root: filepath.Join(t.TempDir(), DirName)}
	if made, err := Init(l.Root, board.DefaultSchema(), false); err != nil || made != MadeStore {
		t.Fatalf("init: %v, %v", made, err)
	}
	return l
}

func openStore(t testing.TB, l Layout, o Options) *Store {
	t.Helper()
	s, err := Open(l, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestFindPrefersFlagThenEnvThenTheNearestAncestor(t *testing.T) {
	near, flag, env := newStoreDir(t), newStoreDir(t), newStoreDir(t)
	work := filepath.Dir(near.Root)
	below := filepath.Join(work, "a", "b")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, flag, env, cwd string
		want                 Layout
	}{
		{"flag", flag.Root, env.Root, work, flag},
		{"env", "", env.Root, work, env},
		{"here", "", "", work, near},
		{"above", "", "", below, near},
		{"relative flag", "../" + DirName, "", filepath.Join(work, "a"), near},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Find(c.flag, c.env, c.cwd)
			if err != nil || got != c.want {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestFindTakesNoOtherFolderForAStore(t *testing.T) {
	dir := t.TempDir()
	// A home folder has one of this name for other things.
	if err := os.Mkdir(filepath.Join(dir, DirName), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, cwd string }{{"", dir}, {dir, dir}, {filepath.Join(dir, "absent"), dir}} {
		_, err := Find(c.flag, "", c.cwd)
		var none *NoStoreError
		if !errors.As(err, &none) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Find(%q, cwd %q): got %v, want a NoStoreError", c.flag, c.cwd, err)
		}
	}
}

func TestIssueFileWritesColonsAsUnderscores(t *testing.T) {
	l := Layout{Root: "/s"}
	if got, want := l.IssueFile("native:ab-1"), "/s/dispatcher/issues/native__ab-1.json"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if id, ok := cardID("native__ab-1.json"); !ok || id != "native:ab-1" {
		t.Errorf("got %q, %v", id, ok)
	}
	for _, name := range []string{".tmp-1.json", ".json", "notes.txt", "native__ab-1.json~"} {
		if id, ok := cardID(name); ok {
			t.Errorf("%s was taken for card %s", name, id)
		}
	}
}
