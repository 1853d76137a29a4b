package native

import (
	"testing"

	"iterion/native/board"
)

// TestI4_CrashLeavesARenamedColumnWhole: whatever step the writer dies at, the
// next one renames the board and every card, once the verb is written down.
func TestI4_CrashLeavesARenamedColumnWhole(t *testing.T) {
	for n := 1; ; n++ {
		s := openStore(t, newStoreDir(t), Options{NoFsync: true})
		schema, err := s.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		schema.States = append(schema.States, board.State{Name: "own"})
		if err := s.SetSchema(t.Context(), schema, board.Cause{}); err != nil {
			t.Fatal(err)
		}
		one, two := mustCreate(t, s, "one", "own"), mustCreate(t, s, "two", "own")
		crashAt(s, n)
		step := dies(t, func() error {
			_, err := s.RenameState(t.Context(), "own", "other", board.Cause{})
			return err
		})
		if step == "" {
			if n < 11 {
				t.Fatalf("only %d steps were tried", n-1)
			}
			return
		}
		checkReader(t, s.Layout(), 2)
		checkWhole(t, s.Layout())
		next := openStore(t, s.Layout(), Options{NoFsync: true})
		if schema, err = next.Schema(t.Context()); err != nil {
			t.Fatal(err)
		}
		is, isnt := "other", "own"
		if step == "staged" { // before the verb was written down as a whole
			is, isnt = "own", "other"
		}
		for _, id := range []string{one.ID, two.ID} {
			i, err := next.Get(t.Context(), id)
			if err != nil || i.State != is || schema.CheckState(is) != nil || schema.CheckState(isnt) == nil {
				t.Errorf("died at %s: card in %s, columns %v, %v", step, i.State, schema.StateNames(), err)
			}
		}
	}
}

func TestI5_VerbFileCannotTakeTheBoardAway(t *testing.T) {
	for doc, whole := range map[string]bool{
		`{"changes":[{"seq":0,"id":".board","card":null,"event":{"seq":0,"timestamp":"2026-01-01T00:00:00Z","type":"board_updated","payload":{}}}]}`:                         false,
		`{"changes":[{"seq":0,"id":".board","card":{"states":[{"name":"a"}]},"event":{"seq":0,"timestamp":"2026-01-01T00:00:00Z","type":"board_updated","payload":{}}}]}`:    true,
		`{"changes":[{"seq":0,"id":".board","card":{},"event":{"seq":0,"timestamp":"2026-01-01T00:00:00Z","type":"issue_created","issue_id":"native:x","payload":{}}}]}`:     false,
		`{"changes":[{"seq":0,"id":"native:x","card":{},"event":{"seq":0,"timestamp":"2026-01-01T00:00:00Z","type":"board_updated","payload":{}}}]}`:                         false,
		`{"changes":[{"seq":0,"id":"","card":{},"event":{"seq":0,"timestamp":"2026-01-01T00:00:00Z","type":"board_updated","payload":{}}}]}`:                                 false,
		`{"changes":[{"seq":0,"id":"native:x","card":null,"event":{"seq":0,"timestamp":"2026-01-01T00:00:00Z","type":"issue_deleted","issue_id":"native:x","payload":{}}}]}`: true,
	} {
		if _, err := parseVerb([]byte(doc), -1); (err == nil) != whole {
			t.Errorf("%s: %v", doc, err)
		}
	}
}
