package watch

import (
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Who loads on the first hint misses nothing, because the watches stand by then.
func TestFirstHintComesBehindTheWatches(t *testing.T) {
	w := New(Options{Dirs: []string{t.TempDir()}, Poll: time.Hour})
	w.open = func() (*fsnotify.Watcher, error) {
		if len(w.c) > 0 {
			t.Error("there is a hint, and no watch yet")
		}
		return fsnotify.NewWatcher()
	}
	start(t, w)
	expectMode(t, w, Watching)
}
