package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/daemon/dispatch"
	"iterion/native/atomicfile"
)

// future is a key that this version does not know.
const future = `"from_the_future": [`

func expectKept(t *testing.T, path string, want ...string) {
	t.Helper()
	data, err := os.ReadFile(path)
	for _, w := range append(want, future) {
		if err != nil || !strings.Contains(string(data), w) {
			t.Errorf("%s is not in %s (%v)", w, data, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestUnknownKeysOfAJournalEntryOutliveItsAdoptionAndChange(t *testing.T) {
	j := newJournal(t)
	write(t, j.path, `[{"issue_id":"a","owner":"dead","marker":"m","from_the_future":[1]}]`)
	if ours, err := j.Adopt(t.Context(), "me"); err != nil || len(ours) != 1 {
		t.Fatalf("%+v %v", ours, err)
	}
	expectKept(t, j.path, `"owner": "me"`)
	put(t, j, entry("a", "me"))
	expectKept(t, j.path, `"run_id": "r-a"`)
	if got := owners(t, j); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestUnknownKeysOfTheLedgerOutliveASave(t *testing.T) {
	l := &ledger{path: filepath.Join(t.TempDir(), "retries.json"), store: &oneAtATime{}, o: atomicfile.Options{NoFsync: true}}
	entry := `{"issue_id":"a","attempts":1,"due_at":"2026-01-02T15:04:05Z","Last_Reason":"old","from_the_future":[2]}`
	write(t, l.path, "["+entry+"]")
	save := func(id string, e dispatch.RetryEntry) {
		t.Helper()
		if err := l.Save(t.Context(), map[string]dispatch.RetryEntry{id: e}); err != nil {
			t.Fatal(err)
		}
	}
	save("b", dispatch.RetryEntry{IssueID: "b", DueAt: time.Unix(9, 0)}) // another card's
	expectKept(t, l.path, `"issue_id": "b"`)
	save("a", dispatch.RetryEntry{IssueID: "a", Attempts: 2})
	expectKept(t, l.path)
	got, err := l.Load(t.Context())
	if want := (dispatch.RetryEntry{IssueID: "a", Attempts: 2}); err != nil || got["a"] != want {
		t.Errorf("%+v %v: keys that are known were not replaced", got["a"], err)
	}
}

func TestUnknownKeysOfTheIntentOutliveAPause(t *testing.T) {
	f := &intentFile{path: filepath.Join(t.TempDir(), "runtime.json"), store: &oneAtATime{}, o: atomicfile.Options{NoFsync: true}}
	write(t, f.path, `{"desired":"running","reason":"old","from_the_future":[3]}`)
	if err := f.Save(t.Context(), dispatch.Desired{Desired: dispatch.DesiredPaused, By: "a"}); err != nil {
		t.Fatal(err)
	}
	expectKept(t, f.path, `"desired": "paused"`)
	if d, err := f.Load(t.Context()); err != nil || d != (dispatch.Desired{Desired: dispatch.DesiredPaused, By: "a"}) {
		t.Errorf("%+v %v", d, err)
	}
}
