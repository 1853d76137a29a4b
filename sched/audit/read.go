package audit

import (
	"errors"
	"slices"

	"iterion/native/jsonl"
	"iterion/sched/gate"
)

// ErrStop, returned by a callback of Read or Follow, ends it without error.
var ErrStop = jsonl.ErrStop

// Read hands the records that f selects to fn, the oldest first. With a tail it
// reads from the end and stops as soon as it has enough; lines that it did not come
// to are not in the Stats.
func (l *Log) Read(f Filter, fn func(gate.Record) error) (Stats, error) {
	snap, err := l.snapshot()
	if err != nil {
		return Stats{}, err
	}
	defer snap.close()
	r := &reader{f: f, sieve: sieveOf(f), fn: fn}
	_, err = r.all(snap)
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return r.stats, err
}

// reader hands the records that a filter selects to a callback.
type reader struct {
	f     Filter
	sieve sieve
	fn    func(gate.Record) error
	stats Stats
	over  bool // the callback has had enough
}

// hand gives a record to the callback.
func (r *reader) hand(rec gate.Record) error {
	err := r.fn(rec)
	r.over = errors.Is(err, ErrStop)
	return err
}

// all reads a snapshot and returns where the full lines of its last part end.
func (r *reader) all(s *snapshot) (end int64, err error) {
	s.since(r.f.Since)
	switch {
	case r.f.Tail == 0:
		return s.forward(r.line)
	case r.f.Tail > 0:
		err = r.tail(s)
	}
	if n := len(s.parts); n > 0 && err == nil {
		last := s.parts[n-1]
		err = jsonl.ReadBackward(last, last.size, func(l jsonl.Line) error { end = l.End; return ErrStop })
	}
	return end, err
}

// tail finds the last records and hands them out in the order of the log.
func (r *reader) tail(s *snapshot) error {
	var found []gate.Record
	err := s.backward(func(line []byte) error {
		if rec, ok := r.take(line); ok {
			found = append(found, rec)
		}
		if len(found) >= r.f.Tail {
			return ErrStop
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, rec := range slices.Backward(found) {
		if err := r.hand(rec); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) line(line []byte) error {
	if rec, ok := r.take(line); ok {
		return r.hand(rec)
	}
	return nil
}

// take returns the record of a line if it is selected.
func (r *reader) take(line []byte) (gate.Record, bool) {
	if len(line) > 0 && (!r.sieve.passes(line) || r.f.outside(line)) {
		if !whole(line) {
			r.stats.Torn++
		}
		return gate.Record{}, false
	}
	rec, kind := decode(line)
	r.stats.count(rec, kind)
	return rec, kind == record && r.f.matches(rec)
}
