package trigger_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/board/boardtest"
	"iterion/native/run"
	"iterion/sched/trigger"
)

func logTo(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// rig is a spine over stores in memory.
type rig struct {
	*testing.T
	*trigger.Spine
	board *boardtest.Memory
	inbox *trigger.MemoryInbox
	box   *trigger.Memory
	runs  records
}

func newRig(t *testing.T, subs ...trigger.Subscription) *rig {
	r := &rig{T: t, board: boardtest.NewMemory(), inbox: trigger.NewMemoryInbox(), box: trigger.NewMemory(), runs: records{}}
	r.Spine = &trigger.Spine{
		Board: r.board, Inbox: r.inbox, Outbox: r.box, Runs: r.runs,
		Subscriptions: func() (trigger.Set, error) { return trigger.SetOf(subs...), nil },
	}
	return r
}

func (r *rig) step() {
	r.Helper()
	if err := r.Step(r.Context()); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) create(state string) string {
	r.Helper()
	return ok(r.board.Create(r.Context(), board.Issue{Title: "card", State: state}, person))(r).ID
}

// owed returns the ids of all rows.
func (r *rig) owed() map[string]trigger.Effect {
	r.Helper()
	out := map[string]trigger.Effect{}
	for _, e := range ok(r.box.List(context.Background(), trigger.EffectQuery{}))(r) {
		out[e.ID] = e
	}
	return out
}

func TestAFreshStoreOwesNothingForWhatWas(t *testing.T) {
	r := newRig(t, everything("a")...)
	for range 50 {
		r.create("ready")
	}
	r.runs["r"] = run.Record{ID: "r", Status: run.Finished, OutcomeSeq: 1}
	if _, err := r.inbox.Put(t.Context(), trigger.Event{ID: "old", Source: trigger.SourceCustom, Kind: "k"}); err != nil {
		t.Fatal(err)
	}
	r.step()
	if owed := r.owed(); len(owed) > 0 {
		t.Fatalf("%d effects", len(owed))
	}
	r.create("ready")
	r.step()
	if owed := r.owed(); len(owed) != 1 {
		t.Errorf("of what came later: %d effects", len(owed))
	}
}

func TestWhatIsLeftBehindAnArmedFeedCountsWithoutADaemon(t *testing.T) {
	r := newRig(t, everything("a")...)
	r.create("ready")
	if err := trigger.Arm(t.Context(), r.box, r.board, r.inbox); err != nil {
		t.Fatal(err)
	}
	r.create("ready")
	if _, err := r.inbox.Put(t.Context(), trigger.Event{ID: "mine", Source: trigger.SourceCustom, Kind: "k"}); err != nil {
		t.Fatal(err)
	}
	r.step()
	if owed := r.owed(); len(owed) != 2 || owed["board:1|a"].ID == "" || owed["mine|a"].ID == "" {
		t.Errorf("%v", owed)
	}
}

func TestOutcomesOfRunsAreToldOnceEach(t *testing.T) {
	r := newRig(t, everything("a")...)
	r.step() // what was before is the baseline
	r.runs["r1"] = run.Record{ID: "r1", Bot: "x", Status: run.Running}
	r.runs["r2"] = run.Record{ID: "r2", Bot: "x", Status: run.Finished, OutcomeSeq: 1}
	for range 3 {
		if _, err := trigger.TellOutcomes(t.Context(), r.inbox, r.runs); err != nil {
			t.Fatal(err)
		}
		r.step()
	}
	r.runs["r1"] = run.Record{ID: "r1", Bot: "x", Status: run.FailedResumable, OutcomeSeq: 1}
	if n := ok(trigger.TellOutcomes(t.Context(), r.inbox, r.runs))(t); n != 1 {
		t.Errorf("told %d outcomes", n)
	}
	r.step()
	if owed := r.owed(); len(owed) != 2 || owed["run:r2:1|a"].ID == "" || owed["run:r1:1|a"].ID == "" {
		t.Errorf("%v", owed)
	}
}

func TestACardThatCannotBeReadStopsNoOtherOne(t *testing.T) {
	log := &strings.Builder{}
	r := newRig(t, everything("a")...)
	r.Log = logTo(log)
	r.step()
	poison := ""
	for n := range 100 {
		if id := r.create("ready"); n == 50 {
			poison = id
		}
	}
	r.board.Before = func(verb, id string) error {
		if verb == "Get" && id == poison {
			return &board.UnreadableError{ID: id, Err: errors.New("bad JSON")}
		}
		return nil
	}
	r.step()
	if owed := r.owed(); len(owed) != 99 || owed["board:50|a"].ID != "" {
		t.Errorf("%d effects", len(owed))
	}
	if at, _, _ := r.box.Cursor(t.Context(), trigger.FeedBoard); at != 99 {
		t.Errorf("the cursor stands at %d", at)
	}
	if h := r.Health(); h.Board.Broken != 1 || !strings.Contains(h.Board.LastBroken, "board:50") || strings.Count(log.String(), "level=ERROR") != 1 {
		t.Errorf("health %+v\n%s", h, log)
	}
}

func TestAStoreThatFailsLosesNothing(t *testing.T) {
	r := newRig(t, everything("a")...)
	r.step()
	r.create("ready")
	down := errors.New("disk on fire")
	for _, hook := range []struct {
		name   string
		before *func(verb, id string) error
		verb   string
	}{{"the card", &r.board.Before, "Get"}, {"the log", &r.board.Before, "Events"}, {"the outbox", &r.box.Before, "Add"}} {
		*hook.before = func(verb, _ string) error {
			if verb == hook.verb {
				return down
			}
			return nil
		}
		if err := r.Step(t.Context()); !errors.Is(err, down) {
			t.Errorf("%s: got %v", hook.name, err)
		}
		*hook.before = nil
	}
	r.Subscriptions = func() (trigger.Set, error) { return trigger.Set{}, down }
	if err := r.Step(t.Context()); !errors.Is(err, down) {
		t.Errorf("the subscriptions: got %v", err)
	}
	r.Subscriptions = func() (trigger.Set, error) { return trigger.SetOf(everything("a")...), nil }
	r.step()
	if owed := r.owed(); len(owed) != 1 {
		t.Errorf("%d effects", len(owed))
	}
}

// A manifest that is being edited is broken for a moment; what happens meanwhile is
// owed all the same.
func TestI8_ABrokenBotKeepsItsSubscriptions(t *testing.T) {
	good := bundle(t, "b", "  - {kind: board, mode: direct, board: {on: [card.created]}}\n")
	s := newShelf(t, "", good)
	r := newRig(t)
	r.Subscriptions = func() (trigger.Set, error) { return trigger.Load(s.Options) }
	r.step()
	s.bundles = []trigger.Bundle{{Slug: "b", Path: "b", Err: errors.New("bad YAML")}}
	for range 2 {
		r.create("ready")
		r.step()
	}
	if owed := r.owed(); len(owed) != 2 || owed["board:0|manifest:b:board:1"].ID == "" {
		t.Errorf("%v", owed)
	}
	s.bundles = nil // the bot is gone
	r.step()
	r.create("ready")
	r.step()
	if owed := r.owed(); len(owed) != 2 {
		t.Errorf("of a bot that is gone: %v", owed)
	}
}

// The spine dies at random places: each event is owed once, under the run id that
// its row was first given.
func TestI8_EveryEventIsOwedOnceOverCrashes(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			r := newRig(t, everything("a", "b")...)
			r.step()
			crash := func(string, string) error {
				if rnd.IntN(4) == 0 {
					return errors.New("killed")
				}
				return nil
			}
			ids := map[string]string{}
			for n := range 60 {
				r.board.Before = nil
				r.create("ready")
				if _, err := r.inbox.Put(t.Context(), trigger.Event{ID: fmt.Sprint("c", n), Source: trigger.SourceCustom, Kind: "k"}); err != nil {
					t.Fatal(err)
				}
				r.board.Before, r.box.Before, r.box.After = crash, crash, crash
				r.Step(t.Context()) // may fail anywhere
				r.board.Before, r.box.Before, r.box.After = nil, nil, nil
				for id, e := range r.owed() {
					if was := ids[id]; was != "" && was != e.RunID {
						t.Fatalf("row %s: run %s became %s", id, was, e.RunID)
					}
					ids[id] = e.RunID
				}
			}
			r.step()
			if owed := r.owed(); len(owed) != 240 {
				t.Errorf("%d effects of 120 events and 2 subscriptions", len(owed))
			}
		})
	}
}

func TestRunLooksWhenItIsNudgedAndByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, everything("a")...)
		r.Poll = 5 * time.Second
		var down atomic.Bool
		r.box.Before = func(string, string) error {
			if down.Load() {
				return errors.New("disk full")
			}
			return nil
		}
		var mu sync.Mutex
		var owed []string
		r.Owed = func(rows []trigger.Effect) {
			mu.Lock()
			defer mu.Unlock()
			for _, e := range rows {
				owed = append(owed, e.ID)
			}
		}
		is := func(want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if fmt.Sprint(owed) != fmt.Sprint(want) {
				t.Errorf("owed %v, want %v", owed, want)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Spine.Run(ctx) }()
		synctest.Wait()
		r.create("ready")
		is()
		r.Nudge()
		is("board:0|a")
		r.create("ready")
		time.Sleep(5 * time.Second)
		is("board:0|a", "board:1|a")

		down.Store(true)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if h := r.Health(); !strings.Contains(h.LastError, "disk full") || h.LastErrorAt.IsZero() {
			t.Errorf("health %+v", h)
		}
		down.Store(false)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if h := r.Health(); h.LastError != "" || h.Board.Cursor != 1 || h.Board.Owed != 2 {
			t.Errorf("health %+v", h)
		}
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
	})
}
