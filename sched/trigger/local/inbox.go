package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
	"iterion/native/jsonl"
	"iterion/sched/trigger"
)

// Inbox is the inbox of a store in a file. It is safe for concurrent use, over
// processes.
type Inbox struct {
	path, lock string
	o          Options

	mu    sync.Mutex
	place struct{ seq, offset int64 } // where the last reader stopped: a hint
	heard struct {                    // what Told has read so far
		seq, end int64 // of the last line
		last     map[string]string
		baseline bool
	}
}

var _ trigger.Inbox = (*Inbox)(nil)

// OpenInbox returns the inbox in a file. It reads nothing yet.
func OpenInbox(path string, o Options) *Inbox {
	return &Inbox{path: path, lock: filepath.Join(filepath.Dir(path), ".trigger-inbox.lock"), o: o.filled()}
}

// entry is one line: an event, or what was told without one.
type entry struct {
	Seq   int64          `json:"seq"`
	At    time.Time      `json:"timestamp"`
	Event *trigger.Event `json:"event,omitempty"`
	// Told holds the last outcomes, by run id, of which there is no entry (any more).
	Told map[string]string `json:"told,omitempty"`
	// Baseline: outcomes of before are among Told.
	Baseline bool `json:"baseline,omitempty"`
}

func decodeEntry(data []byte) (entry, bool) {
	var e struct {
		Seq *int64 `json:"seq"`
		entry
	}
	if json.Unmarshal(data, &e) != nil || e.Seq == nil {
		return entry{}, false
	}
	e.entry.Seq = *e.Seq
	return e.entry, true
}

// locked runs fn under the lock, with a torn last line closed off, and the seq of the
// next entry.
func (b *Inbox) locked(ctx context.Context, fn func(next int64) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	lock, err := filelock.Acquire(ctx, b.lock, filelock.Options{})
	if err != nil {
		return fmt.Errorf("lock the inbox: %w", err)
	}
	defer lock.Release()
	if _, err := jsonl.CloseTail(b.path, b.o.jsonl()); err != nil {
		return fmt.Errorf("close off the inbox: %w", err)
	}
	last, _, err := jsonl.LastRecord(b.path)
	if err != nil {
		return err
	}
	return fn(last + 1)
}

// append adds entries, which get their seq here. The caller holds the lock.
func (b *Inbox) append(next int64, entries []entry) error {
	lines := make([][]byte, len(entries))
	now := time.Now().UTC()
	for n, e := range entries {
		e.Seq, e.At = next+int64(n), now
		var err error
		if lines[n], err = marshal(e); err != nil {
			return fmt.Errorf("encode an event of the inbox: %w", err)
		}
		if len(lines[n]) >= jsonl.MaxLine {
			return fmt.Errorf("put into the inbox: %w: the event takes %d bytes, at most %d", trigger.ErrTooLarge, len(lines[n]), jsonl.MaxLine)
		}
	}
	if _, err := jsonl.AppendAll(b.path, lines, b.o.jsonl()); err != nil {
		return fmt.Errorf("write to the inbox: %w", err)
	}
	b.fault("put")
	return nil
}

func (b *Inbox) fault(point string) {
	if b.o.Fault != nil {
		b.o.Fault(point)
	}
}

// Put implements trigger.Inbox.
func (b *Inbox) Put(ctx context.Context, events ...trigger.Event) (added int, err error) {
	for _, e := range events { // before anything is waited for
		if e.ID == "" {
			return 0, trigger.ErrNoEventID
		}
	}
	err = b.locked(ctx, func(next int64) error {
		ids, err := b.recent()
		if err != nil {
			return err
		}
		fresh, err := trigger.Unseen(events, ids)
		if err != nil || len(fresh) == 0 {
			return err
		}
		entries := make([]entry, len(fresh))
		for n := range fresh {
			entries[n].Event = &fresh[n]
		}
		if err := b.append(next, entries); err != nil {
			return err
		}
		added = len(fresh)
		return nil
	})
	return added, err
}

// recent returns the ids of the newest events.
func (b *Inbox) recent() (map[string]bool, error) {
	ids, n := map[string]bool{}, 0
	err := jsonl.Backward(b.path, func(l jsonl.Line) error {
		if e, ok := decodeEntry(l.Data); ok && e.Event != nil {
			ids[e.Event.ID] = true
			n++
		}
		if n >= trigger.InboxLookback {
			return jsonl.ErrStop
		}
		return nil
	})
	return ids, err
}

// Events implements trigger.Inbox.
func (b *Inbox) Events(ctx context.Context, after int64, limit int) ([]trigger.Posted, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	hint := int64(0)
	if b.place.seq == after {
		hint = b.place.offset
	}
	from, err := jsonl.SeekAfter(b.path, after, hint)
	if err != nil {
		return nil, err
	}
	var out []trigger.Posted
	_, err = jsonl.Scan(b.path, from, func(l jsonl.Line) error {
		e, ok := decodeEntry(l.Data)
		if !ok || e.Seq <= after {
			return nil
		}
		if e.Event != nil {
			out = append(out, trigger.Posted{Seq: e.Seq, At: e.At, Event: *e.Event})
			b.place.seq, b.place.offset = e.Seq, l.End
		}
		if limit > 0 && len(out) >= limit {
			return jsonl.ErrStop
		}
		return nil
	})
	return out, err
}

// Tip implements trigger.Inbox.
func (b *Inbox) Tip(ctx context.Context) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	seq, _, err := jsonl.LastRecord(b.path)
	return seq, err
}

// Told implements trigger.Inbox. It reads what is new since it was called last.
func (b *Inbox) Told(ctx context.Context) (last map[string]string, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	h := &b.heard
	known := false
	if h.end > 0 {
		known, err = jsonl.EndsWith(b.path, h.end, h.seq)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, false, err
		}
	}
	if !known {
		h.seq, h.end, h.last, h.baseline = 0, 0, map[string]string{}, false
	}
	_, err = jsonl.Scan(b.path, h.end, func(l jsonl.Line) error {
		if e, readable := decodeEntry(l.Data); readable {
			h.baseline = e.told(h.last) || h.baseline
			h.seq, h.end = e.Seq, l.End
		}
		return nil
	})
	return maps.Clone(h.last), h.baseline, err
}

// told brings last up to what the entry tells, and reports whether it is a baseline.
func (e entry) told(last map[string]string) bool {
	maps.Copy(last, e.Told)
	if e.Event != nil && e.Event.RunID != "" {
		last[e.Event.RunID] = e.Event.ID
	}
	return e.Baseline
}

// Baseline implements trigger.Inbox.
func (b *Inbox) Baseline(ctx context.Context, last map[string]string) error {
	return b.locked(ctx, func(next int64) error {
		return b.append(next, []entry{{Told: last, Baseline: true}})
	})
}

// Trim implements trigger.Inbox. A short file stays as it is.
func (b *Inbox) Trim(ctx context.Context, upto int64, keep func(runID string) bool) error {
	if info, err := os.Stat(b.path); err != nil || info.Size() < b.o.CompactAt {
		return nil // what is wrong with it, its readers say
	}
	return b.locked(ctx, func(int64) error { return b.trim(upto, keep) })
}

func (b *Inbox) trim(upto int64, keep func(string) bool) error {
	head := entry{Seq: -1, Told: map[string]string{}}
	var gone int64 // bytes
	var rest [][]byte
	_, err := jsonl.Scan(b.path, 0, func(l jsonl.Line) error {
		e, ok := decodeEntry(l.Data)
		if ok && e.Seq <= upto {
			head.Seq, head.At = e.Seq, e.At
			head.Baseline = e.told(head.Told) || head.Baseline
			gone += l.End - l.Offset
			return nil
		}
		if len(l.Data) > 0 {
			rest = append(rest, append([]byte(nil), l.Data...))
		}
		return nil
	})
	if err != nil || gone < b.o.CompactAt/2 {
		return err
	}
	maps.DeleteFunc(head.Told, func(id, _ string) bool { return !keep(id) })
	o, err := staging(filepath.Dir(b.path), "inbox", b.o.NoFsync)
	if err != nil {
		return err
	}
	err = atomicfile.Stream(b.path, 0o600, o, func(w io.Writer) error { return writeTrimmed(w, head, rest) })
	if err != nil {
		return fmt.Errorf("trim the inbox: %w", err)
	}
	b.fault("trimmed")
	return nil
}

func writeTrimmed(w io.Writer, head entry, rest [][]byte) error {
	first, err := marshal(head)
	if err != nil {
		return err
	}
	for _, line := range append([][]byte{first}, rest...) {
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
