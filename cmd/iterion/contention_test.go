package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"iterion/native"
	"iterion/native/board"
	"iterion/native/storetest"
)

// rivals is how many processes want the same thing at once.
const rivals = 8

// shippedWorld is a world of the program as it is shipped, whose processes start
// in a few milliseconds also where the tests carry the race detector.
func shippedWorld(t *testing.T) *world {
	if testing.Short() {
		t.Skip("starts a thousand processes")
	}
	w := bareWorld(t)
	w.bin = t.TempDir()
	goBuild(t, ".", filepath.Join(w.bin, "iterion"), ".")
	w.ok("init")
	return w
}

func (w *world) layout() native.Layout {
	return native.Layout{Root: filepath.Join(w.dir, native.DirName)}
}

func (w *world) whole() storetest.Report {
	w.t.Helper()
	return storetest.Whole(w.t, w.layout().Dispatcher(), storetest.Options{})
}

// atOnce calls the program by each rival at the same time and returns how the
// calls ended.
func (w *world) atOnce(args func(rival int) []string) []said {
	out := make([]said, rivals)
	var all sync.WaitGroup
	for n := range rivals {
		all.Go(func() { out[n] = w.run(args(n)...) })
	}
	all.Wait()
	return out
}

func TestI1_OneOfEightProcessesGetsTheCard(t *testing.T) {
	w := shippedWorld(t)
	won := map[string]string{}
	for round := range 100 {
		id := w.ok("--no-fsync", "-q", "issue", "create", "--title", fmt.Sprint("round ", round))
		var winner []int
		for n, s := range w.atOnce(func(n int) []string {
			return []string{"--no-fsync", "issue", "claim", id, "--as", fmt.Sprint("rival-", n)}
		}) {
			switch s.code {
			case 0:
				winner = append(winner, n)
			case 4:
			default:
				t.Errorf("round %d: exit %d: %s", round, s.code, s.err)
			}
		}
		if len(winner) != 1 {
			t.Fatalf("round %d: %v won", round, winner)
		}
		won[id] = fmt.Sprint("rival-", winner[0])
	}
	for _, is := range w.issues() {
		if is.Claim != won[is.ID] || is.ClaimEpoch != 1 {
			t.Errorf("%s won, the card is held by %q, epoch %d", won[is.ID], is.Claim, is.ClaimEpoch)
		}
	}
	w.whole()
}

func TestI4_ParallelEditsOfOneCardAllSurvive(t *testing.T) {
	w := shippedWorld(t)
	const rounds = 50
	w.fields(rivals * rounds)
	id := w.ok("-q", "issue", "create", "--title", "everybody's")
	for round := range rounds {
		for _, s := range w.atOnce(func(n int) []string { return edit(id, round*rivals+n) }) {
			if s.code != 0 {
				t.Fatalf("exit %d: %s", s.code, s.err)
			}
		}
	}
	is := w.issue(id)
	var remarks []string
	for _, c := range is.Comments {
		remarks = append(remarks, c.Body)
	}
	for n := range rounds * rivals {
		mark, kept := fmt.Sprint("m", n), false
		switch n % 3 {
		case 0:
			kept = slices.Contains(is.Labels, mark)
		case 1:
			kept = is.Fields[mark] == "set"
		case 2:
			kept = slices.Contains(remarks, mark)
		}
		if !kept {
			t.Errorf("edit %d is lost", n)
		}
	}
	if r := w.whole(); len(r.Events) != 2+rounds*rivals {
		t.Errorf("%d events, want one of each edit", len(r.Events))
	}
}

// edit adds a mark as a label, in a field of its own, or as a comment.
func edit(id string, n int) []string {
	mark := fmt.Sprint("m", n)
	args := [][]string{
		{"update", id, "--add-label", mark},
		{"update", id, "--field", mark + "=set"},
		{"comment", id, "--body", mark},
	}[n%3]
	return append([]string{"--no-fsync", "issue"}, args...)
}

// fields gives the board so many text fields.
func (w *world) fields(n int) {
	w.t.Helper()
	s, err := native.Open(w.layout(), native.Options{NoFsync: true})
	if err != nil {
		w.t.Fatal(err)
	}
	schema, err := s.Schema(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for n := range n {
		schema.Fields = append(schema.Fields, board.Field{Name: fmt.Sprint("m", n), Type: "text"})
	}
	if err := s.SetSchema(w.t.Context(), schema, board.Cause{}); err != nil {
		w.t.Fatal(err)
	}
}
