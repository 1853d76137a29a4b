package doctor

import (
	"context"
	"path/filepath"
	"time"

	"iterion/native"
	"iterion/native/filelock"
)

// Options of an examination.
type Options struct {
	Layout  native.Layout
	Now     time.Time // zero: the present
	Host    *Host     // nil: this host, as Survey finds it
	NoFsync bool      // of the writes of Fix
	// Progress, if set, is told every now and then how many cards have been looked
	// at, by one goroutine at a time.
	Progress func(done, of int)
}

// settling is how long what may be a write on its way is given to arrive.
const settling = 60 * time.Millisecond

// stale is the age from which on a temporary file belongs to no writer.
const stale = time.Minute

// exam is one examination. It reads, and takes no lock.
type exam struct {
	o    Options
	l    native.Layout
	now  time.Time
	host Host
	rep  Report

	daemon *filelock.HeldError // who holds the daemon lock; nil: nobody

	columns []string        // of the board; nil: unreadable
	cards   map[string]card // by the id in the file's name
	log     logFacts
	staged  map[string]bool // ids of cards whose change is on its way
	claims  []entry         // the claim journal
	newest  newest
}

// Examine looks at a store and changes nothing. It works on one that cannot be
// written, and on one whose writer lock is held.
func Examine(ctx context.Context, o Options) (Report, error) {
	x := newExam(o)
	for _, part := range []func(){
		x.kinds, x.locks, x.files, x.unfinished, x.readLog, x.readCards, x.agree,
		x.journal, x.claimed, x.runs, x.tree, x.clock, x.hosted,
	} {
		if err := ctx.Err(); err != nil {
			return Report{}, err
		}
		part()
	}
	x.rep.Cards, x.rep.Events = len(x.cards), x.log.events
	Sort(x.rep.Findings)
	return x.rep, nil
}

func newExam(o Options) *exam {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Host == nil {
		h := Survey(o.Layout)
		o.Host = &h
	}
	return &exam{
		o: o, l: o.Layout, now: o.Now, host: *o.Host,
		rep:    Report{Store: o.Layout.Root, At: o.Now.UTC(), Findings: []Finding{}},
		staged: map[string]bool{},
	}
}

func (x *exam) found(f Finding) { x.rep.Findings = append(x.rep.Findings, f) }

// in names a file of the dispatcher folder.
func (x *exam) in(name string) string { return filepath.Join(x.l.Dispatcher(), name) }
