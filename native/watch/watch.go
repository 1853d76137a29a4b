// Package watch tells when something in a few folders may have changed.
//
// It watches folders, not files, because editors and this program save by
// rename. A hint says no more than "look again": hints that nobody took yet are
// one hint, and a lost file event costs at most one poll interval, because a
// hint is also given at every interval. The first hint comes as soon as the
// watches stand, so a receiver that loads on it misses nothing.
//
// Names that start with a dot (locks, temporary files) and changes of mode are
// never news.
//
// When the host refuses a watch (limits, an odd file system) or a folder is not
// there, Mode says so with the reason, polling gets quicker, and the watch is
// tried again at each poll; a folder that was removed and made again is watched
// again.
package watch

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	defaultPoll = 5 * time.Second
	// fallbackPoll is the interval while some folder is not watched.
	fallbackPoll = 250 * time.Millisecond
)

// Mode is how changes are noticed.
type Mode string

// The two modes.
const (
	Watching Mode = "watching" // by file events, with polling as a net
	Polling  Mode = "polling"  // by polling alone, at least for one folder
)

// Options of a Watcher.
type Options struct {
	Dirs []string
	Poll time.Duration // interval of the polling net; 0 means 5 s
	Log  *slog.Logger  // nil: silent
}

// Watcher watches the folders of its Options while Run runs.
type Watcher struct {
	o    Options
	c    chan struct{}
	open func() (*fsnotify.Watcher, error) // tests refuse here

	mu     sync.Mutex
	mode   Mode
	reason string
}

// New returns a Watcher that does nothing until Run.
func New(o Options) *Watcher {
	if o.Poll <= 0 {
		o.Poll = defaultPoll
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Watcher{
		o:      o,
		c:      make(chan struct{}, 1),
		open:   fsnotify.NewWatcher,
		mode:   Polling,
		reason: "not started",
	}
}

// C delivers the hints.
func (w *Watcher) C() <-chan struct{} { return w.c }

// Mode returns how changes are noticed now, and why when it is Polling.
func (w *Watcher) Mode() (Mode, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mode, w.reason
}

// Run watches until ctx ends, and then returns nil.
func (w *Watcher) Run(ctx context.Context) error {
	s := &session{w: w, seen: map[string]os.FileInfo{}}
	defer s.close()
	s.cover()
	w.hint()
	timer := time.NewTimer(w.interval())
	defer timer.Stop()
	for {
		events, errs := s.channels()
		select {
		case <-ctx.Done():
			return nil
		case e := <-events:
			s.event(e)
		case err := <-errs:
			w.o.Log.Warn("file events were lost", "err", err)
			w.hint()
		case <-timer.C:
			s.cover()
			w.hint()
			timer.Reset(w.interval())
		}
		if s.uncovered {
			s.uncovered = false
			s.cover()
			timer.Reset(w.interval())
		}
	}
}

func (w *Watcher) hint() {
	select {
	case w.c <- struct{}{}:
	default: // one is waiting already
	}
}

func (w *Watcher) interval() time.Duration {
	if mode, _ := w.Mode(); mode == Polling {
		return min(w.o.Poll, fallbackPoll)
	}
	return w.o.Poll
}

func (w *Watcher) set(mode Mode, reason string) {
	w.mu.Lock()
	changed := w.mode != mode || w.reason != reason
	w.mode, w.reason = mode, reason
	w.mu.Unlock()
	if changed && mode == Polling {
		w.o.Log.Warn("watching by polling", "reason", reason)
	}
}

// session is the state of one Run; its goroutine alone touches it.
type session struct {
	w         *Watcher
	fs        *fsnotify.Watcher
	seen      map[string]os.FileInfo // the folders that are watched, as they were then
	uncovered bool                   // a watched folder went away
}

func (s *session) channels() (<-chan fsnotify.Event, <-chan error) {
	if s.fs == nil {
		return nil, nil
	}
	return s.fs.Events, s.fs.Errors
}

func (s *session) close() {
	if s.fs != nil {
		s.fs.Close()
	}
}

func (s *session) event(e fsnotify.Event) {
	if _, ours := s.seen[e.Name]; ours && (e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)) {
		delete(s.seen, e.Name)
		s.uncovered = true
		s.w.hint()
		return
	}
	if e.Op == fsnotify.Chmod || strings.HasPrefix(filepath.Base(e.Name), ".") {
		return
	}
	s.w.hint()
}

// cover watches what is not watched yet.
func (s *session) cover() {
	var reason string
	for _, dir := range s.w.o.Dirs {
		if err := s.coverDir(filepath.Clean(dir)); err != nil && reason == "" {
			reason = err.Error()
		}
	}
	if reason != "" {
		s.w.set(Polling, reason)
		return
	}
	s.w.set(Watching, "")
}

func (s *session) coverDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		delete(s.seen, dir)
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	if old, ok := s.seen[dir]; ok {
		if os.SameFile(old, info) {
			return nil
		}
		_ = s.fs.Remove(dir) // it watches the folder that was here before
		delete(s.seen, dir)
	}
	if err := s.add(dir); err != nil {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	s.seen[dir] = info
	s.w.hint() // what happened before the watch stood was not seen
	return nil
}

func (s *session) add(dir string) error {
	if s.fs == nil {
		fs, err := s.w.open()
		if err != nil {
			return err
		}
		s.fs = fs
	}
	return s.fs.Add(dir)
}
