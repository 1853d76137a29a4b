package localrun

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"iterion/bots"
	"iterion/bots/supervise"
	"iterion/native/proctree"
	"iterion/native/run"
)

// The test binary is its own supervisor.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == supervise.Command {
		os.Exit(supervise.Main(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

// lab is a store with bots to launch.
type lab struct {
	*testing.T
	root string
	h    *Host
}

func newLab(t *testing.T) *lab {
	t.Helper()
	root := t.TempDir()
	b := &lab{T: t, root: root}
	b.h = b.host()
	t.Cleanup(b.stopAll)
	return b
}

// host is what another process has of the store.
func (b *lab) host() *Host {
	return &Host{
		Runs: run.Open(filepath.Join(b.root, "runs"), run.Options{NoFsync: true}), StoreDir: b.root, NoFsync: true,
		Bots:     func() *bots.Registry { return bots.NewRegistry([]string{filepath.Join(b.root, "bots")}) },
		patience: 20 * time.Second, grace: 200 * time.Millisecond,
	}
}

// stopAll leaves no process behind, whatever the test did.
func (b *lab) stopAll() {
	ids, _ := b.h.Runs.IDs()
	for _, id := range ids {
		_ = supervise.RequestStop(b.h.Runs, id, run.Intent{Verb: run.VerbCancel, By: "test"})
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		_, _ = supervise.Await(ctx, b.h.Runs, id)
		cancel()
		if left := b.processes(id); len(left) > 0 {
			b.Errorf("run %s left processes %v", id, left)
		}
	}
	b.eventually("the supervisors have exited", func() bool {
		return !slices.ContainsFunc(ids, func(id string) bool { held, _ := b.h.Runs.Locked(id); return held })
	})
}

// processes returns those that carry the run's id in their environment.
func (b *lab) processes(id string) []proctree.Process {
	left, err := proctree.Orphans(proctree.ByEnviron("ITERION_RUN_ID", id), nil)
	if err != nil {
		b.Error(err)
	}
	return left
}

// bot makes a bundle of a shell script. more are further lines of the manifest.
func (b *lab) bot(name, script string, more ...string) {
	b.Helper()
	dir := filepath.Join(b.root, "bots", name)
	text := "schema_version: 1\nname: " + name + "\n" + strings.Join(more, "\n") + "\n"
	if !strings.Contains(text, "run:") {
		text += "run:\n"
	}
	text += "  script: |\n"
	for line := range strings.Lines(script) {
		text += "    " + strings.TrimRight(line, "\n") + "\n"
	}
	b.must(os.MkdirAll(dir, 0o700))
	b.must(os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(text), 0o600))
}

func (b *lab) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// of is a launch of a bot by a schedule.
func of(bot, schedule string) Launch {
	return Launch{RunID: run.NewID(), BotID: bot,
		Source: run.Source{Kind: run.SourceSchedule, ScheduleID: schedule, ScheduleName: schedule}}
}

func (b *lab) launch(l Launch) run.Record {
	b.Helper()
	rec, err := b.h.Launch(b.Context(), l)
	b.must(err)
	return rec
}

func (b *lab) await(id string) run.Record {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	rec, err := supervise.Await(ctx, b.h.Runs, id)
	b.must(err)
	return rec
}

// live returns the ids of a schedule's live runs, as a fresh process sees them.
func (b *lab) live(schedule string) []string {
	b.Helper()
	live, err := b.host().Live(b.Context(), schedule)
	b.must(err)
	var ids []string
	for _, l := range live {
		ids = append(ids, l.RunID)
	}
	return ids
}

func (b *lab) wantLive(schedule string, ids ...string) {
	b.Helper()
	if got := b.live(schedule); !slices.Equal(got, ids) {
		b.Errorf("live: %v, want %v", got, ids)
	}
}

// put stores a run that no process works at.
func (b *lab) put(status run.Status, schedule string) string {
	b.Helper()
	rec := run.Record{ID: run.NewID(), Bot: "b", Status: status, Attempt: 1, CreatedAt: time.Now().UTC(),
		Source: run.Source{Kind: run.SourceSchedule, ScheduleID: schedule}}
	if status == run.Running {
		rec.StartedAt = rec.CreatedAt
	}
	lock, err := b.h.Runs.Create(b.Context(), rec, nil)
	b.must(err)
	b.must(lock.Release())
	return rec.ID
}

// eventually polls until ok holds.
func (b *lab) eventually(what string, ok func() bool) {
	b.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			b.Fatalf("%s: not within 30 s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// unstarted wants an error to be of a run on record.
func (b *lab) unstarted(err error) run.Record {
	b.Helper()
	var u *UnstartedError
	if !errors.As(err, &u) {
		b.Fatalf("%v, want an UnstartedError", err)
	}
	return u.Record
}
