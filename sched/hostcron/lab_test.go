package hostcron

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"iterion/sched/audit"
	"iterion/sched/gate"
)

// lab is one manifest with a store whose runs are folders, and a clock that the
// test sets. What it keeps is on disk, so that processes share it.
type lab struct {
	Paths
	store string // runs are <store>/runs/<id>; live while they hold no file ended
	now   time.Time
	host  *time.Location
	fault func(step string)
	// before is called in the launch, before the run exists.
	before    func()
	runExists error // what RunExists answers instead
}

func newLab(t *testing.T, rows string) *lab {
	t.Helper()
	l := &lab{Paths: manifestOf(t, "schedules:\n"+rows), store: t.TempDir(), host: time.UTC,
		now: time.Date(2031, 3, 10, 2, 0, 0, 400_000_000, time.UTC)}
	if err := os.MkdirAll(filepath.Join(l.store, "runs"), 0o700); err != nil {
		t.Fatal(err)
	}
	return l
}

var lastRun struct {
	sync.Mutex
	n int
}

// newRunID counts, within a process.
func newRunID() string {
	lastRun.Lock()
	defer lastRun.Unlock()
	lastRun.n++
	return fmt.Sprintf("run-%d-%d", os.Getpid(), lastRun.n)
}

func (l *lab) clock(name string) Clock {
	return Clock{
		Paths: l.Paths, Name: name, Host: l.host, NoFsync: true, Audit: l.audit(), NewRunID: newRunID,
		Prepare: func(_ context.Context, s Schedule) (Job, error) {
			return Job{StoreDir: l.store, Lock: filepath.Join(l.store, "schedules", s.Name+".lock"), Vars: s.Vars,
				Workdir: l.store, Ports: gate.Ports{Live: l.live, Launch: l.launch, Now: func() time.Time { return l.now }}}, nil
		},
		RunExists: func(_ context.Context, store, id string) (bool, error) {
			_, err := os.Stat(filepath.Join(store, "runs", id))
			if errors.Is(err, os.ErrNotExist) {
				return false, l.runExists
			}
			return err == nil, errors.Join(err, l.runExists)
		},
		Now: func() time.Time { return l.now }, fault: l.fault,
	}
}

func (l *lab) audit() *audit.Log { return audit.Open(l.Audit(), audit.Options{NoFsync: true}) }

// launch makes a run's folder by rename, as a real one does.
func (l *lab) launch(_ context.Context, id string, _ map[string]string) error {
	if l.before != nil {
		l.before()
	}
	staged, err := os.MkdirTemp(l.store, "staged")
	if err != nil {
		return err
	}
	return os.Rename(staged, filepath.Join(l.store, "runs", id))
}

func (l *lab) runs() []string {
	entries, err := os.ReadDir(filepath.Join(l.store, "runs"))
	if err != nil {
		return []string{err.Error()}
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Name())
	}
	return ids
}

func (l *lab) live(context.Context, string) (out []gate.Live, err error) {
	for _, id := range l.runs() {
		if _, err := os.Stat(filepath.Join(l.store, "runs", id, "ended")); err != nil {
			out = append(out, gate.Live{RunID: id, Started: l.now, LastSign: l.now, Running: true})
		}
	}
	return out, nil
}

// end ends all runs.
func (l *lab) end(t *testing.T) {
	t.Helper()
	for _, id := range l.runs() {
		if err := os.WriteFile(filepath.Join(l.store, "runs", id, "ended"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (l *lab) tick(t *testing.T, name string) Outcome {
	t.Helper()
	out, err := l.clock(name).Tick(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tickAt sets the clock, ticks and ends what was started.
func (l *lab) tickAt(t *testing.T, name string, at time.Time) Outcome {
	t.Helper()
	l.now = at
	out := l.tick(t, name)
	l.end(t)
	return out
}

func (l *lab) records(t *testing.T) []gate.Record {
	t.Helper()
	var all []gate.Record
	stats, err := l.audit().Read(audit.Filter{}, func(r gate.Record) error { all = append(all, r); return nil })
	if err != nil || stats.Torn+stats.Unknown > 0 {
		t.Fatal(stats, err)
	}
	return all
}

// told is what the audit holds, one "decision slot" each.
func (l *lab) told(t *testing.T) string {
	t.Helper()
	var all []string
	for _, r := range l.records(t) {
		slot := "by hand"
		if !r.Slot.IsZero() {
			slot = r.Slot.Format("02T15:04")
		}
		all = append(all, string(r.Decision)+" "+slot)
	}
	return strings.Join(all, ", ")
}

func (l *lab) wantTold(t *testing.T, want string) {
	t.Helper()
	if got := l.told(t); got != want {
		t.Errorf("the audit tells:\n%s\nwant:\n%s", got, want)
	}
}

// checkOnce finds slots that have two records, and runs that no record names.
func (l *lab) checkOnce(t *testing.T) {
	t.Helper()
	seen := map[string]gate.Record{}
	var fired []string
	for _, r := range l.records(t) {
		if was, twice := seen[r.Key()]; twice {
			t.Errorf("slot %s has two records: %+v and %+v", r.Slot, was, r)
		}
		seen[r.Key()] = r
		if r.Decision == gate.Fired {
			fired = append(fired, r.RunID)
		}
	}
	slices.Sort(fired)
	if runs := l.runs(); !slices.Equal(runs, fired) {
		t.Errorf("runs %v, and fired are %v", runs, fired)
	}
}

// set rewrites the manifest by hand.
func (l *lab) set(t *testing.T, rows string) {
	t.Helper()
	if err := os.WriteFile(l.Manifest, []byte("schedules:\n"+rows), 0o600); err != nil {
		t.Fatal(err)
	}
}

func row(name, cron, more string) string {
	return fmt.Sprintf("  - name: %s\n    cron: %q\n    bot: b\n%s", name, cron, more)
}
