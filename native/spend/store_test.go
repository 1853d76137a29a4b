package spend

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// store is a store's folder with its ledger.
type store struct {
	t    testing.TB
	root string
	l    *Ledger
}

func newStore(t testing.TB) *store {
	t.Helper()
	return newStoreAt(t, t.TempDir())
}

func newStoreAt(t testing.TB, root string) *store {
	return &store{t: t, root: root, l: Open(root, Options{NoFsync: true})}
}

func (s *store) record(id string, since time.Time, usd float64, now time.Time) Status {
	s.t.Helper()
	got, err := s.l.Record(s.t.Context(), id, since, usd, now)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

func (s *store) cap(usd float64) {
	s.file("dispatcher/dispatcher.json", fmt.Sprintf(`{"limits":{"max_cost_per_day_usd":%g,"else":1},"bots":[]}`, usd))
}

func (s *store) file(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *store) text(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.root, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

func (s *store) wantDay(day string, runs map[string]float64, total float64) {
	s.t.Helper()
	d, err := s.l.read(day)
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(runs, d.Runs); diff != "" || d.TotalUSD != total {
		s.t.Errorf("%s: total %v, want %v; runs (-want +got):\n%s", day, d.TotalUSD, total, diff)
	}
}
