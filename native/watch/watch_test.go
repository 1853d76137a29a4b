package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const soon = 20 * time.Second // generous: the machine may be busy

// start runs a watcher whose polling net is out of the way and waits for its
// first hint.
func start(t *testing.T, w *Watcher) *Watcher {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- w.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	expectHint(t, w, "the first one")
	return w
}

func expectHint(t *testing.T, w *Watcher, what string) {
	t.Helper()
	select {
	case <-w.C():
	case <-time.After(soon):
		t.Fatalf("no hint: %s", what)
	}
}

func drain(w *Watcher) {
	for {
		select {
		case <-w.C():
		case <-time.After(50 * time.Millisecond):
			return
		}
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func expectMode(t *testing.T, w *Watcher, want Mode) {
	t.Helper()
	for deadline := time.Now().Add(soon); ; time.Sleep(time.Millisecond) {
		mode, reason := w.Mode()
		if mode == want {
			if (mode == Polling) != (reason != "") {
				t.Errorf("mode %s with reason %q", mode, reason)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("mode is %s (%s), want %s", mode, reason, want)
		}
	}
}

func TestHintForEachKindOfChange(t *testing.T) {
	dir := t.TempDir()
	w := start(t, New(Options{Dirs: []string{dir}, Poll: time.Hour}))
	expectMode(t, w, Watching)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"create", func() { write(t, a) }},
		{"change", func() { write(t, a) }},
		{"save by rename", func() {
			write(t, filepath.Join(dir, ".tmp-1"))
			if err := os.Rename(filepath.Join(dir, ".tmp-1"), a); err != nil {
				t.Fatal(err)
			}
		}},
		{"rename", func() {
			if err := os.Rename(a, b); err != nil {
				t.Fatal(err)
			}
		}},
		{"remove", func() {
			if err := os.Remove(b); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		drain(w)
		c.do()
		expectHint(t, w, c.name)
	}
}

func TestHintComesWithinMilliseconds(t *testing.T) {
	dir := t.TempDir()
	w := start(t, New(Options{Dirs: []string{dir}, Poll: time.Hour}))
	best := time.Hour
	for range 20 {
		drain(w)
		began := time.Now()
		write(t, filepath.Join(dir, "a"))
		expectHint(t, w, "the change")
		best = min(best, time.Since(began))
	}
	if best > 20*time.Millisecond {
		t.Errorf("the quickest of 20 hints took %v", best)
	}
}

func TestHiddenNamesAreNoNews(t *testing.T) {
	dir := t.TempDir()
	w := start(t, New(Options{Dirs: []string{dir}, Poll: time.Hour}))
	drain(w)
	write(t, filepath.Join(dir, ".lock"))
	select {
	case <-w.C():
		t.Error("a lock file gave a hint")
	case <-time.After(100 * time.Millisecond):
	}
}

func TestPollingNetGivesHintsAnyway(t *testing.T) {
	w := start(t, New(Options{Dirs: []string{t.TempDir()}, Poll: 5 * time.Millisecond}))
	for range 3 {
		expectHint(t, w, "from the net")
	}
}

func TestRefusedWatchFallsBackToPollingAndRecovers(t *testing.T) {
	dir := t.TempDir()
	w := New(Options{Dirs: []string{dir}, Poll: 10 * time.Millisecond})
	refuse := make(chan struct{})
	w.open = func() (*fsnotify.Watcher, error) {
		select {
		case <-refuse:
			return fsnotify.NewWatcher()
		default:
			return nil, errors.New("too many open files")
		}
	}
	start(t, w)
	mode, reason := w.Mode()
	if mode != Polling || !strings.Contains(reason, "too many open files") {
		t.Errorf("got %s, %q", mode, reason)
	}
	drainOne := func() { expectHint(t, w, "by polling") }
	drainOne()
	drainOne()
	close(refuse)
	expectMode(t, w, Watching)
}

func TestFolderRemovedAndMadeAgainIsWatchedAgain(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "issues")
	remake := map[string]func(){
		"removed": func() {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		},
		"renamed away": func() {
			if err := os.Rename(dir, dir+"-old"); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, goAway := range remake {
		t.Run(name, func(t *testing.T) {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			w := start(t, New(Options{Dirs: []string{dir}, Poll: time.Hour}))
			goAway()
			expectMode(t, w, Polling)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			expectMode(t, w, Watching)
			drain(w)
			write(t, filepath.Join(dir, "a"))
			expectHint(t, w, "in the new folder")
		})
	}
}

func TestFolderThatComesLaterIsWatched(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	w := start(t, New(Options{Dirs: []string{dir}, Poll: time.Hour}))
	expectMode(t, w, Polling)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	expectMode(t, w, Watching)
}
