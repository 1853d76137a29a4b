package audit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"iterion/native/filelock"
	"iterion/native/jsonl"
	"iterion/sched/gate"
)

// Defaults of Options. Together they keep half a gigabyte: well over a million
// ticks.
const (
	DefaultMaxBytes = 32 << 20
	DefaultKeep     = 15
)

// Options tune a Log. Zero fields take their defaults.
type Options struct {
	NoFsync  bool
	MaxBytes int64 // the log is rotated before it grows beyond
	Keep     int   // rotated logs that are kept
}

// Log is a tick audit. It is safe for concurrent use, over processes too.
type Log struct {
	path string
	o    Options
}

// Open returns the log at path, which the first Append makes.
func Open(path string, o Options) *Log {
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.Keep = cmp.Or(o.Keep, DefaultKeep)
	return &Log{path: path, o: o}
}

// Path returns the file that is appended to.
func (l *Log) Path() string { return l.path }

// Append adds a record and makes it durable. A lock that is held for long is a
// *filelock.HeldError.
func (l *Log) Append(ctx context.Context, r gate.Record) error {
	_, err := l.locked(ctx, r, func() (bool, error) { return false, nil })
	return err
}

// AppendOnce adds a record unless one of its key is there, and reports whether it
// did.
func (l *Log) AppendOnce(ctx context.Context, r gate.Record) (written bool, err error) {
	return l.locked(ctx, r, func() (bool, error) { return l.holds(r) })
}

// locked appends a record under the log's lock, unless it is there.
func (l *Log) locked(ctx context.Context, r gate.Record, there func() (bool, error)) (bool, error) {
	line, err := encode(r)
	if err != nil {
		return false, fmt.Errorf("audit of %s: %w", r.ScheduleName, err)
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return false, fmt.Errorf("tick audit: %w", err)
	}
	lock, err := filelock.Acquire(ctx, l.path+".lock", filelock.Options{})
	if err != nil {
		return false, fmt.Errorf("tick audit: %w", err)
	}
	defer lock.Release()
	if yes, err := there(); yes || err != nil {
		return false, err
	}
	if err := l.makeRoom(int64(len(line)) + 1); err != nil {
		return false, fmt.Errorf("rotate tick audit: %w", err)
	}
	if _, err := jsonl.Append(l.path, line, jsonl.Options{NoFsync: l.o.NoFsync}); err != nil {
		return false, fmt.Errorf("tick audit: %w", err)
	}
	return true, nil
}

func encode(r gate.Record) ([]byte, error) {
	r.Schema = cmp.Or(r.Schema, gate.Schema)
	r.At = r.At.UTC()
	if !r.Slot.IsZero() {
		r.Slot = r.Slot.UTC()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it, too
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// How far AppendOnce looks back.
const (
	olderBy  = time.Minute // than the tick, to be clearly older
	olderRun = 1000        // lines in a row that are
)

// holds reports whether a record of the key of r is in the log. The caller holds
// the lock, so nothing is rotated meanwhile.
func (l *Log) holds(r gate.Record) (bool, error) {
	key, bound := r.Key(), r.At
	if !r.Slot.IsZero() && r.Slot.Before(bound) {
		bound = r.Slot
	}
	bound = bound.Add(-olderBy)
	snap, err := l.snapshot()
	if err != nil {
		return false, err
	}
	defer snap.close()
	ofTick, older, found := sieveOf(Filter{ID: r.ScheduleID}), 0, false
	if !r.Slot.IsZero() { // all write UTC
		ofTick = append(ofTick, [][]byte{[]byte(`"` + r.Slot.UTC().Format("2006-01-02T15:04:05"))})
	}
	err = snap.backward(func(line []byte) error {
		if ofTick.passes(line) {
			if was, kind := decode(line); kind == record && was.Key() == key {
				found = true
				return jsonl.ErrStop
			}
		}
		if at, ok := instantOf(line); ok && !at.Before(bound) {
			older = 0
		} else if older++; older >= olderRun {
			return jsonl.ErrStop
		}
		return nil
	})
	return found, err
}

// instantOf returns when the record of a line was decided.
func instantOf(line []byte) (time.Time, bool) {
	if at, ok := glance(line); ok {
		return at, true
	}
	r, kind := decode(line)
	return r.At, kind == record
}
