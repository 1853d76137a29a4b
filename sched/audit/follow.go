package audit

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"iterion/native/jsonl"
	"iterion/sched/gate"
)

// pollEvery is how often a log is looked at that is followed.
const pollEvery = 200 * time.Millisecond

// Follow hands the records that f selects to fn, and then those to come, until ctx
// ends or fn returns ErrStop; then it returns nil.
func (l *Log) Follow(ctx context.Context, f Filter, fn func(gate.Record) error) error {
	snap, err := l.snapshot()
	if err != nil {
		return err
	}
	r := &reader{f: f, sieve: sieveOf(f), fn: fn}
	at, err := r.all(snap)
	w := &follower{log: l, reader: r}
	w.begin(snap, at)
	defer w.drop()
	if err == nil {
		err = w.run(ctx)
	}
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

// follower is a place in the log that moves on.
type follower struct {
	log    *Log
	reader *reader
	f      *os.File // being read; nil: there is no log yet
	at     int64    // up to which it was read
	last   int      // rotated logs up to this number lie behind
}

// begin takes the last log over from a snapshot and closes the others.
func (w *follower) begin(s *snapshot, at int64) {
	w.last = s.last
	for _, p := range s.parts {
		if p.n == 0 {
			w.f, w.at = p.File, at
			continue
		}
		_ = p.Close()
	}
}

func (w *follower) drop() {
	if w.f != nil {
		_ = w.f.Close()
	}
	w.f, w.at = nil, 0
}

func (w *follower) run(ctx context.Context) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for !w.reader.over {
		if err := w.catchUp(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
	return nil
}

// catchUp reads all that there is, over as many rotations as there were.
func (w *follower) catchUp() error {
	for {
		isCurrent, err := w.current() // before reading: what is read of a rotated one is all of it
		if err != nil {
			return err
		}
		if err := w.read(); err != nil || isCurrent || w.reader.over {
			return err
		}
		if moved, err := w.next(); err != nil || !moved {
			return err
		}
	}
}

// current reports whether the log that is read is the one that is appended to. One
// that was cut short is read from its beginning.
func (w *follower) current() (bool, error) {
	if w.f == nil {
		return false, nil
	}
	mine, err := w.f.Stat()
	if err != nil {
		return false, err
	}
	if mine.Size() < w.at {
		w.at = 0
	}
	now, err := os.Stat(w.log.path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, now), err
}

func (w *follower) read() error {
	if w.f == nil {
		return nil
	}
	n, err := jsonl.Read(io.NewSectionReader(w.f, w.at, 1<<62), func(line jsonl.Line) error { return w.reader.line(line.Data) })
	w.at += n
	return err
}

// next goes on with the log behind the one that was read to its end, if there is
// one.
func (w *follower) next() (bool, error) {
	current, err := openPart(w.log.path, 0) // before the list, as for a snapshot
	if err != nil {
		return false, err
	}
	p, last, err := w.newer()
	switch {
	case err != nil:
		closePart(current)
		return false, err
	case p != nil: // current itself, if it has been rotated by now
		closePart(current)
	case current == nil:
		return false, nil
	default:
		p = current
	}
	w.drop()
	w.f, w.last = p.File, last
	return true, nil
}

// newer opens the first rotated log behind the one that is read, and returns up to
// which number they lie behind then.
func (w *follower) newer() (*part, int, error) {
	all, err := w.log.rotatedLogs()
	if err != nil {
		return nil, 0, err
	}
	last := w.last
	for _, r := range all {
		p, err := openPart(r.path, r.n)
		switch {
		case err != nil:
			return nil, 0, err
		case p == nil: // removed since it was listed
		case w.f != nil && sameFile(p.File, w.f):
			last = r.n
			closePart(p)
		case r.n > last:
			return p, r.n, nil
		default:
			closePart(p)
		}
	}
	return nil, last, nil
}

func closePart(p *part) {
	if p != nil {
		_ = p.Close()
	}
}
