package triggertest

import (
	"fmt"
	"time"

	"iterion/sched/trigger"
)

func markCases() []testCase {
	return []testCase{
		{"EveryMarkAsksForTheClaim", func(b *bed) {
			b.add(2, rows(1, 2)...)
			e := b.claim(1)[0]
			other := e
			other.ClaimID = "another"
			b.lost(other)
			none := e
			none.ClaimID = ""
			b.lost(none)
			unclaimed := row(2)
			b.lost(unclaimed)
			unclaimed.ClaimID = e.ClaimID
			b.lost(unclaimed)
			gone := row(99)
			gone.ClaimID = e.ClaimID
			b.lost(gone)
			b.equal(b.get(e.ID), e)
		}},
		{"AnEndedRowHasNoClaimToLose", func(b *bed) {
			b.add(3, rows(1, 3)...)
			got := b.claim(3)
			b.ok(b.box.Finish(b.ctx, got[0].ID, got[0].ClaimID, "launched", b.now))
			b.fail(got[1], "no")
			b.ok(b.box.Wait(b.ctx, got[2].ID, got[2].ClaimID, "held", b.now, b.now))
			for _, e := range got {
				b.lost(e)
			}
		}},
		{"FinishEndsTheRowWithItsOutcome", func(b *bed) {
			b.add(1, row(1))
			b.fail(b.claimOne(), "no")
			b.pass(trigger.BackoffFirst)
			e := b.claimOne()
			b.ok(b.box.Finish(b.ctx, e.ID, e.ClaimID, "launched", b.now))
			b.state(e.ID, trigger.Done, 1, "")
			got := b.get(e.ID)
			b.equal([]any{got.Outcome, got.UpdatedAt, got.ClaimID}, []any{"launched", b.now, ""})
			b.pass(time.Hour)
			b.idle()
		}},
		{"FailuresBackOffDoublingUntilTheLast", func(b *bed) {
			b.add(1, row(1))
			wait := trigger.BackoffFirst
			for n := 1; n < trigger.MaxAttempts; n++ {
				got := b.fail(b.claimOne(), fmt.Sprint("failure ", n))
				b.equal([]any{got.State, got.Attempts, got.NotBefore}, []any{trigger.Pending, n, b.now.Add(wait)})
				b.state(got.ID, trigger.Pending, n, fmt.Sprint("failure ", n))
				b.pass(wait - time.Nanosecond)
				b.idle()
				b.pass(time.Nanosecond)
				wait = min(2*wait, trigger.BackoffMax)
			}
			got := b.fail(b.claimOne(), "the last")
			b.equal(got.State, trigger.Failed)
			b.state(got.ID, trigger.Failed, trigger.MaxAttempts, "the last")
			b.pass(24 * time.Hour)
			b.idle()
		}},
		{"AFinalFailureIsTheLast", func(b *bed) {
			b.add(1, row(1))
			e := b.claimOne()
			got, err := b.box.Fail(b.ctx, e.ID, e.ClaimID, "never", true, b.now)
			b.ok(err)
			b.equal(got.State, trigger.Failed)
			b.state(e.ID, trigger.Failed, 1, "never")
		}},
		{"TheMarkOfTakenLabelsOutlivesTheClaim", func(b *bed) {
			b.add(1, row(1))
			e := b.claimOne()
			b.ok(b.box.MarkConsumed(b.ctx, e.ID, e.ClaimID, b.now))
			b.fail(e, "no")
			b.pass(trigger.BackoffFirst)
			e = b.claimOne()
			b.equal(e.ConsumeMarked, true)
			b.pass(trigger.ClaimHorizon)
			b.equal(b.claimOne().ConsumeMarked, true)
		}},
	}
}

// lost checks that no mark is taken under the row's claim id.
func (b *bed) lost(e trigger.Effect) {
	b.Helper()
	b.is(b.box.Renew(b.ctx, e.ID, e.ClaimID, b.now), trigger.ErrLostClaim)
	b.is(b.box.MarkConsumed(b.ctx, e.ID, e.ClaimID, b.now), trigger.ErrLostClaim)
	b.is(b.box.Finish(b.ctx, e.ID, e.ClaimID, "launched", b.now), trigger.ErrLostClaim)
	b.is(b.box.Wait(b.ctx, e.ID, e.ClaimID, "held", b.now, b.now), trigger.ErrLostClaim)
	_, err := b.box.Fail(b.ctx, e.ID, e.ClaimID, "no", false, b.now)
	b.is(err, trigger.ErrLostClaim)
}
