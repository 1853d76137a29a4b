package triggertest

import (
	"time"

	"iterion/sched/trigger"
)

func addCases() []testCase {
	return []testCase{
		{"AFreshOutboxHasNoCursor", func(b *bed) {
			_, ok, err := b.box.Cursor(b.ctx, feed)
			b.ok(err)
			if ok {
				b.Fatal("a fresh outbox has a cursor")
			}
			_, due, err := b.box.NextDue(b.ctx)
			b.ok(err)
			b.equal(due, false)
			b.idle()
		}},
		{"AddKeepsTheWholeRow", func(b *bed) {
			want := row(1)
			b.add(7, want)
			b.equal(b.get(want.ID), want)
			b.cursor(7)
		}},
		{"TheSameRowAgainIsLeftAsItIs", func(b *bed) {
			b.add(1, row(1))
			e := b.claimOne()
			again := row(1)
			again.RunID = "another"
			b.add(2, again, row(2))
			got := b.get(e.ID)
			b.equal([]string{got.RunID, got.ClaimID}, []string{"run-1", e.ClaimID})
			b.equal(len(b.list(trigger.EffectQuery{})), 2)
			b.cursor(2)
		}},
		{"TheSameRowTwiceInOneAddIsOne", func(b *bed) {
			b.add(1, row(1), row(1))
			b.equal(len(b.list(trigger.EffectQuery{})), 1)
			b.equal(len(b.claim(10)), 1)
		}},
		{"ADoneRowIsNotMadeAgain", func(b *bed) {
			b.add(1, row(1))
			e := b.claimOne()
			b.ok(b.box.Finish(b.ctx, e.ID, e.ClaimID, "launched", b.now))
			b.add(2, row(1))
			b.state(e.ID, trigger.Done, 0, "")
			b.pass(time.Hour)
			b.idle()
		}},
		{"ACursorNeverGoesBack", func(b *bed) {
			b.add(9)
			b.add(3, row(1))
			b.cursor(9)
			b.equal(len(b.list(trigger.EffectQuery{})), 1)
		}},
		{"ACursorMayBeginBeforeEverything", func(b *bed) {
			b.add(-1)
			b.cursor(-1)
			b.add(0)
			b.cursor(0)
		}},
		{"FeedsHaveCursorsOfTheirOwn", func(b *bed) {
			b.add(5)
			b.ok(b.box.Add(b.ctx, "inbox", 2, nil))
			b.cursor(5)
			at, ok, err := b.box.Cursor(b.ctx, "inbox")
			b.ok(err)
			b.equal([]any{at, ok}, []any{int64(2), true})
		}},
		{"ARowWithoutIDIsRefusedWithAllThatCameWithIt", func(b *bed) {
			if err := b.box.Add(b.ctx, feed, 4, []trigger.Effect{row(1), {}}); err == nil {
				b.Fatal("a row without an id was taken")
			}
			b.equal(len(b.list(trigger.EffectQuery{})), 0)
			_, ok, err := b.box.Cursor(b.ctx, feed)
			b.ok(err)
			b.equal(ok, false)
		}},
		{"WhatIsReturnedSharesNothing", func(b *bed) {
			mine := row(1)
			b.add(1, mine)
			mine.Event.Labels[0] = "spoilt"
			got := b.get(mine.ID)
			got.Event.Labels[1] = "spoilt"
			got.Event.Payload["vars"].(map[string]any)["k"] = "spoilt"
			b.equal(b.get(mine.ID), row(1))
		}},
	}
}

func (b *bed) cursor(want int64) {
	b.Helper()
	at, ok, err := b.box.Cursor(b.ctx, feed)
	b.ok(err)
	if !ok || at != want {
		b.Fatalf("cursor is %d (%t), want %d", at, ok, want)
	}
}
