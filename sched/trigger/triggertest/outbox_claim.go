package triggertest

import (
	"context"
	"sync"
	"testing"
	"time"

	"iterion/sched/trigger"
)

func claimCases() []testCase {
	return []testCase{
		{"ClaimsGoOldestFirstUpToTheLimit", func(b *bed) {
			b.add(3, rows(1, 3)...)
			first := b.claim(2)
			b.equal(ids(first), ids(rows(1, 2)))
			b.equal(ids(b.claim(2)), ids(rows(3, 3)))
			b.idle()
		}},
		{"AClaimHasAFreshIDAndAHorizon", func(b *bed) {
			b.add(2, rows(1, 2)...)
			got := b.claim(2)
			if got[0].ClaimID == "" || got[0].ClaimID == got[1].ClaimID {
				b.Fatalf("claim ids %q and %q", got[0].ClaimID, got[1].ClaimID)
			}
			for _, e := range got {
				b.equal([]any{e.State, e.Attempts, e.ClaimUntil}, []any{trigger.Claimed, 0, b.now.Add(trigger.ClaimHorizon)})
				b.equal(b.get(e.ID), e)
			}
		}},
		{"AClaimedRowIsNobodyElsesWithinTheHorizon", func(b *bed) {
			b.add(1, row(1))
			b.claimOne()
			b.pass(trigger.ClaimHorizon - time.Nanosecond)
			b.idle()
		}},
		{"AReclaimSpendsAnAttemptAndSupersedes", func(b *bed) {
			b.add(1, row(1))
			was := b.claimOne()
			b.pass(trigger.ClaimHorizon)
			e := b.claimOne()
			if e.ClaimID == was.ClaimID || e.Attempts != 1 {
				b.Fatalf("reclaimed as %s after %d attempts", e.ClaimID, e.Attempts)
			}
			b.lost(was)
			b.ok(b.box.Finish(b.ctx, e.ID, e.ClaimID, "launched", b.now))
		}},
		{"ARowWhoseClaimsAllRunOutIsFailedNotReturned", func(b *bed) {
			b.add(1, row(1))
			for range trigger.MaxAttempts {
				b.claimOne()
				b.pass(trigger.ClaimHorizon)
			}
			b.idle()
			e := b.get(row(1).ID)
			if e.State != trigger.Failed || e.Attempts != trigger.MaxAttempts || e.LastError == "" || e.ClaimID != "" {
				b.Fatalf("effect is %s after %d attempts: %q, claim %q", e.State, e.Attempts, e.LastError, e.ClaimID)
			}
			b.pass(24 * time.Hour)
			b.idle()
		}},
		{"RenewMovesTheHorizon", func(b *bed) {
			b.add(1, row(1))
			e := b.claimOne()
			b.pass(trigger.ClaimHorizon - time.Second)
			b.ok(b.box.Renew(b.ctx, e.ID, e.ClaimID, b.now))
			b.pass(trigger.ClaimHorizon - time.Second)
			b.idle()
			b.equal(b.get(e.ID).Attempts, 0)
			b.pass(time.Second)
			b.equal(b.claimOne().Attempts, 1)
		}},
		{"ARowOfThePastIsClaimedInItsOldPlace", func(b *bed) {
			b.add(2, rows(1, 2)...)
			e := b.claim(1)[0]
			b.ok(b.box.Wait(b.ctx, e.ID, e.ClaimID, "held", b.now, b.now))
			b.equal(ids(b.claim(2)), ids(rows(1, 2)))
		}},
		{"NextDueIsTheEarliest", func(b *bed) {
			b.add(2, rows(1, 2)...)
			b.due(time.Time{})
			e := b.claim(1)[0]
			b.fail(b.claim(1)[0], "no")
			b.due(b.now.Add(trigger.BackoffFirst))
			b.pass(time.Second)
			b.fail(e, "no")
			b.due(start.Add(trigger.BackoffFirst))
		}},
	}
}

// due checks when the next row is due; zero: at once.
func (b *bed) due(want time.Time) {
	b.Helper()
	at, ok, err := b.box.NextDue(b.ctx)
	b.ok(err)
	if !ok || !at.Equal(want) && !(want.IsZero() && !at.After(b.now)) {
		b.Fatalf("next row is due at %s (%t), want %s", at, ok, want)
	}
}

// manyClaimers: whoever claims, no row is held twice within a horizon.
func manyClaimers(t *testing.T, box trigger.Outbox) {
	const claimers, count = 8, 200
	if err := box.Add(t.Context(), feed, count, rows(1, count)); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	holders := map[string]int{}
	for n := range claimers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				got, err := box.Claim(t.Context(), start, 3)
				if err != nil {
					t.Errorf("claimer %d: %v", n, err)
					return
				}
				if len(got) == 0 {
					return
				}
				mu.Lock()
				for _, e := range got {
					holders[e.ID]++
				}
				mu.Unlock()
				for _, e := range got[1:] {
					if err := box.Finish(t.Context(), e.ID, e.ClaimID, "launched", start); err != nil {
						t.Errorf("claimer %d: %v", n, err)
					}
				}
			}
		}()
	}
	wg.Wait()
	if len(holders) != count {
		t.Errorf("%d rows were claimed, want %d", len(holders), count)
	}
	for id, n := range holders {
		if n != 1 {
			t.Errorf("%s was claimed %d times", id, n)
		}
	}
}

func endedContext(b *bed) {
	b.add(1, row(1))
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	if err := b.box.Add(ctx, feed, 2, rows(2, 2)); err == nil {
		b.Fatal("rows were added on an ended context")
	}
	if _, err := b.box.Claim(ctx, b.now, 1); err == nil {
		b.Fatal("a row was claimed on an ended context")
	}
	b.cursor(1)
	b.claimOne()
}
