package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"iterion/native/board"
)

// cards reads the card files, and remembers what List read.
type cards struct {
	l    Layout
	load func(path, id string) (board.Issue, error) // readCard; tests count here

	mu   sync.Mutex
	kept map[string]kept // by id
}

// kept is a card with the state its file was read in.
type kept struct {
	as    stat
	issue board.Issue
}

// stat tells two contents of one file apart. Cards are replaced by rename, so
// a new content nearly always has another inode.
type stat struct {
	ino   uint64
	size  int64
	mode  fs.FileMode
	mtime time.Time
}

// settledAfter is the age from which on a file's times tell every change: file
// systems stamp with the clock of the kernel's tick, and inodes are used again.
const settledAfter = 100 * time.Millisecond

func newCards(l Layout) *cards { return &cards{l: l, load: readCard, kept: map[string]kept{}} }

func (c *cards) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = map[string]kept{}
}

// read returns one card. Errors: ErrNotFound, *UnreadableError.
func (c *cards) read(id string) (board.Issue, error) {
	if board.CheckID(id) != nil {
		return board.Issue{}, fmt.Errorf("issue %q: %w", id, board.ErrNotFound)
	}
	i, err := c.load(c.l.IssueFile(id), id)
	if errors.Is(err, fs.ErrNotExist) {
		return board.Issue{}, fmt.Errorf("issue %s: %w", id, board.ErrNotFound)
	}
	return i, err
}

// readCard returns fs.ErrNotExist or a *board.UnreadableError.
func readCard(path, id string) (board.Issue, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if taken, _ := exists(path); !taken {
			return board.Issue{}, err
		}
		err = errors.New("a link that leads nowhere")
	}
	var i board.Issue
	if err == nil {
		i, err = board.DecodeIssue(data)
	}
	if err == nil && i.ID != id {
		err = fmt.Errorf("the id inside is %q", i.ID)
	}
	if err != nil {
		return board.Issue{}, &board.UnreadableError{ID: id, Path: path, Err: err}
	}
	return i, nil
}

// ids returns the ids of all records, readable or not, from their names alone.
func (c *cards) ids() ([]string, error) {
	entries, err := os.ReadDir(c.l.Issues())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the folder of the issues: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if id, ok := cardID(e.Name()); ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// all returns every card, reading only the files that changed since it last
// looked. The cards are shared: who hands them out clones them.
func (c *cards) all() (board.Listing, error) {
	ids, err := c.ids()
	if err != nil {
		return board.Listing{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	found := make([]looked, len(ids))
	inParallel(len(ids), func(n int) { found[n] = c.look(ids[n]) })
	return c.keep(found), nil
}

// looked is what was found in one place.
type looked struct {
	kept
	settled bool // the card may be kept
	err     error
}

func (c *cards) look(id string) looked {
	path := c.l.IssueFile(id)
	began := time.Now()
	var as stat
	if info, err := os.Stat(path); err == nil {
		as = statOf(info)
	}
	if old, ok := c.kept[id]; ok && old.as == as {
		return looked{kept: old, settled: true}
	}
	i, err := c.load(path, id) // which also says what is wrong with the file
	return looked{kept{as, i}, began.Sub(as.mtime) > settledAfter, err}
}

// keep remembers what was found and forgets what is gone.
func (c *cards) keep(found []looked) board.Listing {
	var out board.Listing
	next := make(map[string]kept, len(found))
	for _, f := range found {
		var unreadable *board.UnreadableError
		switch {
		case errors.As(f.err, &unreadable):
			out.Broken = append(out.Broken, *unreadable)
		case f.err != nil: // deleted since the folder was read
		default:
			out.Issues = append(out.Issues, f.issue)
			if f.settled {
				next[f.issue.ID] = f.kept
			}
		}
	}
	c.kept = next
	return out
}

func statOf(info fs.FileInfo) stat {
	s := stat{size: info.Size(), mode: info.Mode(), mtime: info.ModTime()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.ino = sys.Ino
	}
	return s
}

// inParallel calls fn with 0..n-1. Decoding is what a first List spends its
// time on.
func inParallel(n int, fn func(int)) {
	workers := min(runtime.GOMAXPROCS(0), 1+n/64)
	if workers == 1 {
		for i := range n {
			fn(i)
		}
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				fn(i)
			}
		})
	}
	wg.Wait()
}
