package boardtest

import (
	"time"

	"iterion/native/board"
)

func holderCases() []testCase {
	return []testCase{
		{"SetStateTellsItsMarker", setState},
		{"SetStateHeedsItsPrecondition", setStateFrom},
		{"SetLastRunKeepsOneEntryPerRun", setLastRun},
		{"SetAwaitingInputIsToldOnce", setAwaitingInput},
		{"GiveUpStampIsTold", gaveUp},
		{"GiveUpStampMustFitTheCard", gaveUpMustFit},
		{"GiveUpStampEndsWithTheColumnOrTheRun", gaveUpEnds},
		{"ClosingWhereItStandsClearsTheStamp", gaveUpCleared},
		{"HolderFilingWhereItStandsKeepsTheStamp", gaveUpKept},
	}
}

// held files a card and claims it.
func (b *bed) held(state string) (id string, f board.Fence) {
	b.Helper()
	i := b.claim(b.create(board.Issue{State: state}).ID, "m")
	return i.ID, i.Fence()
}

func setState(b *bed) {
	id, f := b.held(board.StateReady)
	by := alice
	by.Reason = board.ReasonRunFinished
	e := b.one(board.EventIssueStateChanged, func() error {
		return errOf(b.store.SetState(b.ctx, id, f, board.Filing{To: board.StateReview}, by))
	})
	p := e.Payload
	b.equal([]string{p.From, p.To, p.Marker, p.Reason}, []string{board.StateReady, board.StateReview, "m", board.ReasonRunFinished})
	i := b.get(id)
	b.equal([]string{i.State, i.StateReason}, []string{board.StateReview, board.ReasonRunFinished})
	b.equal(i.Fence(), f)
	b.refuses(board.ErrInvalid, func() error {
		return errOf(b.store.SetState(b.ctx, id, f, board.Filing{To: "nowhere"}, alice))
	})
}

func setStateFrom(b *bed) {
	id, f := b.held(board.StateReady)
	b.refuses(board.ErrTransitionRejected, func() error {
		return errOf(b.store.SetState(b.ctx, id, f, board.Filing{From: board.StateInProgress, To: board.StateReview}, alice))
	})
	b.one(board.EventIssueStateChanged, func() error {
		return errOf(b.store.SetState(b.ctx, id, f, board.Filing{From: board.StateReady, To: board.StateInProgress}, alice))
	})
	b.none(func() error {
		return errOf(b.store.SetState(b.ctx, id, f, board.Filing{To: board.StateInProgress}, alice))
	})
}

func setLastRun(b *bed) {
	id, f := b.held(board.StateReady)
	set := func(run, dir string) func() error {
		return func() error {
			return errOf(b.store.SetLastRun(b.ctx, id, f, board.RunRef{RunID: run, Workdir: dir, At: time.Now()}, alice))
		}
	}
	e := b.one(board.EventIssueLastRunUpdated, set("r1", "/w1"))
	b.equal([]string{e.Payload.RunID, e.Payload.Workdir}, []string{"r1", "/w1"})
	b.none(set("r1", "/w1"))
	b.one(board.EventIssueLastRunUpdated, set("r2", "/w2"))
	b.one(board.EventIssueLastRunUpdated, set("r1", "/w3"))
	i := b.get(id)
	b.equal([]string{i.LastRunID, i.LastWorkdir}, []string{"r1", "/w3"})
	if len(i.Runs) != 2 || i.Runs[0].RunID != "r2" || i.Runs[1].RunID != "r1" || i.Runs[1].Workdir != "/w3" {
		b.Errorf("runs %+v", i.Runs)
	}
	b.refuses(board.ErrInvalid, set("", "/w"))
}

func setAwaitingInput(b *bed) {
	id, f := b.held(board.StateInProgress)
	set := func(v bool) func() error {
		return func() error { return errOf(b.store.SetAwaitingInput(b.ctx, id, f, v, alice)) }
	}
	e := b.one(board.EventIssueUpdated, set(true))
	b.equal(e.Payload.Changed, []string{"awaiting_input"})
	b.none(set(true))
	b.equal(b.get(id).AwaitingInput, true)
	b.one(board.EventIssueUpdated, set(false))
	b.equal(b.get(id).AwaitingInput, false)
}

// gives stamps a claimed card in that column, whose last run is r1, as given up.
func (b *bed) gives(state string) (id string, f board.Fence) {
	b.Helper()
	id, f = b.held(state)
	b.ok(errOf(b.store.SetLastRun(b.ctx, id, f, board.RunRef{RunID: "r1"}, alice)))
	e := b.one(board.EventIssueGaveUp, func() error {
		return errOf(b.store.SetGaveUp(b.ctx, id, f, board.GaveUp{RunID: "r1", State: state, Attempts: 3, Reason: "exit 78"}, alice))
	})
	p := e.Payload
	b.equal([]any{p.GaveUp, p.RunID, p.State, p.Attempts}, []any{true, "r1", state, 3})
	return id, f
}

func gaveUp(b *bed) {
	id, _ := b.gives(board.StateBlocked)
	i := b.get(id)
	g := i.GivenUp()
	if g == nil || g.Reason != "exit 78" || g.At.IsZero() {
		b.Errorf("stamp %+v", g)
	}
}

func gaveUpMustFit(b *bed) {
	id, f := b.held(board.StateReady)
	for _, g := range []board.GaveUp{{RunID: "another"}, {State: board.StateBlocked, Launch: true}} {
		b.refuses(board.ErrInvalid, func() error { return errOf(b.store.SetGaveUp(b.ctx, id, f, g, alice)) })
	}
	b.one(board.EventIssueGaveUp, func() error { return errOf(b.store.SetGaveUp(b.ctx, id, f, board.GaveUp{Launch: true}, alice)) })
	b.equal(b.get(id).GaveUp.State, board.StateReady)
}

func gaveUpEnds(b *bed) {
	moved, _ := b.gives(board.StateReview)
	b.move(moved, board.StateReady)
	b.move(moved, board.StateReview)
	rerun, f := b.gives(board.StateReview)
	b.ok(errOf(b.store.SetLastRun(b.ctx, rerun, f, board.RunRef{RunID: "r2"}, alice)))
	cleared, _ := b.gives(board.StateReview)
	b.ok(errOf(b.store.Update(b.ctx, cleared, board.Patch{ClearLastRun: true}, alice)))
	kept, _ := b.gives(board.StateReview)
	b.ok(errOf(b.store.Update(b.ctx, kept, board.Patch{Title: ptr("new")}, alice)))
	for _, id := range []string{moved, rerun, cleared} {
		if g := b.get(id).GaveUp; g != nil {
			b.Errorf("stamp %+v is still there", g)
		}
	}
	if b.get(kept).GaveUp == nil {
		b.Error("a new title took the stamp away")
	}
}

func gaveUpCleared(b *bed) {
	id, _ := b.gives(board.StateBlocked)
	e := b.one(board.EventIssueGaveUp, func() error { return errOf(b.store.Move(b.ctx, id, board.StateBlocked, alice)) })
	b.equal(e.Payload.GaveUp, false)
	i := b.get(id)
	if i.GaveUp != nil || i.State != board.StateBlocked {
		b.Errorf("stamp %+v in %s", i.GaveUp, i.State)
	}
	b.none(func() error { return errOf(b.store.Move(b.ctx, id, board.StateBlocked, alice)) })
}

func gaveUpKept(b *bed) {
	id, f := b.gives(board.StateBlocked)
	b.none(func() error {
		return errOf(b.store.SetState(b.ctx, id, f, board.Filing{To: board.StateBlocked}, alice))
	})
	if b.get(id).GaveUp == nil {
		b.Error("the stamp is gone")
	}
}
