package boardtest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"iterion/native/board"
)

// farAway is later than every lease of the suite.
var farAway = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

func transferCases() []testCase {
	return []testCase{
		{"TestI1_TransferEndsOneHoldAndBeginsTheNext", transfers},
		{"TestI1_OneOfManyTakesAnExpiredClaimOver", oneHeir},
		{"TestI2_TransferSupersedesTheLateHolder", transferSupersedes},
		{"TransferIsRefusedWhileTheLeaseHolds", transferTooEarly},
		{"TransferIsRefusedOnAnotherHold", transferOfAnother},
		{"TransferRefusesWhatMakesNoClaim", transferRefuses},
		{"ListFindsExpiredClaims", listExpired},
		{"ListFindsClaimsByTheBeginningOfTheirMarker", listByMarker},
	}
}

func takeover(i board.Issue, to string) board.Takeover {
	return board.Takeover{From: i.Fence(), ExpiredBefore: farAway, To: to, Lease: lease}
}

func transfers(b *bed) {
	was := b.claim(b.create(board.Issue{State: board.StateReady}).ID, "m")
	var i board.Issue
	e := b.one(board.EventIssueClaimed, func() (err error) {
		i, err = b.store.Transfer(b.ctx, was.ID, takeover(was, "heir"), alice)
		return err
	})
	p := e.Payload
	b.equal([]any{p.Marker, p.Epoch, p.Supersedes}, []any{"heir", int64(2), "m"})
	b.equal(i.Fence(), board.Fence{Marker: "heir", Epoch: 2})
	b.equal(b.get(i.ID), i)
	if i.ClaimedAt.Before(was.ClaimedAt) || !i.ClaimLeaseUntil.Equal(i.ClaimedAt.Add(lease)) {
		b.Errorf("claimed at %s until %s, was %s", i.ClaimedAt, i.ClaimLeaseUntil, was.ClaimedAt)
	}
	was.Claim, was.ClaimEpoch, was.ClaimedAt, was.ClaimLeaseUntil, was.UpdatedAt =
		i.Claim, i.ClaimEpoch, i.ClaimedAt, i.ClaimLeaseUntil, i.UpdatedAt
	b.equal(i, was)
}

func oneHeir(b *bed) {
	was := b.claim(b.create(board.Issue{}).ID, "m")
	var wins atomic.Int64
	var heirs sync.WaitGroup
	for k := range 8 {
		heirs.Go(func() {
			if _, err := b.store.Transfer(b.ctx, was.ID, takeover(was, fmt.Sprint("heir-", k)), alice); err == nil {
				wins.Add(1)
			}
		})
	}
	heirs.Wait()
	b.equal(wins.Load(), int64(1))
	b.equal(b.get(was.ID).ClaimEpoch, int64(2))
}

func transferSupersedes(b *bed) {
	was := b.claim(b.create(board.Issue{State: board.StateInProgress}).ID, "m")
	b.ok(errOf(b.store.Transfer(b.ctx, was.ID, takeover(was, "heir"), alice)))
	for verb, late := range fencedVerbs(b, was.ID, was.Fence()) {
		b.Logf("verb: %s", verb)
		b.refuses(board.ErrConflict, late)
	}
}

func transferTooEarly(b *bed) {
	was := b.claim(b.create(board.Issue{}).ID, "m")
	t := takeover(was, "heir")
	t.ExpiredBefore = was.ClaimLeaseUntil
	b.refuses(board.ErrConflict, func() error { return errOf(b.store.Transfer(b.ctx, was.ID, t, alice)) })

	t.ExpiredBefore = was.ClaimLeaseUntil.Add(time.Second)
	b.ok(b.store.Renew(b.ctx, was.ID, was.Fence(), 2*lease)) // the holder came back
	b.refuses(board.ErrConflict, func() error { return errOf(b.store.Transfer(b.ctx, was.ID, t, alice)) })
}

func transferOfAnother(b *bed) {
	was := b.claim(b.create(board.Issue{}).ID, "m")
	b.ok(errOf(b.store.Release(b.ctx, was.ID, was.Fence(), alice)))
	take := func() error { return errOf(b.store.Transfer(b.ctx, was.ID, takeover(was, "heir"), alice)) }
	b.refuses(board.ErrConflict, take)
	b.claim(was.ID, "m") // the same holder, another hold
	b.refuses(board.ErrConflict, take)
	b.is(errOf(b.store.Transfer(b.ctx, board.NewID(), takeover(was, "heir"), alice)), board.ErrNotFound)
}

func transferRefuses(b *bed) {
	was := b.claim(b.create(board.Issue{}).ID, "m")
	for _, t := range []board.Takeover{takeover(was, " "), takeover(was, "m"), {From: was.Fence(), ExpiredBefore: farAway, To: "heir"}} {
		b.refuses(board.ErrInvalid, func() error { return errOf(b.store.Transfer(b.ctx, was.ID, t, alice)) })
	}
}

func listExpired(b *bed) {
	b.create(board.Issue{Title: "free"})
	long := b.claim(b.create(board.Issue{Title: "long"}).ID, "m")
	short := b.create(board.Issue{Title: "short"})
	short, err := b.store.Claim(b.ctx, short.ID, "m", time.Minute, alice)
	b.ok(err)
	before := func(at time.Time) []string {
		l, err := b.store.List(b.ctx, board.Query{ExpiredBefore: at, Sort: "title"})
		b.ok(err)
		return ids(l.Issues)
	}
	b.equal(before(time.Now().Add(-time.Minute)), []string(nil))
	b.equal(before(short.ClaimLeaseUntil), []string(nil))
	b.equal(before(short.ClaimLeaseUntil.Add(time.Second)), []string{short.ID})
	b.equal(before(farAway), []string{long.ID, short.ID})
	b.ok(b.store.Renew(b.ctx, short.ID, short.Fence(), lease))
	b.equal(before(short.ClaimLeaseUntil.Add(time.Second)), []string(nil))
	b.ok(errOf(b.store.ForceRelease(b.ctx, long.ID, alice)))
	b.equal(before(farAway), []string{short.ID})
}

func listByMarker(b *bed) {
	b.create(board.Issue{})
	b.claim(b.create(board.Issue{}).ID, "other:1")
	one := b.claim(b.create(board.Issue{}).ID, "some:1")
	l, err := b.store.List(b.ctx, board.Query{ClaimPrefix: "some:"})
	b.ok(err)
	b.equal(ids(l.Issues), []string{one.ID})
}
