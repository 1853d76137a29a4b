package resident

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"iterion/native/atomicfile"
	"iterion/sched/audit"
	"iterion/sched/gate"
	"iterion/sched/trigger"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bed is the world that outlives schedulers.
type bed struct {
	t    *testing.T
	dir  string
	mu   sync.Mutex
	skew time.Duration // of the wall clock
	rows []trigger.Subscription
	bad  error // of reading the rows

	records []gate.Record
	deaf    error // of the audit

	runs    map[string]*fakeRun
	order   []string
	doubled []string // run ids that were launched twice
	refuse  func(l Launch) error
	hang    func(id string) // in Live
	liveErr error

	unstarted error  // of every run
	stall     func() // in Reserve
	held      *HeldError
	slots     int // free ones; < 0: without end
	reserved  map[string]bool
	verdicts  []string
	ids       int
}

type fakeRun struct {
	gate.Live
	schedule string
	ended    string // how
	vars     map[string]string
}

func inBed(t *testing.T, test func(t *testing.T, b *bed)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { test(t, newBed(t, dir)) })
}

func newBed(t *testing.T, dir string) *bed {
	return &bed{t: t, dir: dir, runs: map[string]*fakeRun{}, reserved: map[string]bool{}, slots: -1}
}

func (b *bed) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Add(b.skew)
}

// jump sets the wall clock, and nothing else, forward or back.
func (b *bed) jump(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.skew += d
}

func (b *bed) options() Options {
	return Options{
		Path: filepath.Join(b.dir, "schedule-intents.json"), File: atomicfile.Options{NoFsync: true},
		LockPath: func(id string) string { return filepath.Join(b.dir, id+".lock") },
		Audit:    b, Runs: b, Slots: b, Now: b.now, Host: time.UTC, NewID: b.newID,
		Rows: func(context.Context) (Rows, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return Rows{Clocks: slices.Clone(b.rows)}, b.bad
		},
		Verdict: func(_ context.Context, id, text string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.verdicts = append(b.verdicts, id+": "+text)
		},
	}
}

// life is one scheduler from its start to its end.
type life struct {
	*Scheduler
	b    *bed
	quit func()
}

func (b *bed) start(edit ...func(*Options)) *life {
	b.t.Helper()
	o := b.options()
	for _, e := range edit {
		e(&o)
	}
	s := New(o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Run(ctx)
	}()
	l := &life{Scheduler: s, b: b, quit: sync.OnceFunc(func() { cancel(); <-ended })}
	b.t.Cleanup(l.quit)
	l.later(0)
	return l
}

func (l *life) later(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (b *bed) newID() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ids++
	return fmt.Sprintf("run-%d", b.ids)
}

// hourly is a schedule on the hour.
func hourly(edit ...func(*trigger.Subscription)) trigger.Subscription {
	s := trigger.Subscription{ID: "hourly", BotID: "audit", Invocation: trigger.OnSchedule, Cron: "0 * * * *", Enabled: true, Mode: trigger.Direct}
	for _, e := range edit {
		e(&s)
	}
	return s
}

func keepalive(every time.Duration) trigger.Subscription {
	return trigger.Subscription{ID: "watch", BotID: "watcher", Invocation: trigger.OnKeepalive, Interval: trigger.Duration(every),
		Overlap: gate.Keepalive, Enabled: true, Mode: trigger.Direct}
}

// set changes the world.
func (b *bed) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

func (b *bed) Append(_ context.Context, r gate.Record) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.deaf == nil {
		b.records = append(b.records, r)
	}
	return b.deaf
}

func (b *bed) AppendOnce(_ context.Context, r gate.Record) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.deaf != nil {
		return false, b.deaf
	}
	for _, old := range b.records {
		if old.Key() == r.Key() {
			return false, nil
		}
	}
	b.records = append(b.records, r)
	return true, nil
}

func (b *bed) Read(f audit.Filter, fn func(gate.Record) error) (audit.Stats, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.records {
		if r.ScheduleID == f.ID && !r.At.Before(f.Since) {
			if err := fn(r); err != nil {
				return audit.Stats{}, err
			}
		}
	}
	return audit.Stats{}, nil
}

func (b *bed) Live(_ context.Context, id string) ([]gate.Live, error) {
	if b.hang != nil {
		b.hang(id)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var live []gate.Live
	for _, runID := range b.order {
		if r := b.runs[runID]; r.schedule == id && r.ended == "" {
			live = append(live, r.Live)
		}
	}
	return live, b.liveErr
}

func (b *bed) End(_ context.Context, runID string, stale bool, _ string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs[runID].ended = "cancelled"
	if stale {
		b.runs[runID].ended = "failed_resumable"
	}
	b.free(runID)
	return nil
}

func (b *bed) free(runID string) {
	if b.reserved[runID] {
		delete(b.reserved, runID)
		b.slots++
	}
}

// ends lets a run end by itself.
func (b *bed) ends(runID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs[runID].ended = "finished"
	b.free(runID)
}

func (b *bed) Made(_ context.Context, runID string) (bool, error, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.runs[runID] != nil, b.unstarted, nil
}

func (b *bed) Launch(_ context.Context, l Launch) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse != nil {
		if err := b.refuse(l); err != nil {
			return err
		}
	}
	if b.runs[l.RunID] != nil {
		b.doubled = append(b.doubled, l.RunID)
		return nil
	}
	now := time.Now().Add(b.skew)
	b.runs[l.RunID] = &fakeRun{Live: gate.Live{RunID: l.RunID, Started: now, LastSign: now, Running: true, Status: "running"},
		schedule: l.Row.ID, vars: maps.Clone(l.Vars)}
	b.order = append(b.order, l.RunID)
	return nil
}

func (b *bed) Reserve(_ context.Context, runID string, _ trigger.Subscription) error {
	if b.stall != nil {
		b.stall()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.held != nil:
		return b.held
	case b.reserved[runID]:
		return nil
	case b.slots == 0:
		return noSlot
	}
	b.slots--
	b.reserved[runID] = true
	return nil
}

func (b *bed) Launched(runID string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.free(runID)
	}
}

var (
	noSlot = &HeldError{Guard: "slots", Reason: "all slots are in use", Slots: true, Err: errors.New("no slot")}
	paused = &HeldError{Guard: "paused", Reason: "dispatch is paused by alice", Err: errors.New("paused")}
)

// decided returns what the audit has, as "decision minute-of-slot".
func (b *bed) decided() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, r := range b.records {
		at := "by hand"
		if !r.Slot.IsZero() {
			at = r.Slot.Format("02 15:04:05")
		}
		out = append(out, string(r.Decision)+" "+at)
	}
	return out
}

func (b *bed) wants(want ...string) {
	b.t.Helper()
	if got := b.decided(); !slices.Equal(got, want) {
		b.t.Fatalf("the audit has\n%v\nwant\n%v", got, want)
	}
	b.once()
}

// once fails if a run was launched twice or a slot has two records.
func (b *bed) once() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.doubled) > 0 {
		b.t.Fatalf("launched twice: %v", b.doubled)
	}
	seen := map[string]bool{}
	for _, r := range b.records {
		if key := r.Key(); !r.Slot.IsZero() && seen[key] {
			b.t.Fatalf("two records of %s", key)
		} else {
			seen[key] = true
		}
	}
}

func (b *bed) launched() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.order)
}

func (b *bed) endOf(runID string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.runs[runID].ended
}

// taken is how many slots are.
func (b *bed) taken() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.reserved)
}

func (b *bed) told() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.verdicts)
}

func (b *bed) record(n int) gate.Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n >= len(b.records) {
		b.t.Fatalf("the audit has %d records", len(b.records))
	}
	return b.records[n]
}

func (b *bed) last() gate.Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.records) == 0 {
		b.t.Fatal("the audit is empty")
	}
	return b.records[len(b.records)-1]
}
