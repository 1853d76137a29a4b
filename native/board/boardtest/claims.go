package boardtest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"iterion/native/board"
)

func claimCases() []testCase {
	return []testCase{
		{"TestI1_OneClaimerWinsEachRound", oneWinner},
		{"ClaimTellsMarkerAndEpoch", claimTells},
		{"ClaimOfAClaimedCardIsRefusedAlsoAfterItsLease", claimTaken},
		{"HolderClaimingAgainKeepsItsEpochAndLeavesNoEvent", claimAgain},
		{"ClaimRefusesBlankMarkersAndEmptyLeases", claimRefuses},
		{"RenewMovesTheLeaseAlone", renewMoves},
		{"ReleaseKeepsTheEpoch", releaseKeeps},
		{"ForceReleaseNeedsNoFence", forceRelease},
	}
}

// claimedBy checks that an error names the holder.
func (b *bed) claimedBy(marker string, err error) {
	b.Helper()
	var claimed *board.ClaimedError
	if !errors.As(err, &claimed) || claimed.Issue.Claim != marker || claimed.Issue.ClaimLeaseUntil.IsZero() {
		b.Fatalf("error %v does not name the holder %s", err, marker)
	}
}

func oneWinner(b *bed) {
	i := b.create(board.Issue{})
	const claimers, rounds = 8, 25
	for round := range int64(rounds) {
		var wins atomic.Int64
		var winner atomic.Value
		var wg sync.WaitGroup
		for k := range claimers {
			wg.Go(func() {
				got, err := b.store.Claim(b.ctx, i.ID, fmt.Sprint("claimer-", k), lease, alice)
				if err == nil {
					wins.Add(1)
					winner.Store(got.Fence())
				} else if !errors.Is(err, board.ErrConflict) {
					b.Error(err)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 {
			b.Fatalf("round %d has %d winners", round, wins.Load())
		}
		f := winner.Load().(board.Fence)
		b.equal(f.Epoch, round+1)
		b.equal(ptr(b.get(i.ID)).Fence(), f)
		b.ok(errOf(b.store.Release(b.ctx, i.ID, f, alice)))
	}
}

func claimTells(b *bed) {
	i := b.create(board.Issue{State: board.StateReady})
	before := time.Now()
	e := b.one(board.EventIssueClaimed, func() (err error) {
		i, err = b.store.Claim(b.ctx, i.ID, "m", lease, alice)
		return err
	})
	b.equal([]any{e.Payload.Marker, e.Payload.Epoch}, []any{"m", int64(1)})
	b.equal(i.Fence(), board.Fence{Marker: "m", Epoch: 1})
	b.equal(b.get(i.ID), i)
	if i.ClaimedAt.Before(before.Truncate(time.Millisecond)) || !i.ClaimLeaseUntil.Equal(i.ClaimedAt.Add(lease)) {
		b.Errorf("claimed at %s until %s", i.ClaimedAt, i.ClaimLeaseUntil)
	}
}

func claimTaken(b *bed) {
	i := b.create(board.Issue{})
	b.ok(errOf(b.store.Claim(b.ctx, i.ID, "m", time.Nanosecond, alice)))
	other := func() error { return errOf(b.store.Claim(b.ctx, i.ID, "other", lease, alice)) }
	b.refuses(board.ErrConflict, other)
	b.claimedBy("m", other())
}

func claimAgain(b *bed) {
	i := b.create(board.Issue{})
	first := b.claim(i.ID, "m")
	b.none(func() error { return errOf(b.store.Claim(b.ctx, i.ID, "m", 2*lease, alice)) })
	again := b.get(i.ID)
	if !again.ClaimLeaseUntil.After(first.ClaimLeaseUntil) {
		b.Errorf("lease %s, was %s", again.ClaimLeaseUntil, first.ClaimLeaseUntil)
	}
	b.none(func() error { return errOf(b.store.Claim(b.ctx, i.ID, "m", time.Second, alice)) })
	b.equal(b.get(i.ID), again)
	again.ClaimLeaseUntil = first.ClaimLeaseUntil
	b.equal(again, first)
}

func claimRefuses(b *bed) {
	i := b.create(board.Issue{})
	b.refuses(board.ErrInvalid, func() error { return errOf(b.store.Claim(b.ctx, i.ID, " ", lease, alice)) })
	b.refuses(board.ErrInvalid, func() error { return errOf(b.store.Claim(b.ctx, i.ID, "m", 0, alice)) })
}

func renewMoves(b *bed) {
	i := b.create(board.Issue{})
	first := b.claim(i.ID, "m")
	b.none(func() error { return b.store.Renew(b.ctx, i.ID, first.Fence(), 3*lease) })
	renewed := b.get(i.ID)
	if got := renewed.ClaimLeaseUntil.Sub(first.ClaimLeaseUntil); got < lease {
		b.Errorf("lease moved by %s", got)
	}
	renewed.ClaimLeaseUntil = first.ClaimLeaseUntil
	b.equal(renewed, first)
	b.refuses(board.ErrInvalid, func() error { return b.store.Renew(b.ctx, i.ID, first.Fence(), -1) })
}

func releaseKeeps(b *bed) {
	i := b.create(board.Issue{})
	f := ptr(b.claim(i.ID, "m")).Fence()
	e := b.one(board.EventIssueReleased, func() error { return errOf(b.store.Release(b.ctx, i.ID, f, alice)) })
	b.equal(e.Payload.Marker, "m")
	i = b.get(i.ID)
	b.equal([]any{i.Claim, i.ClaimEpoch, i.ClaimedAt, i.ClaimLeaseUntil}, []any{"", int64(1), time.Time{}, time.Time{}})
	b.refuses(board.ErrConflict, func() error { return errOf(b.store.Release(b.ctx, i.ID, f, alice)) })
	b.equal(ptr(b.claim(i.ID, "m")).Fence().Epoch, int64(2))
}

func forceRelease(b *bed) {
	i := b.create(board.Issue{})
	b.none(func() error { return errOf(b.store.ForceRelease(b.ctx, i.ID, alice)) })
	f := ptr(b.claim(i.ID, "m")).Fence()
	e := b.one(board.EventIssueReleased, func() error { return errOf(b.store.ForceRelease(b.ctx, i.ID, alice)) })
	b.equal(e.Payload.Marker, "m")
	b.refuses(board.ErrConflict, func() error { return b.store.Renew(b.ctx, i.ID, f, lease) })
	b.equal(ptr(b.claim(i.ID, "other")).Fence().Epoch, f.Epoch+1)
}

// fencedVerbs are the verbs that only a claim's holder may use.
func fencedVerbs(b *bed, id string, f board.Fence) map[string]func() error {
	s := b.store
	return map[string]func() error{
		"Renew":            func() error { return s.Renew(b.ctx, id, f, lease) },
		"Release":          func() error { return errOf(s.Release(b.ctx, id, f, alice)) },
		"SetState":         func() error { return errOf(s.SetState(b.ctx, id, f, board.Filing{To: board.StateReview}, alice)) },
		"SetLastRun":       func() error { return errOf(s.SetLastRun(b.ctx, id, f, board.RunRef{RunID: "late"}, alice)) },
		"SetAwaitingInput": func() error { return errOf(s.SetAwaitingInput(b.ctx, id, f, true, alice)) },
		"SetGaveUp":        func() error { return errOf(s.SetGaveUp(b.ctx, id, f, board.GaveUp{Launch: true}, alice)) },
	}
}

// supersededHolder tries every fenced verb with every kind of fence that is not
// the card's pair, and then with the one that is.
func supersededHolder(t *testing.T, open func(t *testing.T) board.Store) {
	for name, late := range map[string]func(b *bed, id string) board.Fence{
		"ByAnother": func(b *bed, id string) board.Fence {
			f := ptr(b.claim(id, "late")).Fence()
			b.ok(errOf(b.store.ForceRelease(b.ctx, id, alice)))
			b.claim(id, "other")
			return f
		},
		"ByItself": func(b *bed, id string) board.Fence {
			f := ptr(b.claim(id, "m")).Fence()
			b.ok(errOf(b.store.Release(b.ctx, id, f, alice)))
			b.claim(id, "m")
			return f
		},
		"ByNobody": func(b *bed, id string) board.Fence {
			f := ptr(b.claim(id, "m")).Fence()
			b.ok(errOf(b.store.ForceRelease(b.ctx, id, alice)))
			return f
		},
		"NeverHeld": func(b *bed, id string) board.Fence { return board.Fence{} },
		"FutureEpoch": func(b *bed, id string) board.Fence {
			return board.Fence{Marker: "m", Epoch: b.claim(id, "m").ClaimEpoch + 1}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, open(t))
			i := b.create(board.Issue{State: board.StateInProgress})
			f := late(b, i.ID)
			for verb, do := range fencedVerbs(b, i.ID, f) {
				b.Logf("verb: %s", verb)
				b.refuses(board.ErrConflict, do)
			}
		})
	}
	t.Run("CurrentHolderIsNot", func(t *testing.T) {
		b := newBed(t, open(t))
		for verb := range fencedVerbs(b, "", board.Fence{}) {
			i := b.create(board.Issue{State: board.StateInProgress})
			f := ptr(b.claim(i.ID, "m")).Fence()
			b.ok(fencedVerbs(b, i.ID, f)[verb]())
		}
	})
}
