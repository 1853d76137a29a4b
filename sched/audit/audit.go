// Package audit keeps the tick audit: one line for each slot that a clock decided,
// so that whoever asks why a schedule did not fire finds the answer written down.
package audit

import (
	"context"
	"errors"
	"time"

	"iterion/sched/gate"
)

// Options tune a Log. Zero fields take their defaults.
type Options struct {
	NoFsync  bool
	MaxBytes int64 // the log is rotated before it grows beyond; default 32 MiB
	Keep     int   // rotated logs that are kept; default 9
}

// Log is a tick audit.
type Log struct {
	path string
	o    Options
}

// Open returns the log at path, which the first Append makes.
func Open(path string, o Options) *Log { return &Log{path: path, o: o} }

// Append adds a record and makes it durable.
func (l *Log) Append(ctx context.Context, r gate.Record) error { return errors.ErrUnsupported }

// AppendOnce adds a record unless one of its key is there.
func (l *Log) AppendOnce(ctx context.Context, r gate.Record) (written bool, err error) {
	return false, errors.ErrUnsupported
}

// Filter selects records. Empty fields select all.
type Filter struct {
	Name, ID  string
	Surface   gate.Surface
	Since     time.Time // decided then or later
	Until     time.Time // decided before
	Decisions []gate.Decision
	Tail      int // only so many, the newest
}

// Stats tell of lines that were passed over.
type Stats struct {
	Torn    int // no record
	Unknown int // of a higher schema
}

// Read hands the records that f selects to fn, oldest first.
func (l *Log) Read(f Filter, fn func(gate.Record) error) (Stats, error) {
	return Stats{}, errors.ErrUnsupported
}

// Follow hands the records that f selects to fn, and then those to come, until ctx
// ends.
func (l *Log) Follow(ctx context.Context, f Filter, fn func(gate.Record) error) error {
	return errors.ErrUnsupported
}
