package run

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newDir(t *testing.T) *Dir {
	t.Helper()
	return Open(filepath.Join(t.TempDir(), "runs"), Options{NoFsync: true})
}

// add makes a run and lets go of its lock.
func add(t *testing.T, d *Dir, rec Record) Record {
	t.Helper()
	if rec.ID == "" {
		rec.ID = NewID()
	}
	if rec.Status == "" {
		rec.Status = Queued
	}
	lock, err := d.Create(context.Background(), rec, map[string][]byte{VarsFile: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if held, err := d.Locked(rec.ID); err != nil || !held {
		t.Fatalf("a new run's lock is free: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestRecordSurvivesTheRoundTripWithUnknownKeys(t *testing.T) {
	text := `{"format_version":1,"id":"x","bot":"b","status":"failed","created_at":"2026-01-02T03:04:05Z",
		"source":{"kind":"manual"},"attempt":1,"from_the_future":{"a":[1]},"cost_usd":0.5}`
	rec, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	data, err := rec.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "from_the_future") || again.CostUSD != 0.5 {
		t.Errorf("written back as\n%s", data)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":"x","status":"queued","odd":1}`))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"id":"x","status":"queued","source":null,"inputs":{"a":""}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := Decode(data)
		if err != nil {
			return
		}
		out, err := rec.Encode()
		if err != nil {
			t.Fatalf("decoded but not encoded: %v", err)
		}
		if again, err := Decode(out); err != nil || again.ID != rec.ID || again.Status != rec.Status {
			t.Fatalf("%v: %s", err, out)
		}
	})
}

func TestOneOfManyLaunchersMakesTheRun(t *testing.T) {
	d, id := newDir(t), NewID()
	var made, existed atomic.Int32
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			lock, err := d.Create(context.Background(), Record{ID: id, Status: Queued}, nil)
			switch {
			case err == nil:
				made.Add(1)
				defer lock.Release()
			case errors.Is(err, ErrExists):
				existed.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if made.Load() != 1 || existed.Load() != 7 {
		t.Errorf("%d made it, %d heard that it exists", made.Load(), existed.Load())
	}
	if left, err := os.ReadDir(filepath.Join(d.root, stagingDir)); err != nil || len(left) > 0 {
		t.Errorf("staging holds %v, %v", left, err)
	}
}

func TestFoldersOfDeadLaunchersAreSwept(t *testing.T) {
	d := newDir(t)
	dead, young := filepath.Join(d.root, stagingDir, "dead"), filepath.Join(d.root, stagingDir, "young")
	for _, dir := range []string{dead, young} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * stale)
	if err := os.Chtimes(dead, old, old); err != nil {
		t.Fatal(err)
	}
	add(t, d, Record{})
	if _, err := os.Stat(dead); !os.IsNotExist(err) {
		t.Errorf("the old folder is still there: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the young folder is gone: %v", err)
	}
}

func TestIdsThatLeadOutsideAreRefused(t *testing.T) {
	d := newDir(t)
	for _, id := range []string{"", ".", "..", "../x", "a/b", ".staging"} {
		if _, err := d.Create(context.Background(), Record{ID: id, Status: Queued}, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("create %q: %v", id, err)
		}
		if _, err := d.Get(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("get %q: %v", id, err)
		}
	}
}

func TestListIsNewestFirstFilteredAndNamesTheBroken(t *testing.T) {
	d := newDir(t)
	var ids []string
	for i := range 4 {
		status := Finished
		if i == 0 {
			status = Failed
		}
		ids = append(ids, add(t, d, Record{Bot: []string{"a", "b"}[i%2], Status: status, Source: Source{IssueID: "i1"}}).ID)
	}
	slices.Reverse(ids)
	bad := map[string]string{"00000000-bad-json": "{", "00000000-empty": "{}", "00000000-other": `{"id":"y","status":"failed"}`}
	for name, text := range bad {
		if err := os.MkdirAll(d.Path(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(d.file(name, RecordFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time from memory
		l, err := d.List(Query{})
		if err != nil || !slices.Equal(idsOf(l), ids) || len(l.Broken) != len(bad) {
			t.Errorf("listed %v, %d broken, %v", idsOf(l), len(l.Broken), err)
		}
		for _, b := range l.Broken {
			if b.Live || b.Err == nil {
				t.Errorf("broken: %+v", b)
			}
		}
	}
	for _, c := range []struct {
		q    Query
		want []string
	}{
		{Query{Limit: 2}, ids[:2]},
		{Query{Statuses: []Status{Failed, Cancelled}}, ids[3:]},
		{Query{Bot: "b"}, []string{ids[0], ids[2]}},
		{Query{IssueID: "none"}, nil},
	} {
		if l, err := d.List(c.q); err != nil || !slices.Equal(idsOf(l), c.want) {
			t.Errorf("%+v: %v, %v", c.q, idsOf(l), err)
		}
	}
}

func idsOf(l Listing) (ids []string) {
	for _, r := range l.Records {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestACachedRecordIsReadAgainWhenItChanges(t *testing.T) {
	d := newDir(t)
	rec := add(t, d, Record{Status: FailedResumable})
	other := Open(d.root, Options{NoFsync: true}) // another process
	for _, want := range []Status{FailedResumable, Queued} {
		rec.Status = want
		if err := other.Save(rec); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Get(rec.ID); err != nil || got.Status != want {
			t.Errorf("got %s, %v, want %s", got.Status, err, want)
		}
	}
}

func TestBrokenRecordIsLiveWhileItsLockIsHeld(t *testing.T) {
	d := newDir(t)
	rec := Record{ID: NewID(), Status: Queued}
	lock, err := d.Create(context.Background(), rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	if err := os.WriteFile(d.file(rec.ID, RecordFile), []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := d.List(Query{})
	if err != nil || len(l.Broken) != 1 || !l.Broken[0].Live {
		t.Errorf("listed %+v, %v", l, err)
	}
	var unreadable *UnreadableError
	if _, err := d.Get(rec.ID); !errors.As(err, &unreadable) {
		t.Errorf("get: %v", err)
	}
}

func TestResolveTakesEitherEnd(t *testing.T) {
	d := newDir(t)
	a := add(t, d, Record{ID: "01900000-0000-7000-8000-00000000aaaa"}).ID
	b := add(t, d, Record{ID: "01900000-0000-7000-8000-00000000bbbb"}).ID
	for ref, want := range map[string]string{a: a, Short(b): b, "AAAA": a, "bbbb": b} {
		if got, err := d.Resolve(ref); err != nil || got != want {
			t.Errorf("%s: %s, %v", ref, got, err)
		}
	}
	var several *AmbiguousError
	if _, err := d.Resolve("0190"); !errors.As(err, &several) || !slices.Equal(several.IDs, []string{b, a}) || !errors.Is(err, ErrInvalid) {
		t.Errorf("ambiguous: %v", err)
	}
	if _, err := d.Resolve("ffff"); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
	if _, err := d.Resolve("aaa"); !errors.Is(err, ErrInvalid) {
		t.Errorf("short: %v", err)
	}
}

func TestEventsGoOnAfterATornLine(t *testing.T) {
	for name, tail := range map[string]string{"torn": `{"seq":1,"ty`, "whole but for the newline": `{"seq":1,"type":"run_progress"}`} {
		t.Run(name, func(t *testing.T) {
			d := newDir(t)
			rec := add(t, d, Record{})
			appendEvent(t, d, rec.ID)
			f, err := os.OpenFile(d.file(rec.ID, EventsFile), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(tail); err != nil {
				t.Fatal(err)
			}
			f.Close()
			appendEvent(t, d, rec.ID)
			events, err := d.Events(rec.ID, -1)
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range events {
				if e.Seq != int64(i) {
					t.Errorf("event %d has seq %d", i, e.Seq)
				}
			}
			if after, err := d.Events(rec.ID, 0); err != nil || len(after) != len(events)-1 || len(after) == 0 {
				t.Errorf("after the first: %v, %v", after, err)
			}
		})
	}
}

func appendEvent(t *testing.T, d *Dir, id string) {
	t.Helper()
	j, err := d.Journal(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(Event{Type: EventProgress}, true); err != nil {
		t.Fatal(err)
	}
}

func TestAPersonsCancelIsNotReplaced(t *testing.T) {
	d := newDir(t)
	id := add(t, d, Record{}).ID
	if in, err := d.Intent(id); in != nil || err != nil {
		t.Errorf("intent of a new run: %v, %v", in, err)
	}
	for _, verb := range []string{VerbStop, VerbCancel, VerbStop} {
		if err := d.SetIntent(id, Intent{Verb: verb}); err != nil {
			t.Fatal(err)
		}
	}
	if in, err := d.Intent(id); err != nil || in.Verb != VerbCancel {
		t.Errorf("intent is %+v, %v", in, err)
	}
	if err := d.SetIntent(NewID(), Intent{Verb: VerbStop}); !errors.Is(err, ErrNotFound) {
		t.Errorf("intent for no run: %v", err)
	}
}

func TestOutputRoundTrip(t *testing.T) {
	d := newDir(t)
	id := add(t, d, Record{}).ID
	want := map[string]any{"a": json.Number("12345678901234567890"), "b": []any{"x"}} // no digit is lost
	if out, err := d.Output(id); out != nil || err != nil {
		t.Errorf("output of a new run: %v, %v", out, err)
	}
	if err := d.SetOutput(id, want); err != nil {
		t.Fatal(err)
	}
	got, err := d.Output(id)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestI11_FilesArePrivate(t *testing.T) {
	d := newDir(t)
	id := add(t, d, Record{}).ID
	appendEvent(t, d, id)
	err := filepath.WalkDir(d.Path(id), func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
