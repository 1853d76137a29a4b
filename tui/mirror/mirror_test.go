package mirror

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"iterion/daemon/control"
	"iterion/native/board"
	"iterion/native/run"
)

var states = []string{"ready", "review", "done", "nowhere"}

func schema() *board.Schema {
	return &board.Schema{States: []board.State{{Name: "ready"}, {Name: "review"}, {Name: "done", Terminal: true}}}
}

func randomCard(r *rand.Rand, id int) control.Card {
	at := time.Unix(int64(r.IntN(50)), 0)
	return control.Card{Issue: board.Issue{ID: fmt.Sprint(id), State: states[r.IntN(len(states))], Priority: r.IntN(3), CreatedAt: at, StateAt: at}}
}

// TestFramesInPiecesEqualOneFull: whatever the order of changes, the mirror is
// the one that a full frame of the outcome makes.
func TestFramesInPiecesEqualOneFull(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		m, now := New(), map[int]control.Card{}
		m.Apply(control.Frame{Full: true, Schema: schema()})
		for range 200 {
			var f control.Frame
			for range 1 + r.IntN(3) {
				id := r.IntN(40)
				if r.IntN(4) == 0 {
					f.Gone = append(f.Gone, fmt.Sprint(id))
					delete(now, id)
				}
			}
			for range r.IntN(4) {
				c := randomCard(r, r.IntN(40))
				var id int
				fmt.Sscan(c.ID, &id)
				now[id] = c
				f.Cards = append(f.Cards, c)
			}
			m.Apply(f)
		}
		full := control.Frame{Full: true, Schema: schema()}
		for _, c := range now {
			full.Cards = append(full.Cards, c)
		}
		want := New()
		want.Apply(full)
		for _, s := range states {
			if got, want := ids(m.Column(s)), ids(want.Column(s)); !slices.Equal(got, want) {
				t.Fatalf("seed %d, column %s: %v, want %v", seed, s, got, want)
			}
		}
	}
}

func ids(c *Column) []string {
	if c == nil {
		return nil
	}
	var out []string
	for _, card := range c.Cards {
		out = append(out, card.ID)
	}
	return out
}

func TestACardInAStateThatTheBoardLacksIsVisible(t *testing.T) {
	m := New()
	m.Apply(control.Frame{Full: true, Schema: schema(), Cards: []control.Card{{Issue: board.Issue{ID: "1", State: "gone"}}}})
	c := m.Column("gone")
	if c == nil || !c.Stray || len(c.Cards) != 1 {
		t.Fatalf("column: %+v", c)
	}
}

func TestRunsStayNewestFirstAndBounded(t *testing.T) {
	m := New()
	for i := range 3 * control.RunsMax {
		m.Apply(control.Frame{Runs: []run.Record{{ID: fmt.Sprint(i), CreatedAt: time.Unix(int64(i), 0)}}})
	}
	m.Apply(control.Frame{Runs: []run.Record{{ID: fmt.Sprint(3*control.RunsMax - 5), CreatedAt: time.Unix(int64(3*control.RunsMax-5), 0), Status: run.Finished}}})
	if len(m.Runs()) != 2*control.RunsMax {
		t.Fatalf("%d runs are kept", len(m.Runs()))
	}
	if !slices.IsSortedFunc(m.Runs(), newestFirst) {
		t.Fatal("not newest first")
	}
	if m.Runs()[4].Status != run.Finished {
		t.Fatal("a changed run is not where it was")
	}
}

// A daemon answers before it has read the board. That is no empty board.
func TestNoBoardBeforeItsSchema(t *testing.T) {
	m := New()
	m.Apply(control.Frame{Full: true, Status: &control.Status{PID: 7}})
	if m.Ready {
		t.Error("a frame without a schema passes for an empty board")
	}
	if m.Status.PID != 7 {
		t.Errorf("its status is lost: %+v", m.Status)
	}
	m.Apply(control.Frame{Full: true, Seq: 3, Schema: schema(), Cards: []control.Card{{Issue: board.Issue{ID: "1", State: "ready"}}}})
	if !m.Ready || m.Len() != 1 {
		t.Errorf("ready %v, %d cards, want the one", m.Ready, m.Len())
	}
	m.Apply(control.Frame{Full: true})
	if !m.Ready || m.Len() != 1 {
		t.Error("a daemon that starts anew wipes the board off the screen")
	}
}
