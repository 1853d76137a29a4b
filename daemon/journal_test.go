package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"iterion/daemon/dispatch"
	"iterion/native/atomicfile"
)

// oneAtATime stands for the writer lock.
type oneAtATime struct{ mu sync.Mutex }

func (o *oneAtATime) Exclusive(_ context.Context, fn func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return fn()
}

func newJournal(t *testing.T, alive ...string) *journal {
	t.Helper()
	return &journal{
		path: filepath.Join(t.TempDir(), "claims.json"), store: &oneAtATime{}, o: atomicfile.Options{NoFsync: true},
		alive: func(owner string) (bool, error) {
			if owner == "unknowable" {
				return false, errors.New("disk on fire")
			}
			for _, a := range alive {
				if a == owner {
					return true, nil
				}
			}
			return false, nil
		},
	}
}

func entry(id, owner string) dispatch.JournalEntry {
	return dispatch.JournalEntry{IssueID: id, Owner: owner, Marker: "dispatcher:" + owner, Epoch: 3, RunID: "r-" + id}
}

func owners(t *testing.T, j *journal) map[string]string {
	t.Helper()
	entries, err := j.Entries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		out[e.IssueID] = e.Owner
	}
	return out
}

func put(t *testing.T, j *journal, entries ...dispatch.JournalEntry) {
	t.Helper()
	for _, e := range entries {
		if err := j.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestJournalAdoptsOnlyTheDead(t *testing.T) {
	j := newJournal(t, "lives")
	put(t, j, entry("a", "dead"), entry("b", "lives"), entry("c", "dead too"), entry("d", "me"))
	ours, err := j.Adopt(t.Context(), "me")
	if err != nil || len(ours) != 3 {
		t.Fatalf("adopted %+v, %v", ours, err)
	}
	if ours[0].Marker != "dispatcher:dead" || ours[0].RunID != "r-a" || ours[0].Epoch != 3 {
		t.Errorf("the claim itself changed: %+v", ours[0])
	}
	want := map[string]string{"a": "me", "b": "lives", "c": "me", "d": "me"}
	if d := cmp.Diff(want, owners(t, j)); d != "" {
		t.Error(d)
	}
	if again, err := j.Adopt(t.Context(), "me"); err != nil || len(again) != 3 {
		t.Errorf("second time: %+v %v", again, err)
	}
}

func TestJournalAdoptsNothingWhenLifeCannotBeTold(t *testing.T) {
	j := newJournal(t)
	put(t, j, entry("a", "dead"), entry("b", "unknowable"))
	if ours, err := j.Adopt(t.Context(), "me"); err == nil {
		t.Errorf("adopted %+v", ours)
	}
	if got := owners(t, j)["a"]; got != "dead" {
		t.Errorf("half of the adoption was written: %s", got)
	}
}

func TestJournalRemoveSparesEntriesOfOthers(t *testing.T) {
	j := newJournal(t)
	put(t, j, entry("a", "other"), entry("b", "me"))
	for _, id := range []string{"a", "b", "never there"} {
		if err := j.Remove(t.Context(), id, "me", "dispatcher:me"); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(map[string]string{"a": "other"}, owners(t, j)); d != "" {
		t.Error(d)
	}
}

func TestJournalPutReplacesTheCardsEntry(t *testing.T) {
	j := newJournal(t)
	put(t, j, entry("a", "me"))
	changed := entry("a", "me")
	changed.Phase = dispatch.PhaseRunning
	put(t, j, changed)
	entries, err := j.Entries(t.Context())
	if err != nil || len(entries) != 1 || entries[0].Phase != dispatch.PhaseRunning {
		t.Errorf("%+v %v", entries, err)
	}
}

func TestJournalOfALateDaemonSparesTheHoldersEntry(t *testing.T) {
	j := newJournal(t, "holder")
	put(t, j, entry("a", "holder"), entry("a", "late"))
	if err := j.Remove(t.Context(), "a", "late", "dispatcher:late"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"a": "holder"}, owners(t, j)); d != "" {
		t.Error(d)
	}
}

// What a daemon writes and removes of a card that it has an entry of must not touch a
// dead one's entry of the same card.
func TestJournalAdoptionWaitsForTheCardsOwnEntry(t *testing.T) {
	j := newJournal(t, "me")
	put(t, j, entry("a", "dead"), entry("a", "me"), entry("b", "dead"))
	ours, err := j.Adopt(t.Context(), "me")
	if err != nil || len(ours) != 2 {
		t.Fatalf("got %+v, %v", ours, err)
	}
	if err := j.Remove(t.Context(), "a", "me", "dispatcher:me"); err != nil {
		t.Fatal(err)
	}
	ours, err = j.Adopt(t.Context(), "me")
	if err != nil || len(ours) != 2 || ours[0].IssueID != "a" {
		t.Errorf("then %+v, %v", ours, err)
	}
}

// A start that comes too late for a card wipes nothing out that was adopted of the
// card's holder meanwhile.
func TestJournalPutAndRemoveSpareWhatWasAdopted(t *testing.T) {
	j := newJournal(t)
	put(t, j, entry("a", "dead"), entry("a", "dead too"))
	if ours, err := j.Adopt(t.Context(), "me"); err != nil || len(ours) != 2 {
		t.Fatalf("adopted %+v, %v", ours, err)
	}
	put(t, j, entry("a", "me"), entry("a", "me"))
	if entries, err := j.Entries(t.Context()); err != nil || len(entries) != 3 {
		t.Fatalf("%+v %v", entries, err)
	}
	if err := j.Remove(t.Context(), "a", "me", "dispatcher:me"); err != nil {
		t.Fatal(err)
	}
	entries, err := j.Entries(t.Context())
	if err != nil || len(entries) != 2 || entries[0].Marker != "dispatcher:dead" || entries[1].Marker != "dispatcher:dead too" {
		t.Errorf("%+v %v", entries, err)
	}
}

func TestJournalKeepsWhatANewerVersionWroteOfOthers(t *testing.T) {
	j := newJournal(t, "other")
	theirs := `{"issue_id":"a","owner":"other","from_the_future":[1,2]}`
	if err := os.WriteFile(j.path, []byte("["+theirs+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, j, entry("b", "me"))
	data, err := os.ReadFile(j.path)
	if err != nil || !strings.Contains(string(data), "from_the_future") {
		t.Errorf("%s %v", data, err)
	}
}

func TestI5_UnreadableJournalIsNeverEmpty(t *testing.T) {
	for name, text := range map[string]string{
		"empty file":      "",
		"torn":            `[{"issue_id":"a","owner":"x"},{"iss`,
		"object":          `{}`,
		"empty entry":     `[{}]`,
		"wrong type":      `[{"issue_id":"a","owner":"x","epoch":"three"}]`,
		"something after": `[] []`,
	} {
		t.Run(name, func(t *testing.T) {
			j := newJournal(t)
			if err := os.WriteFile(j.path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if e, err := j.Entries(t.Context()); err == nil || !strings.Contains(err.Error(), j.path) {
				t.Errorf("entries %v, %v", e, err)
			}
			if err := j.Put(t.Context(), entry("b", "me")); err == nil {
				t.Error("put succeeded")
			}
			if err := j.Remove(t.Context(), "a", "x", "m"); err == nil {
				t.Error("remove succeeded")
			}
			if e, err := j.Adopt(t.Context(), "me"); err == nil {
				t.Errorf("adopted %v", e)
			}
			if data, _ := os.ReadFile(j.path); string(data) != text {
				t.Errorf("the file was changed to %q", data)
			}
		})
	}
}

func TestLedgerKeepsEntriesOfOtherDaemons(t *testing.T) {
	path, lock := filepath.Join(t.TempDir(), "retries.json"), &oneAtATime{}
	one := &ledger{path: path, store: lock, o: atomicfile.Options{NoFsync: true}}
	two := &ledger{path: path, store: lock, o: atomicfile.Options{NoFsync: true}}
	mine, err := one.Load(t.Context())
	if err != nil || len(mine) != 0 {
		t.Fatalf("%v %v", mine, err)
	}
	theirs, _ := two.Load(t.Context())
	save := func(l *ledger, entries map[string]dispatch.RetryEntry) {
		t.Helper()
		if err := l.Save(t.Context(), entries); err != nil {
			t.Fatal(err)
		}
	}
	mine["a"] = dispatch.RetryEntry{IssueID: "a", Attempts: 1}
	save(one, mine)
	theirs["b"] = dispatch.RetryEntry{IssueID: "b", Attempts: 2}
	save(two, theirs)
	mine["a"] = dispatch.RetryEntry{IssueID: "a", Attempts: 3}
	save(one, mine)
	theirs["b"] = dispatch.RetryEntry{}
	theirs["c"] = dispatch.RetryEntry{IssueID: "c"}
	save(two, theirs)
	got, err := (&ledger{path: path, store: lock}).Load(t.Context())
	want := map[string]dispatch.RetryEntry{"a": {IssueID: "a", Attempts: 3}, "c": {IssueID: "c"}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
}

func TestI5_UnreadableLedgerAndIntentAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(path, []byte(`{"desired": "pau`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &ledger{path: path, store: &oneAtATime{}}
	if e, err := l.Load(t.Context()); err == nil {
		t.Errorf("ledger loaded %v", e)
	}
	if err := l.Save(t.Context(), nil); err == nil {
		t.Error("ledger was written over")
	}
	f := &intentFile{path: path, store: &oneAtATime{}, o: atomicfile.Options{NoFsync: true}}
	if d, err := f.Load(t.Context()); err == nil {
		t.Errorf("intent loaded %v", d)
	}
	if err := f.Save(t.Context(), dispatch.Desired{Desired: dispatch.DesiredPaused, By: "a"}); err != nil {
		t.Errorf("a new intent was refused: %v", err)
	}
	if d, err := f.Load(t.Context()); err != nil || d.By != "a" {
		t.Errorf("%+v %v", d, err)
	}
}

func TestOwnerIsAliveWhileItsLockIsHeld(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "owners")
	o, err := takeOwner(dir)
	if err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(dir, "stale"+ownerSuffix)
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if alive, err := ownerAlive(dir, o.id); err != nil || !alive {
		t.Errorf("holder: %v %v", alive, err)
	}
	if alive, err := ownerAlive(dir, "stale"); err != nil || alive {
		t.Errorf("stale file: %v %v", alive, err)
	}
	if _, err := ownerAlive(dir, "../../etc/passwd"); err == nil {
		t.Error("a path passed for an owner")
	}
	next, err := takeOwner(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer next.release()
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("the dead one's file is left: %v", err)
	}
	if alive, _ := ownerAlive(dir, o.id); !alive {
		t.Error("sweeping took a living owner's lock")
	}
	if err := o.release(); err != nil {
		t.Fatal(err)
	}
	if alive, err := ownerAlive(dir, o.id); err != nil || alive {
		t.Errorf("after release: %v %v", alive, err)
	}
}
