package boardtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"iterion/native/board"
)

func cardCases() []testCase {
	return []testCase{
		{"CreateFillsInTheCard", createFillsIn},
		{"CreateTakesNothingThatIsNotAPersonsToSet", createTakesNoMore},
		{"CreateRefusesBadDrafts", createRefuses},
		{"CreateRefusesATakenID", createRefusesTaken},
		{"UpdateTellsWhatChanged", updateTells},
		{"UpdateOfBlockersAndLastRunHaveEventsOfTheirOwn", updateOwnEvents},
		{"UpdateThatChangesNothingLeavesNoEvent", updateNothing},
		{"UpdateRefusesBadPatchesWhole", updateRefuses},
		{"UpdateHoldsToItsPreconditions", updateExpects},
		{"OneOfManyTakesALabelOff", parallelTakers},
		{"ParallelLabelEditsAllSurvive", parallelLabels},
		{"UnknownKeysSurviveEveryVerb", unknownKeys},
		{"CommentsAreAppended", comments},
		{"DeleteRemovesTheCard", deletes},
		{"DeleteOfAClaimedCardNeedsForce", deletesClaimed},
		{"ReturnedCardsAreCopies", copies},
		{"VerbsOnAMissingCardAreNotFound", missing},
	}
}

func createFillsIn(b *bed) {
	var i board.Issue
	e := b.one(board.EventIssueCreated, func() (err error) {
		i, err = b.store.Create(b.ctx, board.Issue{
			Title: "  fix it ", Body: "now", Labels: []string{" b", "a ", "b"}, Priority: 3,
			Assignee: "bob", Bot: "feature-dev", BotArgs: map[string]string{"k": "v"},
		}, alice)
		return err
	})
	b.equal(e.IssueID, i.ID)
	b.equal(b.get(i.ID), i)
	if !strings.HasPrefix(i.ID, "native:") {
		b.Errorf("id %q", i.ID)
	}
	if i.CreatedAt.IsZero() || !i.UpdatedAt.Equal(i.CreatedAt) || !i.StateAt.Equal(i.CreatedAt) {
		b.Errorf("instants %s, %s, %s", i.CreatedAt, i.UpdatedAt, i.StateAt)
	}
	b.equal(i, board.Issue{
		ID: i.ID, Title: "fix it", Body: "now", State: board.StateInbox, Labels: []string{"b", "a"}, Priority: 3,
		Assignee: "bob", Bot: "feature-dev", BotArgs: map[string]string{"k": "v"},
		CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt, StateAt: i.StateAt,
	})
}

func createTakesNoMore(b *bed) {
	i := b.create(board.Issue{
		Title: "t", State: board.StateReady, Claim: "me", ClaimEpoch: 7, LastRunID: "r", AwaitingInput: true,
		GaveUp: &board.GaveUp{State: board.StateReady}, Runs: []board.RunRef{{RunID: "r"}}, Comments: []board.Comment{{ID: "c"}},
	})
	b.equal(i, board.Issue{ID: i.ID, Title: "t", State: board.StateReady, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt, StateAt: i.StateAt})
}

func createRefuses(b *bed) {
	b.withFields()
	good := map[string]any{"due": "2026-01-02"}
	for name, draft := range map[string]board.Issue{
		"blank title":       {Title: " \t", Fields: good},
		"two lines":         {Title: "a\nb", Fields: good},
		"unknown state":     {Title: "t", State: "redy", Fields: good},
		"blank label":       {Title: "t", Labels: []string{" "}, Fields: good},
		"bad slug":          {Title: "t", Bot: "Feature Dev", Fields: good},
		"unknown field":     {Title: "t", Fields: map[string]any{"due": "2026-01-02", "deu": "x"}},
		"ill-typed field":   {Title: "t", Fields: map[string]any{"due": "soon"}},
		"missing field":     {Title: "t"},
		"unknown blocker":   {Title: "t", Blockers: []string{board.NewID()}, Fields: good},
		"unknown parent":    {Title: "t", ParentID: board.NewID(), Fields: good},
		"id of a path":      {ID: "../x", Title: "t", Fields: good},
		"blank bot arg key": {Title: "t", BotArgs: map[string]string{" ": "v"}, Fields: good},
	} {
		b.Logf("draft: %s", name)
		b.refuses(board.ErrInvalid, func() error { return errOf(b.store.Create(b.ctx, draft, alice)) })
	}
	_, err := b.store.Create(b.ctx, board.Issue{Title: "t", State: "redy", Fields: good}, alice)
	if !strings.Contains(err.Error(), `"ready"`) || !strings.Contains(err.Error(), "backlog") {
		b.Errorf("error names no choices: %v", err)
	}
}

func createRefusesTaken(b *bed) {
	i := b.create(board.Issue{})
	b.refuses(board.ErrExists, func() error { return errOf(b.store.Create(b.ctx, board.Issue{ID: i.ID, Title: "other"}, alice)) })
}

func updateTells(b *bed) {
	b.withFields()
	i := b.create(board.Issue{Labels: []string{"a", "b"}, Fields: map[string]any{"due": "2026-01-02"}})
	e := b.one(board.EventIssueUpdated, func() (err error) {
		i, err = b.store.Update(b.ctx, i.ID, board.Patch{
			Title: ptr("new"), Priority: ptr(2), AddLabels: []string{"c", "b"}, RemoveLabels: []string{"a"},
			SetFields: map[string]string{"size": "3", "sure": "true"}, SetBotArgs: map[string]string{"x": "y"},
		}, alice)
		return err
	})
	b.equal(e.Payload.Changed, []string{"title", "labels", "priority", "fields", "bot_args"})
	b.equal(e.Payload.LabelsAdded, []string{"c"})
	b.equal(e.Payload.LabelsRemoved, []string{"a"})
	b.equal(i.Labels, []string{"b", "c"})
	b.equal(i.Fields, map[string]any{"due": "2026-01-02", "size": json.Number("3"), "sure": true})
	b.equal(b.get(i.ID), i)
	if i.UpdatedAt.Before(i.CreatedAt) {
		b.Errorf("updated %s, created %s", i.UpdatedAt, i.CreatedAt)
	}
}

func updateOwnEvents(b *bed) {
	blocker, i := b.create(board.Issue{}), b.create(board.Issue{})
	e := b.one(board.EventIssueBlockersUpdated, func() error {
		return errOf(b.store.Update(b.ctx, i.ID, board.Patch{AddBlockers: []string{blocker.ID}}, alice))
	})
	b.equal(e.Payload.Blockers, []string{blocker.ID})

	f := ptr(b.claim(i.ID, "m")).Fence()
	_, err := b.store.SetLastRun(b.ctx, i.ID, f, board.RunRef{RunID: "r1", Workdir: "/w"}, alice)
	b.ok(err)
	e = b.one(board.EventIssueLastRunUpdated, func() error {
		return errOf(b.store.Update(b.ctx, i.ID, board.Patch{ClearLastRun: true}, alice))
	})
	b.equal(e.Payload.RunID, "")
	i = b.get(i.ID)
	b.equal([]string{i.LastRunID, i.LastWorkdir, i.Runs[0].RunID}, []string{"", "", "r1"})
}

func updateNothing(b *bed) {
	i := b.create(board.Issue{Labels: []string{"a"}})
	b.none(func() error {
		return errOf(b.store.Update(b.ctx, i.ID, board.Patch{
			Title: ptr("a card"), AddLabels: []string{"a"}, RemoveLabels: []string{"zz"}, ClearBotArgs: []string{"k"},
			ClearLastRun: true, RemoveBlockers: []string{"native:none"},
		}, alice))
	})
	b.equal(b.get(i.ID), i)
}

func updateRefuses(b *bed) {
	b.withFields()
	i := b.create(board.Issue{Fields: map[string]any{"due": "2026-01-02"}})
	for name, p := range map[string]board.Patch{
		"blank title":      {Title: ptr("")},
		"bad slug":         {Bot: ptr("-x")},
		"unknown field":    {SetFields: map[string]string{"nope": "1"}},
		"ill-typed number": {SetFields: map[string]string{"size": "big"}},
		"value of no enum": {SetFields: map[string]string{"risk": "hihg"}},
		"required field":   {ClearFields: []string{"due"}},
		"unknown clear":    {ClearFields: []string{"nope"}},
		"unknown blocker":  {AddBlockers: []string{board.NewID()}},
		"itself":           {AddBlockers: []string{i.ID}},
		"its own parent":   {ParentID: ptr(i.ID)},
		"label both ways":  {AddLabels: []string{"a"}, RemoveLabels: []string{"a"}},
	} {
		b.Logf("patch: %s", name)
		p.Body = ptr("half a patch is none")
		b.refuses(board.ErrInvalid, func() error { return errOf(b.store.Update(b.ctx, i.ID, p, alice)) })
	}
}

func parallelLabels(b *bed) {
	i := b.create(board.Issue{})
	const n = 16
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() {
			if err := errOf(b.store.Update(b.ctx, i.ID, board.Patch{AddLabels: []string{fmt.Sprint("l", k)}}, alice)); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	if got := b.get(i.ID).Labels; len(got) != n {
		b.Errorf("%d labels of %d survived: %v", len(got), n, got)
	}
}

func unknownKeys(b *bed) {
	extra := board.Extra{"from_the_future": json.RawMessage(`{"a":[1,2]}`)}
	i := b.create(board.Issue{Extra: extra})
	f := ptr(b.claim(i.ID, "m")).Fence()
	b.ok(b.store.Renew(b.ctx, i.ID, f, lease))
	b.ok(errOf(b.store.Update(b.ctx, i.ID, board.Patch{Title: ptr("x")}, alice)))
	b.ok(errOf(b.store.Comment(b.ctx, i.ID, "alice", "hello", alice)))
	b.ok(errOf(b.store.SetState(b.ctx, i.ID, f, board.Filing{To: board.StateReview}, alice)))
	b.ok(errOf(b.store.Release(b.ctx, i.ID, f, alice)))
	b.equal(b.get(i.ID).Extra, extra)
}

func comments(b *bed) {
	i := b.create(board.Issue{})
	var c board.Comment
	for _, body := range []string{"first", "second"} {
		e := b.one(board.EventIssueCommentAdded, func() (err error) {
			c, err = b.store.Comment(b.ctx, i.ID, "alice", body, alice)
			return err
		})
		b.equal(e.Payload.CommentID, c.ID)
	}
	got := b.get(i.ID).Comments
	if len(got) != 2 || got[0].Body != "first" || got[0].ID == got[1].ID {
		b.Errorf("comments %+v", got)
	}
	b.equal(got[1], c)
	b.refuses(board.ErrInvalid, func() error { return errOf(b.store.Comment(b.ctx, i.ID, "alice", " \n", alice)) })
}

func deletes(b *bed) {
	i := b.create(board.Issue{})
	e := b.one(board.EventIssueDeleted, func() error { return b.store.Delete(b.ctx, i.ID, false, alice) })
	b.equal(e.IssueID, i.ID)
	b.is(errOf(b.store.Get(b.ctx, i.ID)), board.ErrNotFound)
	b.equal(len(b.snapshot()), 0)
}

func deletesClaimed(b *bed) {
	i := b.create(board.Issue{})
	b.claim(i.ID, "m")
	b.refuses(board.ErrConflict, func() error { return b.store.Delete(b.ctx, i.ID, false, alice) })
	b.claimedBy("m", b.store.Delete(b.ctx, i.ID, false, alice))
	b.one(board.EventIssueDeleted, func() error { return b.store.Delete(b.ctx, i.ID, true, alice) })
}

func copies(b *bed) {
	i := b.create(board.Issue{Labels: []string{"a"}, BotArgs: map[string]string{"k": "v"}})
	for _, got := range []board.Issue{i, b.get(i.ID), b.snapshot()[i.ID]} {
		got.Labels[0], got.BotArgs["k"] = "spoilt", "spoilt"
	}
	i = b.get(i.ID)
	b.equal([]string{i.Labels[0], i.BotArgs["k"]}, []string{"a", "v"})
}

func missing(b *bed) {
	id, f := board.NewID(), board.Fence{Marker: "m", Epoch: 1}
	s := b.store
	for name, verb := range map[string]func() error{
		"get":           func() error { return errOf(s.Get(b.ctx, id)) },
		"update":        func() error { return errOf(s.Update(b.ctx, id, board.Patch{}, alice)) },
		"move":          func() error { return errOf(s.Move(b.ctx, id, board.StateDone, alice)) },
		"reopen":        func() error { return errOf(s.Reopen(b.ctx, id, board.StateReady, alice)) },
		"delete":        func() error { return s.Delete(b.ctx, id, true, alice) },
		"comment":       func() error { return errOf(s.Comment(b.ctx, id, "a", "b", alice)) },
		"claim":         func() error { return errOf(s.Claim(b.ctx, id, "m", lease, alice)) },
		"renew":         func() error { return s.Renew(b.ctx, id, f, lease) },
		"release":       func() error { return errOf(s.Release(b.ctx, id, f, alice)) },
		"force release": func() error { return errOf(s.ForceRelease(b.ctx, id, alice)) },
		"set state":     func() error { return errOf(s.SetState(b.ctx, id, f, board.Filing{To: board.StateDone}, alice)) },
		"set last run":  func() error { return errOf(s.SetLastRun(b.ctx, id, f, board.RunRef{RunID: "r"}, alice)) },
		"set awaiting":  func() error { return errOf(s.SetAwaitingInput(b.ctx, id, f, true, alice)) },
		"set gave up":   func() error { return errOf(s.SetGaveUp(b.ctx, id, f, board.GaveUp{}, alice)) },
		"resolve":       func() error { return errOf(s.Resolve(b.ctx, id)) },
	} {
		b.Logf("verb: %s", name)
		b.refuses(board.ErrNotFound, verb)
	}
}

func updateExpects(b *bed) {
	i := b.create(board.Issue{Labels: []string{"a", "b"}})
	stamp := board.Patch{IfBot: ptr(""), IfLabels: []string{"a", "b"}, Bot: ptr("fixer"), RemoveLabels: []string{"a"}}
	b.one(board.EventIssueUpdated, func() error { return errOf(b.store.Update(b.ctx, i.ID, stamp, alice)) })
	for _, p := range []board.Patch{
		stamp,
		{IfBot: ptr(""), Bot: ptr("other")},
		{IfBot: ptr("other"), Title: ptr("t")},
		{IfLabels: []string{"a"}, Title: ptr("t")},
		{IfLabels: []string{"b", "a"}},
	} {
		b.refuses(board.ErrTransitionRejected, func() error { return errOf(b.store.Update(b.ctx, i.ID, p, alice)) })
	}
	met := board.Patch{IfBot: ptr("fixer"), IfLabels: []string{"b"}}
	b.none(func() error { return errOf(b.store.Update(b.ctx, i.ID, met, alice)) })
}

// parallelTakers: a label that is taken off under the condition that it is there is
// taken off by exactly one.
func parallelTakers(b *bed) {
	i := b.create(board.Issue{Labels: []string{"once", "stays"}})
	won := make([]bool, 8)
	var wg sync.WaitGroup
	for n := range won {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p := board.Patch{IfLabels: []string{"once"}, RemoveLabels: []string{"once"}}
			_, err := b.store.Update(b.ctx, i.ID, p, board.Cause{RunID: fmt.Sprint("run-", n)})
			if won[n] = err == nil; err != nil && !errors.Is(err, board.ErrTransitionRejected) {
				b.Error(err)
			}
		}()
	}
	wg.Wait()
	winners := 0
	for _, w := range won {
		if w {
			winners++
		}
	}
	if winners != 1 {
		b.Errorf("%d took the label, want one", winners)
	}
	b.equal(b.get(i.ID).Labels, []string{"stays"})
}
