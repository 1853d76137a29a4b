package native

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/storetest"
)

// foreignStore is a copy of a store that an older program wrote: no inbox, no
// leases, an unknown key at every level and a kind of event that is not ours.
func foreignStore(t *testing.T) Layout {
	t.Helper()
	l := Layout{Root: filepath.Join(t.TempDir(), DirName)}
	if err := os.CopyFS(l.Root, os.DirFS("testdata/foreign")); err != nil {
		t.Fatal(err)
	}
	return l
}

const (
	foreignHeld  = "native:0a6f2b1c-5d3e-4f70-8a91-b2c3d4e5f601"
	foreignWaits = "native:0b7f2b1c-5d3e-4f70-8a91-b2c3d4e5f602"
)

func TestI5_ForeignStoreIsUpgradedAndNothingInItIsLost(t *testing.T) {
	l := foreignStore(t)
	log := readFile(t, l.Events())
	was := map[string]any{}
	for _, path := range []string{l.Board(), l.IssueFile(foreignHeld), l.IssueFile(foreignWaits)} {
		was[path] = parseFile(t, path)
	}
	s := openStore(t, l, Options{NoFsync: true})
	schema, err := s.Schema(t.Context())
	want := []string{"inbox", "backlog", "ready", "waiting_deps", "in_progress", "awaiting_input", "review", "done", "blocked"}
	if err != nil || !slices.Equal(schema.StateNames(), want) {
		t.Errorf("columns %v, %v, want %v", schema.StateNames(), err, want)
	}
	events, err := s.Events(t.Context(), 6, 0)
	if err != nil || len(events) != 1 || events[0].Seq != 7 || events[0].Type != board.EventBoardUpdated ||
		events[0].Payload.Reason != board.ReasonSchemaMigration {
		t.Errorf("the upgrade told %+v, %v", events, err)
	}
	useForeign(t, s)
	for path, old := range was {
		if lost := missing("", old, parseFile(t, path)); len(lost) > 0 {
			t.Errorf("%s lost %v", filepath.Base(path), lost)
		}
	}
	if now := readFile(t, l.Events()); !strings.HasPrefix(now, log) {
		t.Error("lines of the log were changed")
	}
	if kept := readFile(t, filepath.Join(l.Dispatcher(), "plugins.json")); !strings.Contains(kept, "kept") {
		t.Errorf("a file of the other program holds %q", kept)
	}
	storetest.Whole(t, l.Dispatcher(), storetest.Options{})
}

// useForeign rewrites every record.
func useForeign(t *testing.T, s *Store) {
	t.Helper()
	ctx, by := t.Context(), board.Cause{}
	held, err := s.Get(ctx, foreignHeld)
	if err != nil || held.Fence() != (board.Fence{Marker: "worker-7", Epoch: 1}) || !held.ClaimLeaseUntil.IsZero() {
		t.Fatalf("held: %+v, %v", held, err)
	}
	if _, err := s.Claim(ctx, foreignHeld, "another", time.Hour, by); err == nil {
		t.Error("a claim without lease was taken over")
	}
	if err := s.Renew(ctx, foreignHeld, held.Fence(), time.Hour); err != nil {
		t.Errorf("its holder renews: %v", err)
	}
	if _, err := s.Comment(ctx, foreignHeld, "bob", "seen", by); err != nil {
		t.Error(err)
	}
	if _, err := s.Update(ctx, foreignWaits, board.Patch{AddLabels: []string{"seen"}}, by); err != nil {
		t.Error(err)
	}
	schema, err := s.Schema(ctx)
	if err != nil {
		t.Fatal(err)
	}
	schema.Views = append(schema.Views, board.View{Name: "all"})
	if err := s.SetSchema(ctx, schema, by); err != nil {
		t.Error(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parseFile(t *testing.T, path string) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(readFile(t, path))))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// missing returns the places at which now lacks what was had. Lists of records
// with a name may have grown in the middle; an instant may be written otherwise.
func missing(at string, was, now any) []string {
	switch was := was.(type) {
	case map[string]any:
		now, _ := now.(map[string]any)
		var out []string
		for k, v := range was {
			if there, ok := now[k]; k != "updated_at" && (ok || !empty(v)) {
				out = append(out, missing(at+"."+k, v, there)...)
			}
		}
		return out
	case []any:
		now, _ := now.([]any)
		var out []string
		for n, v := range was {
			best := missing(fmt.Sprintf("%s[%d]", at, n), v, nil)
			for _, there := range now {
				if lost := missing(fmt.Sprintf("%s[%d]", at, n), v, there); len(lost) < len(best) {
					best = lost
				}
			}
			out = append(out, best...)
		}
		return out
	}
	if fmt.Sprint(was) != fmt.Sprint(now) && !sameInstant(was, now) {
		return []string{at}
	}
	return nil
}

// empty reports a value whose key need not be written.
func empty(v any) bool { return v == nil || v == "" }

func sameInstant(a, b any) bool {
	x, errX := time.Parse(time.RFC3339Nano, fmt.Sprint(a))
	y, errY := time.Parse(time.RFC3339Nano, fmt.Sprint(b))
	return errX == nil && errY == nil && x.Equal(y)
}
