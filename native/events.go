package native

import (
	"cmp"
	"context"
	"os"
	"slices"

	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/jsonl"
)

// Events implements board.Store. A line that is no event is passed over.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]board.Event, error) {
	found, err := s.log.read(after, limit)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	// Look at the staged files after the log: what was staged then and is not
	// now, is in place.
	pending, err := s.pending(ctx)
	if err != nil {
		return nil, err
	}
	n := len(found)
	for n > 0 && found[n-1].Seq >= pending {
		n--
	}
	return found[:n], nil
}

// Tip implements board.Store.
func (s *Store) Tip(ctx context.Context) (int64, error) {
	tip, err := s.log.tip()
	if err != nil {
		return 0, err
	}
	pending, err := s.pending(ctx)
	return min(tip, pending-1), err
}

// pending returns the first seq whose card may not be in place yet. When that
// is nobody's work any more, it does the work itself.
func (s *Store) pending(ctx context.Context) (int64, error) {
	const none = int64(1) << 62
	changes, _, err := stagedFiles(s.l.Staging())
	if isNotDir(err) {
		err = nil // a file in the folder's place: nothing is on its way, or will be
	}
	if err != nil || len(changes) == 0 {
		return none, err
	}
	if s.orphaned() && s.write(ctx, func(*writer) error { return nil }) == nil {
		return none, nil
	}
	return changes[0].seq, nil
}

// orphaned reports that no writer is at work on what is staged.
func (s *Store) orphaned() bool {
	held, err := filelock.Probe(s.l.WriterLock())
	return err == nil && !held
}

// read returns at most limit events behind after, in the order of their seq.
func (g *eventLog) read(after int64, limit int) ([]board.Event, error) {
	for {
		was, _ := os.Stat(g.l.Events())
		found, err := g.readOnce(after, limit)
		is, _ := os.Stat(g.l.Events())
		if err != nil || was == nil || is != nil && os.SameFile(was, is) {
			return found, err
		}
	}
}

// readOnce opens the log more than once, so that what it found holds only where
// the log was not replaced meanwhile.
func (g *eventLog) readOnce(after int64, limit int) ([]board.Event, error) {
	ordered, hint, err := g.find(after)
	if err != nil {
		return nil, err
	}
	var from int64
	if ordered {
		if from, err = jsonl.SeekAfter(g.l.Events(), after, hint); err != nil {
			return nil, err
		}
	}
	var old []board.Event
	if from == 0 {
		if old, err = g.readArchives(after, limit); err != nil || limit > 0 && len(old) == limit {
			return old, err
		}
		limit = max(limit-len(old), 0)
	}
	read := g.readUnordered
	if ordered {
		read = func(after int64, limit int) ([]board.Event, error) { return g.readFrom(from, after, limit) }
	}
	found, err := read(after, limit)
	return slices.Concat(old, found), err
}

// find says how the log can be read, and where the event behind after may be.
func (g *eventLog) find(after int64) (ordered bool, hint int64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := g.check(); err != nil {
		return false, 0, err
	}
	if g.place.seq == after {
		hint = g.place.offset
	}
	m, err := g.marked()
	return m.Ordered, hint, err
}

func (g *eventLog) readFrom(from, after int64, limit int) ([]board.Event, error) {
	var out []board.Event
	end := from
	_, err := jsonl.Scan(g.l.Events(), from, func(l jsonl.Line) error {
		if e, ok := g.decode(l, after); ok {
			out, end = append(out, e), l.End
		}
		if limit > 0 && len(out) == limit {
			return jsonl.ErrStop
		}
		return nil
	})
	if len(out) > 0 {
		g.mu.Lock()
		g.place.seq, g.place.offset = out[len(out)-1].Seq, end
		g.mu.Unlock()
	}
	return out, err
}

// readUnordered serves a log of foreign make: every line is looked at.
func (g *eventLog) readUnordered(after int64, limit int) ([]board.Event, error) {
	var out []board.Event
	_, err := jsonl.Scan(g.l.Events(), 0, func(l jsonl.Line) error {
		if e, ok := g.decode(l, after); ok {
			out = append(out, e)
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b board.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return out, err
}

func (g *eventLog) decode(l jsonl.Line, after int64) (board.Event, bool) {
	seq, ok := l.Seq()
	if !ok || seq <= after {
		return board.Event{}, false
	}
	e, err := board.DecodeEvent(l.Data)
	if err != nil {
		g.o.Log.Warn("an event cannot be read; it is passed over", "seq", seq, "offset", l.Offset, "err", err)
		return board.Event{}, false
	}
	return e, true
}
