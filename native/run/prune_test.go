package run

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// ended makes a run that ended so long ago.
func ended(t *testing.T, d *Dir, s Status, ago time.Duration) string {
	t.Helper()
	at := time.Now().Add(-ago).UTC()
	return add(t, d, Record{Status: s, CreatedAt: at, FinishedAt: at}).ID
}

func prune(t *testing.T, d *Dir, p Prune) Pruned {
	t.Helper()
	done, err := d.Prune(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func removed(done Pruned) []string {
	var ids []string
	for _, r := range done.Removed {
		ids = append(ids, r.Record.ID)
	}
	slices.Sort(ids)
	return ids
}

func (d *Dir) must(t *testing.T, want ...string) {
	t.Helper()
	ids, err := d.IDs()
	slices.Sort(ids)
	slices.Sort(want)
	if err != nil || !slices.Equal(ids, want) {
		t.Errorf("the runs are %v, %v; want %v", ids, err, want)
	}
}

func TestPruneTakesOldRunsThatHaveEndedForGood(t *testing.T) {
	d := newDir(t)
	const day = 24 * time.Hour
	old := []string{ended(t, d, Finished, 9*day), ended(t, d, Failed, 8*day), ended(t, d, Cancelled, 7*day)}
	stay := []string{ended(t, d, FailedResumable, 9*day), ended(t, d, PausedHuman, 9*day), ended(t, d, PausedOperator, 9*day),
		ended(t, d, Queued, 9*day), ended(t, d, Running, 9*day), ended(t, d, Finished, day)}
	slices.Sort(old)

	week := Prune{Before: time.Now().Add(-5 * day), DryRun: true}
	if got := prune(t, d, week); !slices.Equal(removed(got), old) || got.Freed == 0 {
		t.Errorf("would remove %v, %d bytes", removed(got), got.Freed)
	}
	d.must(t, append(stay, old...)...)

	week.DryRun = false
	if got := prune(t, d, week); !slices.Equal(removed(got), old) || len(got.Failed) > 0 {
		t.Errorf("removed %v, failed %v", removed(got), got.Failed)
	}
	d.must(t, stay...)

	week.Statuses = []Status{FailedResumable}
	if got := prune(t, d, week); !slices.Equal(removed(got), stay[:1]) {
		t.Errorf("removed %v", removed(got))
	}
	d.must(t, stay[1:]...)
}

func TestPruneKeepsTheNewestAndThoseThatAreInUse(t *testing.T) {
	d := newDir(t)
	pointed, locked, free := ended(t, d, Finished, time.Hour), ended(t, d, Finished, time.Hour), ended(t, d, Failed, time.Hour)
	newest := []string{ended(t, d, Running, 0), ended(t, d, Finished, time.Hour)}
	lock, err := d.TryLock(locked)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	got := prune(t, d, Prune{Before: time.Now(), KeepLast: 2, Kept: func(context.Context) (map[string]bool, error) {
		return map[string]bool{pointed: true}, nil
	}})
	if !slices.Equal(removed(got), []string{free}) || got.Spared != 2 {
		t.Errorf("removed %v, spared %d", removed(got), got.Spared)
	}
	d.must(t, append(newest, pointed, locked)...)
}

func TestPruneThatCannotTellWhoPointsAtRunsRemovesNothing(t *testing.T) {
	d := newDir(t)
	id := ended(t, d, Finished, time.Hour)
	why := errors.New("the board is unreadable")
	_, err := d.Prune(t.Context(), Prune{Before: time.Now(), Kept: func(context.Context) (map[string]bool, error) { return nil, why }})
	if !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	if _, err := d.Prune(t.Context(), Prune{Statuses: []Status{PausedHuman}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("paused runs: %v", err)
	}
	d.must(t, id)
}

func TestPruneNamesWhatCannotBeRead(t *testing.T) {
	d := newDir(t)
	id := ended(t, d, Finished, time.Hour)
	if err := os.WriteFile(d.file(id, RecordFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := prune(t, d, Prune{Before: time.Now()}); len(got.Failed) != 1 || got.Failed[0].ID != id {
		t.Errorf("%+v", got)
	}
	d.must(t, id)
}

func TestPruneFollowsNoLinksAndMindsNoModes(t *testing.T) {
	d, outside := newDir(t), t.TempDir()
	precious := filepath.Join(outside, "precious")
	if err := os.WriteFile(precious, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := ended(t, d, Finished, time.Hour)
	cache := filepath.Join(d.Path(id), "cache", "pkg")
	for _, err := range []error{
		os.MkdirAll(cache, 0o700),
		os.WriteFile(filepath.Join(cache, "file"), make([]byte, 5000), 0o400),
		os.Symlink(outside, filepath.Join(d.Path(id), "dirlink")),
		os.Symlink(precious, filepath.Join(cache, "link")),
		os.Chmod(cache, 0o500),
		os.Chmod(filepath.Dir(cache), 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := prune(t, d, Prune{Before: time.Now()})
	if !slices.Equal(removed(got), []string{id}) || len(got.Failed) > 0 {
		t.Errorf("removed %v, failed %v", removed(got), got.Failed)
	}
	d.must(t)
	if _, err := os.Stat(precious); err != nil {
		t.Errorf("followed a link: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(d.root, trashDir)); err != nil || len(left) > 0 {
		t.Errorf("the trash holds %v, %v", left, err)
	}
}

func TestATrashThatLeadsElsewhereIsNotEmptied(t *testing.T) {
	d, outside := newDir(t), t.TempDir()
	id := ended(t, d, Finished, time.Hour)
	precious := filepath.Join(outside, "precious")
	if err := errors.Join(os.WriteFile(precious, nil, 0o600), os.MkdirAll(filepath.Join(d.root, stagingDir), 0o700),
		os.Symlink(outside, filepath.Join(d.root, trashDir))); err != nil {
		t.Fatal(err)
	}
	got, err := d.Prune(t.Context(), Prune{Before: time.Now()})
	if err == nil && len(got.Failed) == 0 {
		t.Errorf("removed %v through a link", removed(got))
	}
	if _, err := os.Stat(precious); err != nil {
		t.Errorf("emptied what the link leads to: %v", err)
	}
	d.must(t, id)
}

func TestLeftoversOfAKilledPruneGoWithTheNext(t *testing.T) {
	d := newDir(t)
	id := ended(t, d, Finished, time.Hour)
	left := filepath.Join(d.root, trashDir, "dead")
	if err := errors.Join(os.MkdirAll(left, 0o700), os.WriteFile(filepath.Join(left, "run.log"), make([]byte, 1000), 0o600)); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * stale)
	if err := os.Chtimes(filepath.Dir(left), long, long); err != nil {
		t.Fatal(err)
	}
	add(t, d, Record{ID: "0", Status: Running}) // a launch sweeps the staging folder
	if _, err := os.Stat(left); err != nil {
		t.Errorf("a launch was held up by the trash: %v", err)
	}
	if got := prune(t, d, Prune{}); len(got.Removed) > 0 || got.Freed != 1000 {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
	d.must(t, id, "0")
}

// TestPruneKilledAtAnyInstant kills real prunings and looks at what is left.
func TestPruneKilledAtAnyInstant(t *testing.T) {
	const env = "ITERION_TEST_PRUNE"
	if root := os.Getenv(env); root != "" {
		os.Stdout.WriteString("\n") // from here on
		_, _ = Open(root, Options{NoFsync: true}).Prune(t.Context(), Prune{Before: time.Now()})
		os.Exit(0)
	}
	d := newDir(t)
	const files = 20
	for range 30 {
		id := ended(t, d, Finished, time.Hour)
		for n := range files {
			if err := os.WriteFile(d.file(id, "f"+strconv.Itoa(n)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	kills := 0
	for after := time.Duration(0); ; after += 5 * time.Millisecond {
		killed := pruneAndKill(t, env+"="+d.root, after)
		found, err := d.List(Query{})
		if err != nil || len(found.Broken) > 0 {
			t.Fatalf("after %s: %v, %v", after, found.Broken, err)
		}
		for _, rec := range found.Records {
			if names, err := os.ReadDir(d.Path(rec.ID)); err != nil || len(names) < files+3 {
				t.Fatalf("after %s: run %s is half there: %d files, %v", after, rec.ID, len(names), err)
			}
		}
		if !killed {
			break
		}
		kills++
	}
	d.must(t)
	if left, err := os.ReadDir(filepath.Join(d.root, trashDir)); err != nil || len(left) > 0 || kills == 0 {
		t.Errorf("after %d kills the trash holds %v, %v", kills, left, err)
	}
}

// pruneAndKill prunes in a process that is killed so long after it began, and
// reports whether the kill came before its end.
func pruneAndKill(t *testing.T, env string, after time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestPruneKilledAtAnyInstant$")
	cmd.Env = append(os.Environ(), env, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 1))
	}
	if err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	return cmd.Wait() != nil
}
