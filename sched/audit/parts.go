package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/jsonl"
)

// rotated is a log that is no longer appended to.
type rotated struct {
	n    int
	path string
}

// rotatedPath is the name of the rotated log n.
func (l *Log) rotatedPath(n int) string {
	stem, ext := l.stem()
	return fmt.Sprintf("%s%06d%s", stem, n, ext)
}

func (l *Log) stem() (stem, ext string) {
	ext = filepath.Ext(l.path)
	return strings.TrimSuffix(l.path, ext) + "-", ext
}

// rotatedLogs lists the rotated logs, the oldest first.
func (l *Log) rotatedLogs() ([]rotated, error) {
	entries, err := os.ReadDir(filepath.Dir(l.path))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stem, ext := l.stem()
	stem = filepath.Base(stem)
	var all []rotated
	for _, e := range entries {
		digits, ours := strings.CutPrefix(e.Name(), stem)
		digits, ends := strings.CutSuffix(digits, ext)
		if n, err := strconv.Atoi(digits); ours && ends && err == nil && n > 0 && len(digits) >= 6 {
			all = append(all, rotated{n, filepath.Join(filepath.Dir(l.path), e.Name())})
		}
	}
	slices.SortFunc(all, func(a, b rotated) int { return cmp.Compare(a.n, b.n) })
	return all, nil
}

// makeRoom rotates a log that would grow too long by so many bytes. The caller
// holds the lock.
func (l *Log) makeRoom(more int64) error {
	info, err := os.Stat(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil || info.Size() == 0 || info.Size()+more <= l.o.MaxBytes {
		return err
	}
	if _, err := jsonl.CloseTail(l.path, jsonl.Options{NoFsync: l.o.NoFsync}); err != nil {
		return err
	}
	all, err := l.rotatedLogs()
	if err != nil {
		return err
	}
	next := 1
	if len(all) > 0 {
		next = all[len(all)-1].n + 1
	}
	if err := os.Rename(l.path, l.rotatedPath(next)); err != nil {
		return err
	}
	for i := 0; len(all)-i >= l.o.Keep; i++ { // the one just rotated counts
		_ = os.Remove(all[i].path) // the next rotation tries again
	}
	return atomicfile.SyncDir(filepath.Dir(l.path), atomicfile.Options{NoFsync: l.o.NoFsync})
}

// part is one log of a snapshot, open.
type part struct {
	*os.File
	size int64
	n    int // of a rotated one; 0: the log that is appended to
}

// snapshot is the whole audit as it was at one instant, the oldest part first. It
// ends with the log itself if there is one.
type snapshot struct {
	parts []part
	last  int // highest number among the rotated ones
}

func (s *snapshot) close() {
	for _, p := range s.parts {
		_ = p.Close()
	}
}

// snapshot opens all logs. The log itself comes first: see the package comment.
func (l *Log) snapshot() (*snapshot, error) {
	s := &snapshot{}
	current, err := openPart(l.path, 0)
	if err != nil {
		return nil, fmt.Errorf("read tick audit: %w", err)
	}
	all, err := l.rotatedLogs()
	for _, r := range all {
		var p *part
		if p, err = openPart(r.path, r.n); err != nil {
			break
		}
		if p != nil && current != nil && sameFile(p.File, current.File) {
			_ = p.Close() // it has been rotated since it was opened; what follows is newer
			break
		}
		if p != nil {
			s.parts = append(s.parts, *p)
			s.last = r.n
		}
	}
	if current != nil {
		s.parts = append(s.parts, *current)
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("read tick audit: %w", err)
	}
	return s, nil
}

// openPart returns nil for a log that does not exist, or not any more.
func openPart(path string, n int) (*part, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &part{File: f, size: info.Size(), n: n}, nil
}

func sameFile(a, b *os.File) bool {
	x, err := a.Stat()
	y, err2 := b.Stat()
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// clockSlack is by how much a clock may have been set back while a log was written
// whose last change is taken for the latest instant in it.
const clockSlack = 24 * time.Hour

// since closes the rotated logs that hold nothing from after an instant.
func (s *snapshot) since(t time.Time) {
	if t.IsZero() {
		return
	}
	s.parts = slices.DeleteFunc(s.parts, func(p part) bool {
		info, err := p.Stat()
		old := p.n > 0 && err == nil && info.ModTime().Add(clockSlack).Before(t)
		if old {
			_ = p.Close()
		}
		return old
	})
}

// backward hands all lines to fn, the last one first, until fn returns ErrStop.
func (s *snapshot) backward(fn func(line []byte) error) error {
	stopped := false
	for _, p := range slices.Backward(s.parts) {
		err := jsonl.ReadBackward(p, p.size, func(line jsonl.Line) error {
			err := fn(line.Data)
			stopped = errors.Is(err, jsonl.ErrStop)
			return err
		})
		if err != nil || stopped {
			return err
		}
	}
	return nil
}

// forward hands all lines to fn, the first one first, until fn returns ErrStop. It
// returns where the full lines of the last part end.
func (s *snapshot) forward(fn func(line []byte) error) (end int64, err error) {
	stopped := false
	for _, p := range s.parts {
		end, err = jsonl.Read(io.NewSectionReader(p, 0, p.size), func(line jsonl.Line) error {
			err := fn(line.Data)
			stopped = errors.Is(err, jsonl.ErrStop)
			return err
		})
		if err != nil || stopped {
			return end, err
		}
	}
	return end, nil
}
