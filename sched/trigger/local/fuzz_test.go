package local

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/sched/trigger"
)

// FuzzLog opens an outbox over any log: it must say that it cannot be read, or go on
// with it, and then say the same at the next opening.
func FuzzLog(f *testing.F) {
	dir := f.TempDir()
	b := outboxIn(dir, quick)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for n := range 3 {
		if err := b.Add(f.Context(), "board", int64(n), []trigger.Effect{testRow(n)}); err != nil {
			f.Fatal(err)
		}
	}
	rows, err := b.Claim(f.Context(), now, 2)
	if err != nil {
		f.Fatal(err)
	}
	if err := b.Finish(f.Context(), rows[0].ID, rows[0].ClaimID, "launched", now); err != nil {
		f.Fatal(err)
	}
	seed, err := os.ReadFile(b.log)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:len(seed)-7])
	f.Add([]byte("{\"seq\":0,\"snapshot\":true}\n{\"seq\":1,\"drop\":[\"x\"]}\n"))
	f.Add([]byte("{\"seq\":-1,\"snapshot\":true}\n"))
	f.Add([]byte("{\"seq\":9223372036854775807,\"drop\":[\"x\"]}\n"))
	f.Add([]byte("\n\nnull\n[]\n{\"seq\":0}\n{\"seq\":0,\"cursors\":{\"board\":5}}\n{\"seq\":7}\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "trigger-effects.log"), log, 0o600); err != nil {
			t.Fatal(err)
		}
		b := outboxIn(dir, Options{NoFsync: true, CompactAt: 1 << 10})
		if err := b.Add(t.Context(), "fuzz", 7, []trigger.Effect{testRow(99)}); err != nil {
			return
		}
		if _, err := b.Claim(t.Context(), now, 1000); err != nil {
			t.Fatal(err)
		}
		first, err := b.List(t.Context(), trigger.EffectQuery{})
		if err != nil {
			t.Fatal(err)
		}
		again := outboxIn(dir, quick)
		second, err := again.List(t.Context(), trigger.EffectQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(asJSON(t, first), asJSON(t, second)); d != "" {
			t.Fatalf("the second opening differs:\n%s", d)
		}
		if at, ok, err := again.Cursor(t.Context(), "fuzz"); err != nil || !ok || at < 7 {
			t.Fatalf("cursor %d, %t, %v", at, ok, err)
		}
	})
}

func asJSON(t *testing.T, rows []trigger.Effect) string {
	t.Helper()
	data, err := json.MarshalIndent(rows, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
