package boardtest

import (
	"strings"

	"iterion/native/board"
)

func blockerCases() []testCase {
	return []testCase{
		{"CycleOfBlockersIsRefusedAndNamed", cycle},
		{"DoneMovesTheLastWaitingDependentOn", doneUnblocks},
		{"DoneThroughAHolderUnblocksToo", holderUnblocks},
		{"AutoReadyGoesToReady", autoReady},
		{"BlockedSatisfiesNobody", blockedSatisfiesNobody},
		{"RequiredLabelsHoldTheDependentBack", requiredLabels},
		{"MissingBlockerIsUnsatisfied", missingBlocker},
		{"ReopenIsRefusedWhileItsDependentsAreOut", reopenRefused},
		{"ReopenIsFreeOfDependentsThatItsDoneDidNotSetFree", reopenOther},
	}
}

// waiting files a card that waits for the given ones.
func (b *bed) waiting(args map[string]string, on ...board.Issue) board.Issue {
	b.Helper()
	return b.create(board.Issue{State: board.StateWaitingDeps, Blockers: ids(on), BotArgs: args})
}

func cycle(b *bed) {
	first := b.create(board.Issue{})
	second := b.create(board.Issue{Blockers: []string{first.ID}})
	third := b.create(board.Issue{Blockers: []string{second.ID}})
	var err error
	b.refuses(board.ErrCycle, func() error {
		err = errOf(b.store.Update(b.ctx, first.ID, board.Patch{AddBlockers: []string{third.ID}}, alice))
		return err
	})
	for _, i := range []board.Issue{first, second, third} {
		if !strings.Contains(err.Error(), board.ShortID(i.ID)) {
			b.Errorf("%q does not name %s", err, board.ShortID(i.ID))
		}
	}
}

func doneUnblocks(b *bed) {
	one, two := b.create(board.Issue{}), b.create(board.Issue{})
	i := b.waiting(nil, one, two)
	bystander := b.create(board.Issue{State: board.StateReview, Blockers: []string{two.ID}})
	b.move(one.ID, board.StateDone)
	b.equal(b.get(i.ID).State, board.StateWaitingDeps)

	events := b.told(func() error { return errOf(b.store.Move(b.ctx, two.ID, board.StateDone, alice)) })
	b.equal(types(events), []board.EventType{board.EventIssueStateChanged, board.EventIssueUnblocked})
	p := events[1].Payload
	b.equal([]string{events[1].IssueID, p.From, p.To, p.ClosedBlocker, p.Reason},
		[]string{i.ID, board.StateWaitingDeps, board.StateBacklog, two.ID, board.ReasonUnblocked})
	i = b.get(i.ID)
	b.equal([]string{i.State, i.StateReason}, []string{board.StateBacklog, board.ReasonUnblocked})
	b.equal(b.get(bystander.ID), bystander)
}

func holderUnblocks(b *bed) {
	blocker := b.create(board.Issue{})
	one, two := b.waiting(nil, blocker), b.waiting(nil, blocker)
	f := ptr(b.claim(blocker.ID, "m")).Fence()
	b.ok(errOf(b.store.SetState(b.ctx, blocker.ID, f, board.Filing{To: board.StateDone}, alice)))
	b.equal([]string{b.get(one.ID).State, b.get(two.ID).State}, []string{board.StateBacklog, board.StateBacklog})
}

func autoReady(b *bed) {
	blocker := b.create(board.Issue{})
	i := b.waiting(map[string]string{board.ArgAutoReady: "true"}, blocker)
	b.move(blocker.ID, board.StateDone)
	b.equal(b.get(i.ID).State, board.StateReady)
}

func blockedSatisfiesNobody(b *bed) {
	blocker, other := b.create(board.Issue{}), b.create(board.Issue{})
	i := b.waiting(nil, blocker, other)
	b.move(blocker.ID, board.StateBlocked)
	b.move(other.ID, board.StateDone)
	b.equal(b.get(i.ID).State, board.StateWaitingDeps)
	b.move(blocker.ID, board.StateDone)
	b.equal(b.get(i.ID).State, board.StateBacklog)
}

func requiredLabels(b *bed) {
	args := map[string]string{board.ArgRequireBlockerLabels: "approved, tested"}
	poor, rich := b.create(board.Issue{Labels: []string{"approved"}}), b.create(board.Issue{Labels: []string{"tested", "approved"}})
	one, two := b.waiting(args, poor), b.waiting(args, rich)
	b.move(poor.ID, board.StateDone)
	b.move(rich.ID, board.StateDone)
	b.equal([]string{b.get(one.ID).State, b.get(two.ID).State}, []string{board.StateWaitingDeps, board.StateBacklog})
}

func missingBlocker(b *bed) {
	gone, blocker := b.create(board.Issue{}), b.create(board.Issue{})
	i := b.waiting(nil, gone, blocker)
	b.ok(b.store.Delete(b.ctx, gone.ID, false, alice))
	b.move(blocker.ID, board.StateDone)
	b.equal(b.get(i.ID).State, board.StateWaitingDeps)
}

func reopenRefused(b *bed) {
	blocker := b.create(board.Issue{})
	i := b.waiting(nil, blocker)
	b.move(blocker.ID, board.StateDone)
	reopen := func() error { return errOf(b.store.Reopen(b.ctx, blocker.ID, board.StateReady, alice)) }
	b.refuses(board.ErrTransitionRejected, reopen)
	f := ptr(b.claim(i.ID, "m")).Fence()
	b.move(i.ID, board.StateInProgress)
	b.refuses(board.ErrTransitionRejected, reopen)
	b.ok(errOf(b.store.Release(b.ctx, i.ID, f, alice)))
	b.move(i.ID, board.StateWaitingDeps)
	b.one(board.EventIssueStateChanged, reopen)
}

func reopenOther(b *bed) {
	blocked := b.create(board.Issue{State: board.StateBlocked})
	dependent := b.claim(b.create(board.Issue{State: board.StateReady, Blockers: []string{blocked.ID}}).ID, "m")
	b.ok(errOf(b.store.Reopen(b.ctx, blocked.ID, board.StateReady, alice)))

	done := b.create(board.Issue{State: board.StateDone})
	b.ok(errOf(b.store.Update(b.ctx, dependent.ID, board.Patch{AddBlockers: []string{done.ID}}, alice)))
	b.move(dependent.ID, board.StateBlocked)
	b.ok(errOf(b.store.Reopen(b.ctx, done.ID, board.StateReady, alice)))
}
