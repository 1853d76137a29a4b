package native

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"iterion/native/board"
)

func eventLine(seq int64) string {
	return fmt.Sprintf(`{"seq":%d,"timestamp":"2026-01-01T00:00:00Z","type":"issue_updated","issue_id":"native:x","payload":{"changed":["body"]}}`, seq) + "\n"
}

// withLog makes a store whose log holds what another program wrote.
func withLog(t *testing.T, content string) *Store {
	t.Helper()
	l := newStoreDir(t)
	if err := os.WriteFile(l.Events(), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return openStore(t, l, Options{NoFsync: true})
}

func seqs(t *testing.T, s *Store, after int64, limit int) []int64 {
	t.Helper()
	events, err := s.Events(t.Context(), after, limit)
	if err != nil {
		t.Fatal(err)
	}
	var out []int64
	for _, e := range events {
		out = append(out, e.Seq)
	}
	return out
}

func TestI4_NextSeqIsAboveTheHighest(t *testing.T) {
	for _, c := range []struct {
		name, log string
		want      int64
	}{
		{"empty", "", 0},
		{"ours", eventLine(0) + eventLine(1), 2},
		{"torn", eventLine(0) + eventLine(1)[:30], 1},
		{"whole but for the newline", eventLine(0) + strings.TrimSpace(eventLine(1)), 2},
		{"only torn", "{\"se", 0},
		{"the last is not the highest", eventLine(0) + eventLine(7) + eventLine(3), 8},
		{"starts late", eventLine(40) + eventLine(41), 42},
		{"garbage at the end", eventLine(4) + "garbage\n\n{}\n", 5},
		{"an over-long line at the end", eventLine(4) + strings.Repeat("x", 1<<20) + "\n", 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := withLog(t, c.log)
			if tip, err := s.Tip(t.Context()); err != nil || tip > c.want-1 {
				t.Errorf("a reader's tip: %d, %v, want at most %d", tip, err, c.want-1)
			}
			for n := range int64(3) {
				mustCreate(t, s, "new", "")
				if tip, err := s.Tip(t.Context()); err != nil || tip != c.want+n {
					t.Errorf("tip after %d creates: %d, %v, want %d", n+1, tip, err, c.want+n)
				}
				s = openStore(t, s.Layout(), Options{NoFsync: true}) // the next process
			}
		})
	}
}

func TestEventsFromAnyPlaceWithALimit(t *testing.T) {
	for name, log := range map[string]string{
		"in order":     eventLine(0) + eventLine(1) + "torn{\n" + eventLine(2) + eventLine(5),
		"out of order": eventLine(5) + eventLine(0) + eventLine(2) + eventLine(1),
	} {
		t.Run(name, func(t *testing.T) {
			s := withLog(t, log)
			for _, c := range []struct {
				after int64
				limit int
				want  []int64
			}{
				{-1, 0, []int64{0, 1, 2, 5}},
				{-1, 2, []int64{0, 1}},
				{1, 0, []int64{2, 5}},
				{1, 1, []int64{2}},
				{3, 0, []int64{5}},
				{5, 0, nil},
				{99, 0, nil},
			} {
				for range 2 { // the second time with a hint
					if got := seqs(t, s, c.after, c.limit); !slices.Equal(got, c.want) {
						t.Errorf("after %d limit %d: got %v, want %v", c.after, c.limit, got, c.want)
					}
				}
			}
		})
	}
}

func TestFollowerSeesEachEventOnce(t *testing.T) {
	s := openStore(t, newStoreDir(t), Options{NoFsync: true})
	other := openStore(t, s.Layout(), Options{NoFsync: true})
	var seen []int64
	at := int64(-1)
	for n := range 30 {
		mustCreate(t, other, "x", "")
		if n%3 == 0 {
			mustCreate(t, s, "y", "")
		}
		for _, seq := range seqs(t, s, at, 1+n%2) {
			seen, at = append(seen, seq), seq
		}
	}
	seen = append(seen, seqs(t, s, at, 0)...)
	for n, seq := range seen {
		if seq != int64(n) {
			t.Fatalf("saw %v", seen)
		}
	}
	if len(seen) != 40 {
		t.Errorf("saw %d events, want 40", len(seen))
	}
}

// The mark spares later processes the reading of the whole log: a log whose
// beginning has changed under it without a trace is not noticed.
func TestLogIsReadWholeOnlyOnce(t *testing.T) {
	log := eventLine(10)
	for seq := int64(11); seq < 99; seq++ {
		log += eventLine(seq)
	}
	s := withLog(t, log)
	mustCreate(t, s, "x", "")
	data, err := os.ReadFile(s.Layout().Events())
	if err != nil {
		t.Fatal(err)
	}
	was, is := `{"seq":12,"timestamp":"2026-01-01T`, `{"seq":999,"timestamp":"2026-1-01T`
	data = bytes.Replace(data, []byte(was), []byte(is), 1)
	if err := os.WriteFile(s.Layout().Events(), data, 0o600); err != nil {
		t.Fatal(err)
	}
	next := openStore(t, s.Layout(), Options{NoFsync: true})
	if tip, err := next.Tip(t.Context()); err != nil || tip != 99 {
		t.Errorf("tip %d, %v, want 99", tip, err)
	}
	if err := os.Remove(s.Layout().logMark()); err != nil {
		t.Fatal(err)
	}
	last := openStore(t, s.Layout(), Options{NoFsync: true})
	if tip, err := last.Tip(t.Context()); err != nil || tip != 999 {
		t.Errorf("without the mark: tip %d, %v, want 999", tip, err)
	}
}

func TestMarkOfAnotherLogIsNotBelieved(t *testing.T) {
	s := withLog(t, eventLine(0)+eventLine(500)+eventLine(1))
	mustCreate(t, s, "x", "")
	if err := os.WriteFile(s.Layout().Events(), []byte(eventLine(0)+eventLine(9)+eventLine(2)+eventLine(3)+eventLine(4)), 0o600); err != nil {
		t.Fatal(err)
	}
	next := openStore(t, s.Layout(), Options{NoFsync: true})
	if tip, err := next.Tip(t.Context()); err != nil || tip != 9 {
		t.Errorf("tip %d, %v, want 9", tip, err)
	}
}

func TestLogReplacedUnderALiveStoreIsReadAnew(t *testing.T) {
	s := withLog(t, eventLine(0)+eventLine(1))
	mustCreate(t, s, "x", "")
	path := s.Layout().Events()
	if err := os.WriteFile(path+".new", []byte(eventLine(2)+eventLine(30)+strings.Repeat("-", 4096)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if tip, err := s.Tip(t.Context()); err != nil || tip != 30 {
		t.Errorf("tip %d, %v, want 30", tip, err)
	}
	mustCreate(t, s, "y", "")
	if got := seqs(t, s, -1, 0); !slices.Equal(got, []int64{2, 30, 31}) {
		t.Errorf("got %v", got)
	}
}

func TestOlderBoardIsUpgradedByAMachine(t *testing.T) {
	old := board.Schema{States: []board.State{
		{Name: board.StateBacklog}, {Name: board.StateReady, Eligible: true},
		{Name: board.StateInProgress, Eligible: true}, {Name: board.StateDone, Terminal: true},
	}}
	l := Layout{Root: t.TempDir() + "/" + DirName}
	if _, err := Init(l.Root, old, false); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing to do
		s := openStore(t, l, Options{NoFsync: true})
		schema, err := s.Schema(t.Context())
		want := []string{"inbox", "backlog", "ready", "waiting_deps", "in_progress", "awaiting_input", "done"}
		if err != nil || !slices.Equal(schema.StateNames(), want) {
			t.Errorf("columns %v, %v", schema.StateNames(), err)
		}
		events, err := s.Events(t.Context(), -1, 0)
		if err != nil || len(events) != 1 || events[0].Type != board.EventBoardUpdated || events[0].Payload.Reason != board.ReasonSchemaMigration {
			t.Errorf("events %+v, %v", events, err)
		}
	}
	checkWhole(t, l)
}
