package boardtest

import "iterion/native/board"

func columnCases() []testCase {
	return []testCase{
		{"MoveTellsFromAndTo", moveTells},
		{"MoveToTheSameColumnChangesNothing", moveNowhere},
		{"MoveRefusesAnUnknownColumn", moveUnknown},
		{"MoveOfAClaimedCardIsAllowed", moveClaimed},
		{"ReasonOfTheLastColumnChangeIsOnTheCard", moveReason},
		{"TerminalColumnsAreSinks", sinks},
		{"ReopenLeadsFromASinkToAWorkingColumn", reopens},
	}
}

func moveTells(b *bed) {
	i := b.create(board.Issue{})
	var moved board.Issue
	e := b.one(board.EventIssueStateChanged, func() (err error) {
		moved, err = b.store.Move(b.ctx, i.ID, board.StateReady, alice)
		return err
	})
	b.equal([]string{e.Payload.From, e.Payload.To, e.Payload.Reason}, []string{board.StateInbox, board.StateReady, ""})
	b.equal(moved.State, board.StateReady)
	b.equal(b.get(i.ID), moved)
	b.equal(moved.StateAt, e.Timestamp)
	b.ok(errOf(b.store.Update(b.ctx, i.ID, board.Patch{Title: ptr("x")}, alice)))
	b.equal(b.get(i.ID).StateAt, moved.StateAt)
}

func moveNowhere(b *bed) {
	i := b.create(board.Issue{State: board.StateReady})
	b.none(func() error { return errOf(b.store.Move(b.ctx, i.ID, board.StateReady, alice)) })
	b.equal(b.get(i.ID), i)
}

func moveUnknown(b *bed) {
	i := b.create(board.Issue{})
	b.refuses(board.ErrInvalid, func() error { return errOf(b.store.Move(b.ctx, i.ID, "nowhere", alice)) })
	b.refuses(board.ErrInvalid, func() error { return errOf(b.store.Move(b.ctx, i.ID, "", alice)) })
}

func moveClaimed(b *bed) {
	i := b.create(board.Issue{})
	claimed := b.claim(i.ID, "m")
	b.move(i.ID, board.StateReady)
	b.equal(ptr(b.get(i.ID)).Fence(), claimed.Fence())
}

func moveReason(b *bed) {
	i := b.create(board.Issue{})
	by := alice
	by.Reason = board.ReasonWatchdog
	e := b.one(board.EventIssueStateChanged, func() error { return errOf(b.store.Move(b.ctx, i.ID, board.StateReady, by)) })
	b.equal(e.Payload.Reason, board.ReasonWatchdog)
	b.equal(b.get(i.ID).StateReason, board.ReasonWatchdog)
	b.move(i.ID, board.StateBacklog)
	b.equal(b.get(i.ID).StateReason, "")
}

func sinks(b *bed) {
	i := b.create(board.Issue{})
	b.move(i.ID, board.StateDone)
	b.refuses(board.ErrTerminal, func() error { return errOf(b.store.Move(b.ctx, i.ID, board.StateReady, alice)) })
	b.refuses(board.ErrTransitionRejected, func() error { return errOf(b.store.Move(b.ctx, i.ID, board.StateReady, alice)) })
	b.move(i.ID, board.StateBlocked)
	f := ptr(b.claim(i.ID, "m")).Fence()
	b.refuses(board.ErrTerminal, func() error {
		return errOf(b.store.SetState(b.ctx, i.ID, f, board.Filing{To: board.StateReady}, alice))
	})
}

func reopens(b *bed) {
	i := b.create(board.Issue{State: board.StateReview})
	b.refuses(board.ErrTransitionRejected, func() error { return errOf(b.store.Reopen(b.ctx, i.ID, board.StateReady, alice)) })
	b.move(i.ID, board.StateDone)
	b.refuses(board.ErrTransitionRejected, func() error { return errOf(b.store.Reopen(b.ctx, i.ID, board.StateBlocked, alice)) })
	b.refuses(board.ErrInvalid, func() error { return errOf(b.store.Reopen(b.ctx, i.ID, "nowhere", alice)) })
	e := b.one(board.EventIssueStateChanged, func() error { return errOf(b.store.Reopen(b.ctx, i.ID, board.StateReady, alice)) })
	b.equal([]string{e.Payload.From, e.Payload.To}, []string{board.StateDone, board.StateReady})
	b.equal(b.get(i.ID).State, board.StateReady)
}
