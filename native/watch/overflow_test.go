package watch

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// What the kernel's queue had no room for may be anything: look again. The
// watches stand as before.
func TestOverflowingQueueIsAHint(t *testing.T) {
	dir := t.TempDir()
	w := New(Options{Dirs: []string{dir}, Poll: time.Hour})
	var fs *fsnotify.Watcher
	w.open = func() (_ *fsnotify.Watcher, err error) {
		fs, err = fsnotify.NewWatcher()
		return fs, err
	}
	start(t, w)
	drain(w)
	select {
	case fs.Errors <- fsnotify.ErrEventOverflow:
	case <-time.After(soon):
		t.Fatal("nobody hears of the overflow")
	}
	expectHint(t, w, "after the overflow")
	drain(w)
	write(t, filepath.Join(dir, "a"))
	expectHint(t, w, "a later change")
	expectMode(t, w, Watching)
}
