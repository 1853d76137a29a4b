package boardtest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"iterion/native/board"
)

// everyChangeHasOneEvent does random verbs and checks after each that the log
// grew by one event for every card whose content changed, and by none else.
func everyChangeHasOneEvent(t *testing.T, open func(t *testing.T) board.Store) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBed(t, open(t))
		w := &walk{bed: b, rt: rt, fences: []board.Fence{{Marker: "never", Epoch: 1}}}
		for range rapid.IntRange(5, 25).Draw(rt, "verbs") {
			w.step()
		}
	})
}

// walk is a random sequence of verbs over one store.
type walk struct {
	*bed
	rt     *rapid.T
	ids    []string
	fences []board.Fence // every pair that was ever current
}

func (w *walk) step() {
	before := w.snapshot()
	tip, err := w.store.Tip(w.ctx)
	w.ok(err)

	name, id, fence, err := w.act()

	after := w.snapshot()
	events, e := w.store.Events(w.ctx, tip, 0)
	w.ok(e)
	if err != nil {
		w.untouched(name, before, after, events)
	}
	w.fenced(name, before[id], fence, err)
	w.tells(name, tip, before, after, events)
	w.epochsGrow(before, after)
}

// act does one random verb on one random card.
func (w *walk) act() (name, id string, f *board.Fence, err error) {
	states := board.DefaultSchema().StateNames()
	pick := func(label string, from []string) string { return rapid.SampledFrom(from).Draw(w.rt, label) }
	if len(w.ids) == 0 || rapid.IntRange(0, 7).Draw(w.rt, "create") == 0 {
		i, err := w.store.Create(w.ctx, board.Issue{Title: "t", State: pick("state", states)}, alice)
		if err == nil {
			w.ids = append(w.ids, i.ID)
		}
		return "Create", i.ID, nil, err
	}
	id = pick("id", w.ids)
	fence := rapid.SampledFrom(w.fences).Draw(w.rt, "fence")
	if i, e := w.store.Get(w.ctx, id); e == nil && rapid.Bool().Draw(w.rt, "current") {
		fence = i.Fence()
	}
	s, to := w.store, pick("to", states)
	verbs := map[string]func() error{
		"Update": func() error {
			return errOf(s.Update(w.ctx, id, board.Patch{Title: ptr(pick("title", []string{"t", "u"})), AddLabels: []string{pick("label", []string{"x", "y"})}}, alice))
		},
		"Block": func() error {
			return errOf(s.Update(w.ctx, id, board.Patch{AddBlockers: []string{pick("blocker", w.ids)}}, alice))
		},
		"ClearLastRun": func() error { return errOf(s.Update(w.ctx, id, board.Patch{ClearLastRun: true}, alice)) },
		"Move":         func() error { return errOf(s.Move(w.ctx, id, to, alice)) },
		"Done":         func() error { return errOf(s.Move(w.ctx, id, board.StateDone, alice)) },
		"Wait":         func() error { return errOf(s.Move(w.ctx, id, board.StateWaitingDeps, alice)) },
		"Reopen":       func() error { return errOf(s.Reopen(w.ctx, id, to, alice)) },
		"Delete":       func() error { return s.Delete(w.ctx, id, false, alice) },
		"Comment":      func() error { return errOf(s.Comment(w.ctx, id, "a", "b", alice)) },
		"Claim":        func() error { return errOf(s.Claim(w.ctx, id, pick("marker", []string{"m", "n"}), lease, alice)) },
		"ForceRelease": func() error { return errOf(s.ForceRelease(w.ctx, id, alice)) },
		"Renew":        func() error { return s.Renew(w.ctx, id, fence, 2*lease) },
		"Transfer": func() error {
			return errOf(s.Transfer(w.ctx, id, board.Takeover{From: fence, ExpiredBefore: farAway, To: pick("new marker", []string{"m", "w"}), Lease: lease}, alice))
		},
		"Release":  func() error { return errOf(s.Release(w.ctx, id, fence, alice)) },
		"SetState": func() error { return errOf(s.SetState(w.ctx, id, fence, board.Filing{To: to}, alice)) },
		"SetLastRun": func() error {
			return errOf(s.SetLastRun(w.ctx, id, fence, board.RunRef{RunID: pick("run", []string{"r1", "r2"})}, alice))
		},
		"SetAwaitingInput": func() error {
			return errOf(s.SetAwaitingInput(w.ctx, id, fence, rapid.Bool().Draw(w.rt, "flag"), alice))
		},
		"SetGaveUp": func() error { return errOf(s.SetGaveUp(w.ctx, id, fence, board.GaveUp{Launch: true}, alice)) },
		"SetLaunchRefusal": func() error {
			return errOf(s.SetLaunchRefusal(w.ctx, id, fence, board.LaunchRefusal{Attempts: rapid.IntRange(0, 1).Draw(w.rt, "refusals")}, alice))
		},
		// Not to done: that may tell of one card twice, moved on and moved.
		"MoveAll": func() error {
			return errOf(s.MoveAll(w.ctx, []string{id, pick("second", w.ids)}, pick("but done", states[:7]), alice))
		},
		"RenameLabel": func() error { return errOf(s.Relabel(w.ctx, board.RenameLabel("x", "z"), alice)) },
		"MergeLabel":  func() error { return errOf(s.Relabel(w.ctx, board.MergeLabel("z", "y"), alice)) },
		"DeleteLabel": func() error { return errOf(s.Relabel(w.ctx, board.DeleteLabel("y"), alice)) },
		"Import": func() error {
			rec := board.Record{Issue: board.Issue{ID: id, Title: pick("title", []string{"t", "u"}), State: to}, Foreign: rapid.Bool().Draw(w.rt, "foreign")}
			_, _, err := s.Import(w.ctx, rec, alice)
			return err
		},
	}
	names := make([]string, 0, len(verbs))
	for n := range verbs {
		names = append(names, n)
	}
	slices.Sort(names)
	name = pick("verb", names)
	if slices.Contains([]string{"Renew", "Transfer", "Release", "SetState", "SetLastRun", "SetAwaitingInput", "SetGaveUp"}, name) || name == "SetLaunchRefusal" && fence != (board.Fence{}) {
		f = &fence
	}
	err = verbs[name]()
	if i, e := s.Get(w.ctx, id); e == nil && i.Claim != "" {
		w.fences = append(w.fences, i.Fence())
	}
	return name, id, f, err
}

// untouched checks that a verb that failed changed nothing at all.
func (w *walk) untouched(name string, before, after map[string]board.Issue, events []board.Event) {
	if d := cmp.Diff(before, after, cmpopts.EquateEmpty()); d != "" || len(events) > 0 {
		w.rt.Fatalf("%s failed, and yet changed (events %v):\n%s", name, types(events), d)
	}
}

// fenced checks that a fenced verb was refused exactly when its fence was not
// the card's pair (other refusals aside).
func (w *walk) fenced(name string, was board.Issue, f *board.Fence, err error) {
	if f == nil || was.ID == "" {
		return
	}
	current := f.Marker != "" && *f == was.Fence()
	if conflict := errors.Is(err, board.ErrConflict); conflict == current {
		w.rt.Fatalf("%s with %+v on a card held by %+v: %v", name, *f, was.Fence(), err)
	}
}

// tells checks that events and changed cards are the same.
func (w *walk) tells(name string, tip int64, before, after map[string]board.Issue, events []board.Event) {
	changed := map[string]int{}
	for id, was := range before {
		if now, there := after[id]; !there || !sameContent(was, now) {
			changed[id]++
		}
	}
	for id := range after {
		if _, there := before[id]; !there {
			changed[id]++
		}
	}
	toldOf := map[string]int{}
	for n, e := range events {
		toldOf[e.IssueID]++
		if e.Seq != tip+1+int64(n) {
			w.rt.Fatalf("%s: event %d follows %d", name, e.Seq, tip+int64(n))
		}
		if p := e.Payload; movesCard(e.Type) && (p.From != before[e.IssueID].State || p.To != after[e.IssueID].State) {
			w.rt.Fatalf("%s: event says %s to %s, the card went from %s to %s", name, p.From, p.To, before[e.IssueID].State, after[e.IssueID].State)
		}
	}
	if d := cmp.Diff(changed, toldOf); d != "" {
		w.rt.Fatalf("%s: changed cards and events differ (-changed +told):\n%s", name, d)
	}
}

func movesCard(t board.EventType) bool {
	return t == board.EventIssueStateChanged || t == board.EventIssueUnblocked
}

func sameContent(a, b board.Issue) bool {
	a.ClaimLeaseUntil, b.ClaimLeaseUntil = time.Time{}, time.Time{}
	return cmp.Equal(a, b, cmpopts.EquateEmpty())
}

func (w *walk) epochsGrow(before, after map[string]board.Issue) {
	for id, now := range after {
		was := before[id]
		fresh := now.Claim != "" && now.Claim != was.Claim
		if now.ClaimEpoch < was.ClaimEpoch || fresh && now.ClaimEpoch == was.ClaimEpoch {
			w.rt.Fatalf("epoch of %s went from %d to %d", id, was.ClaimEpoch, now.ClaimEpoch)
		}
	}
}
