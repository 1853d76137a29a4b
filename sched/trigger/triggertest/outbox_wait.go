package triggertest

import (
	"time"

	"iterion/sched/trigger"
)

func waitCases() []testCase {
	return []testCase{
		{"WaitingSpendsNothing", func(b *bed) {
			b.add(1, row(1))
			for range 3 * trigger.MaxAttempts {
				e := b.claimOne()
				b.ok(b.box.Wait(b.ctx, e.ID, e.ClaimID, "paused", b.now.Add(time.Minute), b.now))
				b.state(e.ID, trigger.Pending, 0, "paused")
				b.equal(b.get(e.ID).Held, true)
				b.pass(time.Minute - time.Nanosecond)
				b.idle()
				b.pass(time.Nanosecond)
			}
			b.equal(b.claimOne().Held, false)
		}},
		{"WakeMakesHeldRowsDueOldestFirst", func(b *bed) {
			b.add(4, rows(1, 4)...)
			got := b.claim(4)
			b.fail(got[0], "no")
			for _, e := range got[1:] {
				b.ok(b.box.Wait(b.ctx, e.ID, e.ClaimID, "no slot", b.now.Add(time.Hour), b.now))
			}
			b.idle()
			b.wakes(2, 2)
			b.equal(ids(b.claim(10)), ids(rows(2, 3)))
			b.wakes(0, 1)
			b.equal(ids(b.claim(10)), ids(rows(4, 4)))
			b.wakes(0, 0)
		}},
	}
}

func (b *bed) wakes(limit, want int) {
	b.Helper()
	n, err := b.box.Wake(b.ctx, b.now, limit)
	b.ok(err)
	if n != want {
		b.Fatalf("%d rows were woken, want %d", n, want)
	}
}

func operatorCases() []testCase {
	return []testCase{
		{"ListIsNewestFirstAndSelects", func(b *bed) {
			other := row(3)
			other.ID, other.SubscriptionID = trigger.EffectID("board:3", "other"), "other"
			b.add(3, row(1), row(2), other)
			e := b.claim(1)[0]
			b.ok(b.box.Finish(b.ctx, e.ID, e.ClaimID, "launched", b.now))
			b.equal(ids(b.list(trigger.EffectQuery{})), []string{other.ID, row(2).ID, row(1).ID})
			b.equal(ids(b.list(trigger.EffectQuery{Limit: 2})), []string{other.ID, row(2).ID})
			b.equal(ids(b.list(trigger.EffectQuery{SubscriptionID: "sub"})), []string{row(2).ID, row(1).ID})
			b.equal(ids(b.list(trigger.EffectQuery{States: []trigger.EffectState{trigger.Done, trigger.Failed}})), []string{row(1).ID})
			b.equal(len(b.list(trigger.EffectQuery{States: []trigger.EffectState{trigger.Failed}})), 0)
		}},
		{"CountsTellEveryState", func(b *bed) {
			b.add(5, rows(1, 5)...)
			got := b.claim(4)
			b.ok(b.box.Finish(b.ctx, got[0].ID, got[0].ClaimID, "launched", b.now))
			b.fail(got[1], "no")
			_, err := b.box.Fail(b.ctx, got[2].ID, got[2].ClaimID, "never", true, b.now)
			b.ok(err)
			n, err := b.box.Counts(b.ctx)
			b.ok(err)
			b.equal(n, map[trigger.EffectState]int{trigger.Done: 1, trigger.Pending: 2, trigger.Failed: 1, trigger.Claimed: 1})
		}},
		{"WhatIsNotThereIsNamed", func(b *bed) {
			_, err := b.box.Get(b.ctx, "none|sub")
			b.is(err, trigger.ErrNoEffect)
			_, err = b.box.Retry(b.ctx, "none|sub", b.now)
			b.is(err, trigger.ErrNoEffect)
			b.is(b.box.Drop(b.ctx, "none|sub"), trigger.ErrNoEffect)
		}},
		{"RetryGivesAFailedRowAllItsAttempts", func(b *bed) {
			b.add(1, row(1))
			e := b.claimOne()
			b.ok(b.box.MarkConsumed(b.ctx, e.ID, e.ClaimID, b.now))
			_, err := b.box.Fail(b.ctx, e.ID, e.ClaimID, "never", true, b.now)
			b.ok(err)
			got, err := b.box.Retry(b.ctx, e.ID, b.now)
			b.ok(err)
			b.equal([]any{got.State, got.Attempts, got.ConsumeMarked, got.RunID}, []any{trigger.Pending, 0, true, "run-1"})
			for n := range trigger.MaxAttempts {
				b.equal(b.fail(b.claimOne(), "again").Attempts, n+1)
				b.pass(trigger.BackoffMax)
			}
			b.state(e.ID, trigger.Failed, trigger.MaxAttempts, "again")
		}},
		{"RetryMakesAWaitingRowDue", func(b *bed) {
			b.add(1, row(1))
			got := b.fail(b.claimOne(), "no")
			b.idle()
			_, err := b.box.Retry(b.ctx, got.ID, b.now)
			b.ok(err)
			b.equal(b.claimOne().Attempts, 1)
		}},
		{"NeitherRetryNorDropTouchesARowAtWorkOrDone", func(b *bed) {
			b.add(1, row(1))
			e := b.claimOne()
			b.untouchable(e.ID)
			b.ok(b.box.Finish(b.ctx, e.ID, e.ClaimID, "launched", b.now))
			b.untouchable(e.ID)
		}},
		{"DropCallsALaunchOff", func(b *bed) {
			b.add(2, rows(1, 2)...)
			e := b.claim(1)[0]
			_, err := b.box.Fail(b.ctx, e.ID, e.ClaimID, "never", true, b.now)
			b.ok(err)
			b.ok(b.box.Drop(b.ctx, row(1).ID))
			b.ok(b.box.Drop(b.ctx, row(2).ID))
			b.idle()
			b.equal(len(b.list(trigger.EffectQuery{})), 0)
			b.is(b.box.Drop(b.ctx, row(2).ID), trigger.ErrNoEffect)
			b.cursor(2)
		}},
		{"PruneForgetsOldDoneRowsAlone", func(b *bed) {
			b.add(4, rows(1, 4)...)
			got := b.claim(3)
			b.ok(b.box.Finish(b.ctx, got[0].ID, got[0].ClaimID, "launched", b.now))
			_, err := b.box.Fail(b.ctx, got[1].ID, got[1].ClaimID, "never", true, b.now)
			b.ok(err)
			b.pass(time.Hour)
			b.ok(b.box.Finish(b.ctx, got[2].ID, got[2].ClaimID, "launched", b.now))
			b.pass(trigger.KeepDone - time.Hour)
			b.prunes(b.now.Add(-trigger.KeepDone), 0)
			b.pass(time.Nanosecond)
			b.prunes(b.now.Add(-trigger.KeepDone), 1)
			b.equal(ids(b.list(trigger.EffectQuery{})), []string{row(4).ID, row(3).ID, row(2).ID})
			b.pass(time.Hour)
			b.prunes(b.now.Add(-trigger.KeepDone), 1)
			b.pass(1000 * time.Hour)
			b.prunes(b.now, 0)
		}},
	}
}

func (b *bed) untouchable(id string) {
	b.Helper()
	was := b.get(id)
	_, err := b.box.Retry(b.ctx, id, b.now)
	b.is(err, trigger.ErrEffectState)
	b.is(b.box.Drop(b.ctx, id), trigger.ErrEffectState)
	b.equal(b.get(id), was)
}

func (b *bed) prunes(before time.Time, want int) {
	b.Helper()
	n, err := b.box.Prune(b.ctx, before)
	b.ok(err)
	if n != want {
		b.Fatalf("%d rows were forgotten, want %d", n, want)
	}
}
