package spend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
)

// Options tune a Ledger.
type Options struct {
	NoFsync bool // leave out every fsync: faster, and a power cut may lose what was acknowledged
}

// Ledger is the spending of a store. It is safe for concurrent use.
type Ledger struct {
	dir    string
	config string // the file that holds the cap
	o      Options

	mu     sync.Mutex
	shares map[string]map[string]share // run id -> day -> what it held when last read
}

// Open returns the ledger of the store in a folder. It reads nothing yet.
func Open(storeDir string, o Options) *Ledger {
	return &Ledger{
		dir:    filepath.Join(storeDir, "spend"),
		config: filepath.Join(storeDir, "dispatcher", "dispatcher.json"),
		o:      o,
		shares: map[string]map[string]share{},
	}
}

// Record brings the ledger up to what a run has cost in all, and returns the day
// that it counted on: the one of now, or the one that the run was made (since)
// if the clock says that this is still to come. A cost that the ledger holds
// already changes nothing. Errors: ErrCost, *UnreadableError, those of the lock.
// A cap that cannot be read is none of them, for the cost is recorded all the same:
// the day is returned as one without a cap, and it is Gate that lets nothing start.
func (l *Ledger) Record(ctx context.Context, runID string, since time.Time, cumulativeUSD float64, now time.Time) (Status, error) {
	if !sane(cumulativeUSD) || runID == "" {
		return Status{}, fmt.Errorf("record the cost of run %s: %g: %w", runID, cumulativeUSD, ErrCost)
	}
	day := max(DayOf(now), DayOf(since))
	d, err := l.change(ctx, day, func(d *Day) (bool, error) {
		elsewhere, err := l.elsewhere(runID, DayOf(since), day)
		if err != nil {
			return false, err
		}
		share := toNanos(cumulativeUSD) - elsewhere
		if share <= toNanos(d.Runs[runID]) {
			return false, nil
		}
		d.set(runID, share)
		return true, nil
	})
	if err != nil {
		return Status{}, fmt.Errorf("record the cost of run %s: %w", runID, err)
	}
	s, _ := l.judge(d)
	return s, nil
}

// change reads a day, lets fn change it, and writes it when fn says so, all
// under the lock.
func (l *Ledger) change(ctx context.Context, day string, fn func(*Day) (bool, error)) (Day, error) {
	if err := os.Mkdir(l.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return Day{}, err
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(l.dir, ".lock"), filelock.Options{})
	if err != nil {
		return Day{}, err
	}
	defer lock.Release()
	l.mu.Lock()
	defer l.mu.Unlock()
	d, err := l.read(day)
	if err != nil {
		return Day{}, err
	}
	changed, err := fn(&d)
	if err == nil && changed {
		err = l.write(d)
	}
	return d, err
}

// read returns a day; one that nobody wrote to yet has cost nothing.
func (l *Ledger) read(day string) (Day, error) {
	path := l.path(day)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Day{Day: day, Runs: map[string]float64{}}, nil
	}
	var d Day
	if err == nil {
		d, err = decode(data, day)
	}
	if err != nil {
		return Day{}, &UnreadableError{Path: path, Err: err}
	}
	return d, nil
}

func (l *Ledger) write(d Day) error {
	data, err := d.encode()
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(l.path(d.Day), append(data, '\n'), 0o600, atomicfile.Options{NoFsync: l.o.NoFsync})
}

func (l *Ledger) path(day string) string { return filepath.Join(l.dir, day+daySuffix) }

const daySuffix = ".json"

// dayOfFile returns the day that a file in the ledger's folder stands for.
func dayOfFile(name string) (string, bool) {
	day, ok := strings.CutSuffix(name, daySuffix)
	if !ok {
		return "", false
	}
	_, err := time.Parse(time.DateOnly, day)
	return day, err == nil
}
