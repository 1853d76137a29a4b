package triggertest

import (
	"fmt"
	"sync"
	"time"

	"iterion/sched/trigger"
)

// durableCase is a behaviour over two openings of the same data.
type durableCase struct {
	name string
	run  func(b *bed, again func() trigger.Outbox)
}

func durableCases() []durableCase {
	return []durableCase{
		{"TestI4_WhatWasReturnedForIsThereAtTheNextOpening", func(b *bed, again func() trigger.Outbox) {
			b.add(6, rows(1, 6)...)
			got := b.claim(5)
			b.ok(b.box.Finish(b.ctx, got[0].ID, got[0].ClaimID, "launched", b.now))
			b.fail(got[1], "no")
			b.ok(b.box.Wait(b.ctx, got[2].ID, got[2].ClaimID, "held", b.now.Add(time.Hour), b.now))
			b.ok(b.box.MarkConsumed(b.ctx, got[3].ID, got[3].ClaimID, b.now))
			_, err := b.box.Fail(b.ctx, got[4].ID, got[4].ClaimID, "never", true, b.now)
			b.ok(err)
			want := b.list(trigger.EffectQuery{})
			b.box = again()
			b.equal(b.list(trigger.EffectQuery{}), want)
			b.cursor(6)
			b.ok(b.box.Renew(b.ctx, got[3].ID, got[3].ClaimID, b.now))
			b.equal(ids(b.claim(10)), []string{row(6).ID})
		}},
		{"TwoOpeningsSeeEachOther", func(b *bed, again func() trigger.Outbox) {
			one, two := b.box, again()
			for n := range 20 {
				b.box = one
				b.add(int64(n), row(n))
				b.box = two
				e := b.claimOne()
				b.box = one
				b.idle()
				b.ok(b.box.Finish(b.ctx, e.ID, e.ClaimID, "launched", b.now))
				b.box = two
				b.state(e.ID, trigger.Done, 0, "")
				b.cursor(int64(n))
			}
		}},
		{"OpeningsThatWriteAtOnceLoseNothing", func(b *bed, again func() trigger.Outbox) {
			const writers, each = 4, 25
			var wg sync.WaitGroup
			for w := range writers {
				box := again()
				wg.Add(1)
				go func() {
					defer wg.Done()
					for n := range each {
						id := w*each + n
						if err := box.Add(b.ctx, fmt.Sprint("feed-", w), int64(n), rows(id, id)); err != nil {
							b.Error(err)
						}
					}
				}()
			}
			wg.Wait()
			b.equal(len(b.list(trigger.EffectQuery{})), writers*each)
			for w := range writers {
				at, _, err := b.box.Cursor(b.ctx, fmt.Sprint("feed-", w))
				b.ok(err)
				b.equal(at, int64(each-1))
			}
		}},
	}
}
