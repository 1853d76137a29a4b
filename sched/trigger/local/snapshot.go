package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"iterion/native/atomicfile"
	"iterion/sched/trigger"
)

// snapshot is trigger-effects.json.
type snapshot struct {
	Version int              `json:"version"`
	Seq     int64            `json:"seq"` // of the last change that is in it
	Cursors map[string]int64 `json:"cursors"`
	Rows    []trigger.Effect `json:"rows"`

	extra map[string]json.RawMessage // unknown keys, written back
}

// readSnapshot returns the snapshot; one that does not exist holds nothing, and seq -1.
func readSnapshot(path string) (snapshot, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return snapshot{Seq: -1}, nil
	}
	if err != nil {
		return snapshot{}, err
	}
	return decodeSnapshot(data)
}

func decodeSnapshot(data []byte) (snapshot, error) {
	var s snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		return s, err
	}
	switch {
	case s.Version == 0:
		return s, errors.New("it has no version")
	case s.Version > version:
		return s, fmt.Errorf("it is of version %d, which a newer iterion wrote", s.Version)
	}
	if err := json.Unmarshal(data, &s.extra); err != nil {
		return s, err
	}
	for _, known := range []string{"version", "seq", "cursors", "rows"} {
		delete(s.extra, known)
	}
	for _, e := range s.Rows {
		if e.ID == "" {
			return s, errors.New("a row of it has no id")
		}
	}
	return s, nil
}

// write streams the snapshot, one row a line, so that it can be read with grep, too.
func (s snapshot) write(w io.Writer) error {
	head := map[string]any{}
	for k, v := range s.extra {
		head[k] = v
	}
	head["version"], head["seq"], head["cursors"] = version, s.Seq, s.Cursors
	data, err := marshal(head)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s,\n\"rows\":[", data[:len(data)-1]); err != nil {
		return err
	}
	for n, e := range s.Rows {
		sep := ",\n"
		if n == 0 {
			sep = "\n"
		}
		if data, err = marshal(e); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", sep, data); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}

// compact replaces the log by a snapshot. The caller holds the lock and has taken in
// all of the log.
func (b *Outbox) compact() error {
	o, err := b.staging()
	if err != nil {
		return err
	}
	if b.broken > 0 {
		if err := b.keepBroken(o); err != nil {
			return err
		}
	}
	s := snapshot{Seq: b.seq, Cursors: b.t.Cursors(), Rows: b.t.All(), extra: b.extra}
	if err := atomicfile.Stream(b.snapshot, 0o600, o, s.write); err != nil {
		return fmt.Errorf("write the outbox's snapshot: %w", err)
	}
	b.fault("snapshot")
	data, err := marshal(line{Seq: b.seq, Snapshot: true})
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if err := atomicfile.WriteFile(b.log, data, 0o600, o); err != nil {
		return fmt.Errorf("begin the outbox's log anew: %w", err)
	}
	b.fault("log")
	b.end, b.broken = int64(len(data)), 0
	if info, err := os.Stat(b.snapshot); err == nil {
		b.base = info.Size()
	}
	return nil
}

// staging returns how whole files are written, and removes what killed writers left
// on its way. The caller holds the lock.
func (b *Outbox) staging() (atomicfile.Options, error) {
	return staging(filepath.Dir(b.snapshot), "effects", b.o.NoFsync)
}

// staging makes and empties the folder of one file's writes on their way.
func staging(dir, of string, noFsync bool) (atomicfile.Options, error) {
	tmp := filepath.Join(dir, ".trigger.tmp", of)
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return atomicfile.Options{}, err
	}
	left, err := os.ReadDir(tmp)
	if err != nil {
		return atomicfile.Options{}, err
	}
	for _, e := range left {
		_ = os.Remove(filepath.Join(tmp, e.Name()))
	}
	return atomicfile.Options{NoFsync: noFsync, TempDir: tmp}, nil
}

func (b *Outbox) keepBroken(o atomicfile.Options) error {
	data, err := os.ReadFile(b.log)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(fmt.Sprintf("%s.broken-%d", b.log, b.seq), data, 0o600, o)
}
