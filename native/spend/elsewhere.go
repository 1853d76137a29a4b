package spend

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"iterion/native/atomicfile"
)

// share is what a day file held of a run, and the file that said so. Every change
// makes a new file, so the same file still says the same.
type share struct {
	info fs.FileInfo
	n    nanos
}

func (s share) holds(info fs.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, info) && s.info.ModTime().Equal(info.ModTime()) && s.info.Size() == info.Size()
}

// settling is how old a day file must be before its share is remembered. Within a
// tick of the file system's clock, a file and its replacement can look the same.
const settling = 2 * time.Second

// elsewhere returns what the days from first on hold of a run, all but one. Days
// after that one count too: the clock may have been set back. A run that lives
// for months costs one stat for each of its days. The caller holds the lock.
func (l *Ledger) elsewhere(runID, first, but string) (nanos, error) {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return 0, err
	}
	var sum nanos
	for _, e := range entries {
		l.sweep(e.Name())
		day, ok := dayOfFile(e.Name())
		if !ok || day < first || day == but {
			continue
		}
		n, err := l.shareOn(day, runID)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func (l *Ledger) shareOn(day, runID string) (nanos, error) {
	info, err := os.Stat(l.path(day))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, &UnreadableError{Path: l.path(day), Err: err}
	}
	if s := l.shares[runID][day]; s.holds(info) {
		return s.n, nil
	}
	d, err := l.read(day)
	if err != nil {
		return 0, err
	}
	n := toNanos(d.Runs[runID])
	if time.Since(info.ModTime()) > settling {
		l.remember(runID, day, share{info, n})
	}
	return n, nil
}

func (l *Ledger) remember(runID, day string, s share) {
	if l.shares[runID] == nil {
		l.shares[runID] = map[string]share{}
	}
	l.shares[runID][day] = s
}

// sweep removes what a killed holder of the lock left half-written.
func (l *Ledger) sweep(name string) {
	if strings.HasPrefix(name, atomicfile.TempPrefix) {
		_ = os.Remove(filepath.Join(l.dir, name))
	}
}
