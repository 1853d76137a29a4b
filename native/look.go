package native

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"iterion/native/board"
)

// looked is what was found under one name.
type looked struct {
	*entry
	keep bool // its file's times tell every later change
	err  error
}

// look returns an entry for each card, reading only the files that changed since
// they were last read, by this Store or by whoever wrote the index. The caller
// holds c.mu.
func (c *cards) look() ([]*entry, []board.UnreadableError, error) {
	folder, err := c.open()
	if err != nil || folder == nil {
		return nil, nil, err
	}
	defer folder.Close()
	began := time.Now()
	dir, err := statFD(folder)
	if err != nil {
		return nil, nil, err
	}
	names := sync.OnceValues(func() ([]string, error) { return cardNames(folder) })
	if c.kept == nil {
		head := c.index.open(c.l.Index())
		if head.dir != dir {
			go names() // will be asked for; the table is read meanwhile
		}
		c.recall(head)
	}
	found, err := c.lookAtAll(folder, dir, names)
	if err != nil {
		return nil, nil, err
	}
	all, broken := c.keep(found)
	c.dir = stat{}
	if dir.settled(began) && len(c.kept) == len(found) {
		c.dir = dir
	}
	if c.index.worth(c) {
		c.kept = c.index.write(c)
		c.byIno = nil
	}
	return all, broken, nil
}

// recall takes over what the index with that head remembers.
func (c *cards) recall(head indexHead) {
	entries := c.index.table(head)
	c.dir = c.index.dir
	c.kept = make([]*entry, len(entries))
	for n := range entries {
		c.kept[n] = &entries[n]
	}
}

// lookAtAll looks at each card. Names only come and go with the times of the
// folder, so that it need not be read when those stand still.
func (c *cards) lookAtAll(folder *os.File, dir stat, names func() ([]string, error)) ([]looked, error) {
	fd := int(folder.Fd())
	if dir == c.dir {
		found := make([]looked, len(c.kept))
		inParallel(len(found), func(n int) { found[n] = c.lookAt(fd, c.kept[n].name(), c.kept[n]) })
		return found, nil
	}
	there, err := names()
	if err != nil {
		return nil, err
	}
	if c.byIno == nil {
		c.byIno = make(map[uint64]*entry, len(c.kept))
		for _, e := range c.kept {
			c.byIno[e.as.ino] = e
		}
	}
	found := make([]looked, len(there))
	inParallel(len(there), func(n int) { found[n] = c.lookAt(fd, there[n], nil) })
	return found, nil
}

// lookAt looks at one file; old is what is remembered of it, where that is known
// already.
func (c *cards) lookAt(dir int, name string, old *entry) looked {
	as, err := statAt(dir, name)
	if old == nil {
		if old = c.byIno[as.ino]; old != nil && !old.named(name) {
			old = nil
		}
	}
	if err == nil && old != nil && old.as == as {
		return looked{entry: old, keep: true}
	}
	began := time.Now()
	as, _ = statAt(dir, name)
	id, _ := cardID(name)
	i, err := c.load(c.l.IssueFile(id), id) // which also says what is wrong with the file
	if err != nil {
		return looked{err: err}
	}
	e, err := newEntry(as, i)
	return looked{e, as.settled(began), err}
}

// keep remembers what was found and forgets what is gone.
func (c *cards) keep(found []looked) (all []*entry, broken []board.UnreadableError) {
	all = make([]*entry, 0, len(found))
	kept := make([]*entry, 0, len(found))
	for _, f := range found {
		var unreadable *board.UnreadableError
		switch {
		case f.err == nil:
			all = append(all, f.entry)
			if f.keep {
				kept = append(kept, f.entry)
			}
		case errors.As(f.err, &unreadable):
			broken = append(broken, *unreadable)
		default: // deleted since the folder was read
		}
	}
	if !slices.Equal(kept, c.kept) {
		c.kept, c.byIno = kept, nil
	}
	return all, broken
}

// inParallel calls fn with 0..n-1, on all cores where that is worth it.
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
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				fn(i)
			}
		})
	}
	wg.Wait()
}
