package boardtest

import (
	"slices"
	"time"

	"iterion/native/board"
)

func batchCases() []testCase {
	return []testCase{
		{"MoveAllMovesWhatMayGoAndSaysWhatMayNot", moveAll},
		{"MoveAllRefusesAnUnknownColumnWhole", moveAllUnknown},
		{"MoveAllLetsADependentOfTwoGoOnce", moveAllUnblocks},
		{"RenamedLabelKeepsItsPlace", renameLabel},
		{"MergedLabelIsThereOnce", mergeLabel},
		{"DeletedLabelIsOffEveryCard", deleteLabel},
		{"VocabularyVerbsRefuseWhatTheyCannotDo", relabelRefuses},
		{"RenamedColumnTakesItsCardsAlong", renameState},
		{"ColumnsThatTheRulesKnowKeepTheirNames", renameStateRefuses},
		{"LaunchRefusalIsToldAndTakenOff", launchRefusal},
		{"LaunchRefusalHeedsTheClaim", launchRefusalFenced},
	}
}

func moveAll(b *bed) {
	one, closed, two := b.create(board.Issue{}), b.create(board.Issue{State: board.StateDone}), b.create(board.Issue{})
	there := b.create(board.Issue{State: board.StateReady})
	const gone = "native:00000000-0000-4000-8000-000000000000"
	var moved []board.Moved
	events := b.told(func() (err error) {
		moved, err = b.store.MoveAll(b.ctx, []string{one.ID, closed.ID, gone, there.ID, two.ID}, board.StateReady, alice)
		return err
	})
	b.equal(types(events), []board.EventType{board.EventIssueStateChanged, board.EventIssueStateChanged})
	b.equal(len(moved), 5)
	b.is(moved[1].Err, board.ErrTerminal)
	b.is(moved[2].Err, board.ErrNotFound)
	for _, n := range []int{0, 3, 4} {
		b.ok(moved[n].Err)
		b.equal(moved[n].Issue.State, board.StateReady)
		b.equal(b.get(moved[n].Issue.ID), moved[n].Issue)
	}
	b.equal([]string{moved[0].From, moved[3].From, moved[4].From}, []string{board.StateInbox, board.StateReady, board.StateInbox})
	b.equal(b.get(closed.ID), closed)
	b.equal(b.get(there.ID), there)
}

func moveAllUnknown(b *bed) {
	i := b.create(board.Issue{})
	b.refuses(board.ErrInvalid, func() error { return errOf(b.store.MoveAll(b.ctx, []string{i.ID}, "nowhere", alice)) })
}

func moveAllUnblocks(b *bed) {
	one, two := b.create(board.Issue{}), b.create(board.Issue{})
	i := b.waiting(nil, one, two)
	next := b.waiting(nil, i)
	events := b.told(func() error {
		return errOf(b.store.MoveAll(b.ctx, []string{one.ID, two.ID, i.ID, one.ID}, board.StateDone, alice))
	})
	b.equal(types(events), []board.EventType{
		board.EventIssueStateChanged, board.EventIssueStateChanged, board.EventIssueUnblocked, board.EventIssueStateChanged, board.EventIssueUnblocked,
	})
	p := events[3].Payload
	b.equal([]string{events[2].IssueID, events[3].IssueID, p.From, p.To}, []string{i.ID, i.ID, board.StateBacklog, board.StateDone})
	b.equal([]string{b.get(i.ID).State, b.get(next.ID).State}, []string{board.StateDone, board.StateBacklog})
}

// labelled files three cards: with a, with a and b, with b and c.
func (b *bed) labelled() (one, two, three board.Issue) {
	b.Helper()
	return b.create(board.Issue{Labels: []string{"x", "a", "y"}}), b.create(board.Issue{Labels: []string{"a", "b"}}), b.create(board.Issue{Labels: []string{"b", "c"}})
}

func (b *bed) relabel(e board.LabelEdit) (touched []string, events []board.Event) {
	b.Helper()
	events = b.told(func() (err error) {
		touched, err = b.store.Relabel(b.ctx, e, alice)
		return err
	})
	for n, ev := range events {
		b.equal(ev.Type, e.Verb)
		b.equal(ev.IssueID, touched[n])
		b.equal(ev.Payload.ByActor, alice.Actor)
	}
	b.equal(len(events), len(touched))
	slices.Sort(touched)
	return touched, events
}

func (b *bed) labels(cards ...board.Issue) [][]string {
	b.Helper()
	var out [][]string
	for _, i := range cards {
		out = append(out, b.get(i.ID).Labels)
	}
	return out
}

func sorted(cards ...board.Issue) []string {
	out := ids(cards)
	slices.Sort(out)
	return out
}

func renameLabel(b *bed) {
	one, two, three := b.labelled()
	touched, events := b.relabel(board.RenameLabel(" a ", "new"))
	b.equal(touched, sorted(one, two))
	p := events[0].Payload
	b.equal([]string{p.From, p.To, p.Reason}, []string{"a", "new", board.ReasonLabelRenamed})
	b.equal(b.labels(one, two, three), [][]string{{"x", "new", "y"}, {"new", "b"}, {"b", "c"}})
	b.equal(b.get(three.ID), three)
}

func mergeLabel(b *bed) {
	one, two, three := b.labelled()
	touched, events := b.relabel(board.MergeLabel("a", "b"))
	b.equal(touched, sorted(one, two))
	b.equal(events[0].Payload.Reason, board.ReasonLabelRenamed)
	b.equal(b.labels(one, two, three), [][]string{{"x", "b", "y"}, {"b"}, {"b", "c"}})
}

func deleteLabel(b *bed) {
	one, two, three := b.labelled()
	touched, events := b.relabel(board.DeleteLabel("b"))
	b.equal(touched, sorted(two, three))
	b.equal([]string{events[0].Payload.Label, events[0].Payload.Reason}, []string{"b", ""})
	b.equal(b.labels(one, two, three), [][]string{{"x", "a", "y"}, {"a"}, {"c"}})
}

func relabelRefuses(b *bed) {
	b.labelled()
	for _, c := range []struct {
		e    board.LabelEdit
		want error
	}{
		{board.RenameLabel("zzz", "new"), board.ErrNotFound},
		{board.RenameLabel("a", "b"), board.ErrExists},
		{board.RenameLabel("a", "a"), board.ErrInvalid},
		{board.RenameLabel("a", " "), board.ErrInvalid},
		{board.MergeLabel("a", "new"), board.ErrNotFound},
		{board.MergeLabel("a", ""), board.ErrInvalid},
		{board.DeleteLabel("zzz"), board.ErrNotFound},
		{board.DeleteLabel(""), board.ErrInvalid},
	} {
		b.Logf("edit: %+v", c.e)
		b.refuses(c.want, func() error { return errOf(b.store.Relabel(b.ctx, c.e, alice)) })
	}
}

// withColumn adds a column of the board's own.
func (b *bed) withColumn(name string) {
	b.Helper()
	s := b.schema()
	s.States = append(s.States, board.State{Name: name, Display: "Own", Color: "red"})
	b.ok(b.store.SetSchema(b.ctx, s, alice))
}

func renameState(b *bed) {
	b.withColumn("doing")
	one, other := b.create(board.Issue{State: "doing"}), b.create(board.Issue{})
	gaveUp, _ := b.gives("doing")
	var touched []string
	events := b.told(func() (err error) {
		touched, err = b.store.RenameState(b.ctx, "doing", " at work ", alice)
		return err
	})
	b.equal(types(events), []board.EventType{board.EventBoardUpdated, board.EventIssueStateChanged, board.EventIssueStateChanged})
	slices.Sort(touched)
	b.equal(touched, sorted(one, b.get(gaveUp)))
	for _, e := range events {
		b.equal(e.Payload.Reason, board.ReasonStateRenamed)
	}
	p := events[1].Payload
	b.equal([]string{p.From, p.To}, []string{"doing", "at work"})
	now := b.get(one.ID)
	b.equal([]string{now.State, now.StateReason}, []string{"at work", board.ReasonStateRenamed})
	st, _ := b.schema().State("at work")
	b.equal([]string{st.Display, st.Color}, []string{"Own", "red"})
	b.equal(b.get(other.ID), other)
	if i := b.get(gaveUp); i.GivenUp() == nil {
		b.Error("the give-up stamp is gone")
	}
	b.equal(len(b.schema().States), len(board.DefaultSchema().States)+1)
}

func renameStateRefuses(b *bed) {
	b.withColumn("doing")
	b.create(board.Issue{State: "doing"})
	for _, c := range []struct {
		from, to string
		want     error
	}{
		{"nowhere", "x", board.ErrInvalid},
		{"doing", " ", board.ErrInvalid},
		{"doing", "doing", board.ErrInvalid},
		{"doing", board.StateReview, board.ErrExists},
		{board.StateReview, "check", board.ErrInvalid},
	} {
		b.Logf("rename: %+v", c)
		b.refuses(c.want, func() error { return errOf(b.store.RenameState(b.ctx, c.from, c.to, alice)) })
	}
}

func launchRefusal(b *bed) {
	i := b.create(board.Issue{})
	until := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	set := func(l board.LaunchRefusal) func() error {
		return func() error { return errOf(b.store.SetLaunchRefusal(b.ctx, i.ID, board.Fence{}, l, alice)) }
	}
	e := b.one(board.EventIssueLaunchRefused, set(board.LaunchRefusal{Attempts: 2, NotBefore: until, LastReason: "org_suspended"}))
	p := e.Payload
	b.equal([]any{p.Refused, p.Attempts, *p.NotBefore, p.Reason}, []any{true, 2, until, "org_suspended"})
	l := b.get(i.ID).LaunchRefusal
	b.equal([]any{l.Attempts, l.NotBefore, l.LastReason, l.LastAt}, []any{2, until, "org_suspended", e.Timestamp})
	e = b.one(board.EventIssueLaunchRefused, set(board.LaunchRefusal{}))
	b.equal(e.Payload.Refused, false)
	if b.get(i.ID).LaunchRefusal != nil {
		b.Error("the note is still there")
	}
	b.none(set(board.LaunchRefusal{}))
	b.refuses(board.ErrInvalid, set(board.LaunchRefusal{Attempts: -1}))
}

func launchRefusalFenced(b *bed) {
	id, f := b.held(board.StateReady)
	set := func(f board.Fence) func() error {
		return func() error {
			return errOf(b.store.SetLaunchRefusal(b.ctx, id, f, board.LaunchRefusal{Attempts: 1}, alice))
		}
	}
	b.one(board.EventIssueLaunchRefused, set(f))
	b.refuses(board.ErrConflict, set(board.Fence{}))
	b.refuses(board.ErrConflict, set(board.Fence{Marker: f.Marker, Epoch: f.Epoch + 1}))
}
