package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"iterion/native/atomicfile"
	"iterion/native/board"
	"iterion/native/jsonl"
)

// eventLog is events.jsonl and what is known of it. What it remembers is checked
// against the file before use, because other processes write it, too.
type eventLog struct {
	l Layout
	o Options

	mu   sync.Mutex
	file os.FileInfo // the file that the rest is about
	mark *logMark    // nil: not looked for yet
	keep bool        // the mark is not on disk yet
	size int64       // full lines up to here were seen; 0: none
	high int64       // highest seq up to size

	place struct{ seq, offset int64 } // where the last reader stopped: a hint
}

func newEventLog(l Layout, o Options) *eventLog { return &eventLog{l: l, o: o} }

// append adds the line of event seq durably. The caller holds the writer lock.
func (g *eventLog) append(seq int64, line []byte) error {
	return g.add(seq, line, g.o.jsonl())
}

// write is append without its sync.
func (g *eventLog) write(seq int64, line []byte) error {
	return g.add(seq, line, jsonl.Options{NoFsync: true})
}

func (g *eventLog) add(seq int64, line []byte, o jsonl.Options) error {
	at, err := jsonl.Append(g.l.Events(), line, o)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		g.size = 0
		return err
	}
	g.size, g.high = at.End, seq
	return nil
}

// forget lets go of what is known of the log.
func (g *eventLog) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.file, g.mark, g.keep, g.size = nil, nil, false, 0
}

// check forgets what is known when the log is another file now, or shorter, and
// returns its size. The caller holds g.mu.
func (g *eventLog) check() (size int64, err error) {
	info, err := os.Stat(g.l.Events())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("look at the log: %w", err)
	}
	if err == nil {
		size = info.Size()
	}
	same := info != nil && g.file != nil && os.SameFile(info, g.file)
	if !same || size < g.size || g.mark != nil && size < g.mark.End {
		g.mark, g.size = nil, 0
	}
	g.file = info
	return size, nil
}

// tip returns the highest seq in the full lines of the log, -1 for none. What
// left the log for an archive counts where nothing else is there.
func (g *eventLog) tip() (int64, error) {
	high, err := g.logTip()
	if err == nil && high < 0 {
		return g.l.archivedTip()
	}
	return high, err
}

func (g *eventLog) logTip() (int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	size, err := g.check()
	switch {
	case err != nil || size == 0:
		return -1, err
	case g.size == 0:
		return g.cold()
	case size > g.size:
		err = g.catchUp()
	}
	return g.high, err
}

// catchUp reads what other processes appended.
func (g *eventLog) catchUp() error {
	end, err := jsonl.Scan(g.l.Events(), g.size, func(l jsonl.Line) error {
		if seq, ok := l.Seq(); ok {
			g.high = max(g.high, seq)
		}
		return nil
	})
	g.size = end
	return err
}

// cold finds the tip from the end of the log, as far as the mark vouches that
// the last line is the highest.
func (g *eventLog) cold() (int64, error) {
	m, err := g.marked()
	if err != nil {
		return 0, err
	}
	last, end, err := jsonl.LastRecord(g.l.Events())
	if err != nil {
		return 0, err
	}
	g.size, g.high = end, max(last, m.High)
	return g.high, nil
}

// closeTail ends a torn last line. The caller holds the writer lock.
func (g *eventLog) closeTail() (torn bool, err error) {
	return jsonl.CloseTail(g.l.Events(), g.o.jsonl())
}

// sync makes durable what a process that died may only have written.
func (g *eventLog) sync() error {
	f, err := os.OpenFile(g.l.Events(), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return atomicfile.Sync(f, g.o.atomic())
}

// at returns the event with the given seq.
func (g *eventLog) at(seq int64) (board.Event, bool, error) {
	found, err := g.read(seq-1, 1)
	if err != nil || len(found) == 0 || found[0].Seq != seq {
		return board.Event{}, false, err
	}
	return found[0], true, nil
}
