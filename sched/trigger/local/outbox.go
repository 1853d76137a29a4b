package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"iterion/native/filelock"
	"iterion/native/jsonl"
	"iterion/sched/trigger"
)

// Options tune the twins.
type Options struct {
	NoFsync bool         // leave out every fsync: faster, and a power cut may lose what was acknowledged
	Log     *slog.Logger // nil: silent
	// CompactAt is how large a log grows before it is replaced by a snapshot, at
	// least, in bytes; 0: 1 MiB.
	CompactAt int64
	// Fault is called at the instants at which a kill is worth a test.
	Fault func(point string)
}

func (o Options) filled() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.CompactAt == 0 {
		o.CompactAt = 1 << 20
	}
	return o
}

func (o Options) jsonl() jsonl.Options { return jsonl.Options{NoFsync: o.NoFsync} }

// Outbox is the outbox of a store in files. It is safe for concurrent use, over
// processes.
type Outbox struct {
	snapshot, log, lock string
	o                   Options

	mu     sync.Mutex
	t      *trigger.Table // nil: not read yet
	seq    int64          // of the last change that is in t
	end    int64          // of its line in the log; 0: the log had none
	base   int64          // size of the snapshot, in bytes
	broken int            // places of the log where changes are missing
	told   int64          // seq of the one that was complained of last
	later  int64          // size of the log at which a compaction that failed is tried again
	extra  map[string]jsonRaw
}

var _ trigger.Outbox = (*Outbox)(nil)

// OpenOutbox returns the outbox in two files of one folder. It reads nothing yet.
func OpenOutbox(snapshot, log string, o Options) *Outbox {
	return &Outbox{snapshot: snapshot, log: log, lock: filepath.Join(filepath.Dir(log), ".trigger-effects.lock"), o: o.filled()}
}

func (b *Outbox) fault(point string) {
	if b.o.Fault != nil {
		b.o.Fault(point)
	}
}

// look runs fn on the outbox as the files say it is.
func (b *Outbox) look(ctx context.Context, fn func(*trigger.Table) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(); err != nil {
		return err
	}
	return fn(b.t)
}

// change runs fn on the outbox as the files say it is and makes the change that it
// returns durable, all under the lock.
func (b *Outbox) change(ctx context.Context, fn func(*trigger.Table) (trigger.Change, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	lock, err := filelock.Acquire(ctx, b.lock, filelock.Options{})
	if err != nil {
		return fmt.Errorf("lock the outbox: %w", err)
	}
	defer lock.Release()
	// A last line that lost only its newline is a change; it is taken in first.
	if _, err := jsonl.CloseTail(b.log, b.o.jsonl()); err != nil {
		return fmt.Errorf("close off the outbox's log: %w", err)
	}
	if err := b.refresh(); err != nil {
		return err
	}
	c, err := fn(b.t)
	if err != nil || c.Empty() {
		return err
	}
	if err := b.append(c); err != nil {
		return err
	}
	b.shrink()
	return nil
}

// append writes a change and takes it in. The caller holds the lock.
func (b *Outbox) append(c trigger.Change) error {
	lines, err := encode(c, b.seq+1)
	if err != nil {
		return err
	}
	b.fault("judged")
	at, err := jsonl.AppendAll(b.log, lines, b.o.jsonl())
	if err != nil {
		return fmt.Errorf("write to the outbox: %w", err) // what reached the file is found there
	}
	b.fault("appended")
	b.t.Apply(c)
	b.seq += int64(len(lines))
	b.end = at.End
	return nil
}

// shrink replaces a log that has grown large. The change is durable already, so
// trouble here is nobody's error.
func (b *Outbox) shrink() {
	if b.end < max(b.o.CompactAt, b.base, b.later) {
		return
	}
	b.later = 0
	if err := b.compact(); err != nil {
		b.later = 2 * b.end
		b.o.Log.Warn("the outbox's log cannot be made shorter", "path", b.log, "err", err)
	}
}

// refresh takes in what others wrote. The caller holds b.mu.
func (b *Outbox) refresh() error {
	if b.t != nil {
		known, err := b.follow()
		if err != nil || known {
			return err
		}
	}
	return b.load()
}

// follow reads the log behind what is known of it; known is false when it is not the
// log that was known.
func (b *Outbox) follow() (known bool, err error) {
	if b.end > 0 {
		if ok, err := jsonl.EndsWith(b.log, b.end, b.seq); err != nil || !ok {
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return false, err
		}
	} else if _, err := os.Stat(b.snapshot); err == nil {
		return false, nil // there was neither snapshot nor log
	}
	err = b.scan(b.end, true)
	if errors.Is(err, errOtherLog) {
		return false, nil
	}
	return true, err
}

// errOtherLog says that the log does not go on from what is known.
var errOtherLog = errors.New("the log does not go on from the snapshot")

// load reads both files from the beginning. While somebody replaces them, the two
// may not fit; then they are read again.
func (b *Outbox) load() error {
	var err error
	for range 5 {
		if err = b.loadOnce(); !errors.Is(err, errOtherLog) {
			break
		}
	}
	if errors.Is(err, errOtherLog) {
		err = &UnreadableError{Path: b.snapshot, Log: b.log, Err: errors.New("it is missing, or older than its log")}
	}
	if err != nil {
		b.t = nil
	}
	return err
}

func (b *Outbox) loadOnce() error {
	s, err := readSnapshot(b.snapshot)
	if err != nil {
		return &UnreadableError{Path: b.snapshot, Log: b.log, Err: err}
	}
	b.t = trigger.NewTable()
	b.t.Apply(trigger.Change{Add: s.Rows, Cursors: s.Cursors})
	b.seq, b.end, b.broken, b.extra = s.Seq, 0, 0, s.extra
	b.base = 0
	if info, err := os.Stat(b.snapshot); err == nil {
		b.base = info.Size()
	}
	return b.scan(0, false)
}

// scan takes in the lines of the log from an offset on. strict: any line that does not
// go on from what is known is errOtherLog. Else a line that is missing is damage, as
// long as the log begins where the snapshot ends.
func (b *Outbox) scan(from int64, strict bool) error {
	unread, fits := 0, false
	_, err := jsonl.Scan(b.log, from, func(raw jsonl.Line) error {
		l, err := decode(raw.Data)
		if err != nil {
			unread++
			return nil
		}
		gap := l.Seq > b.seq+1 || l.Snapshot && l.Seq > b.seq
		switch {
		case strict && (gap || l.Seq <= b.seq), gap && !fits && unread == 0, gap && l.Snapshot:
			return errOtherLog
		case gap:
			b.damaged(raw, l.Seq)
		}
		unread, fits = 0, true // with no gap, it was a torn line, which hides nothing
		if l.Seq > b.seq {
			b.t.Apply(l.Change)
			b.seq = l.Seq
		}
		if l.Seq == b.seq {
			b.end = raw.End
		}
		return nil
	})
	return err
}

// damaged notes that changes are missing before a line.
func (b *Outbox) damaged(raw jsonl.Line, seq int64) {
	b.broken++
	if b.told != seq {
		b.told = seq
		b.o.Log.Error("changes of the outbox are lost: lines of its log are missing or cannot be read",
			"path", b.log, "offset", raw.Offset, "after_seq", b.seq, "before_seq", seq)
	}
}
