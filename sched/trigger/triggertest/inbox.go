package triggertest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"iterion/sched/trigger"
)

// RunInbox runs the suite over the twin that open opens. Each call of open gives a
// new, empty inbox, and cleans up with t.
func RunInbox(t *testing.T, open func(t *testing.T) trigger.Inbox) {
	for _, c := range []struct {
		name string
		run  func(b *inboxBed)
	}{
		{"AFreshInboxIsEmpty", freshInbox},
		{"EntriesAreNumberedInTheirOrder", inboxOrder},
		{"TheSameEventAgainIsNotNew", inboxOnce},
		{"AnEventWithoutIDIsRefusedWithAllThatCameWithIt", inboxNoID},
		{"ABaselineMakesNoEvents", inboxBaseline},
		{"OutcomesAreToldAlsoWhenTrimmed", inboxTrim},
		{"SeqGoesOnBehindATrim", inboxSeq},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(&inboxBed{T: t, ctx: t.Context(), box: open(t)}) })
	}
}

// InboxDurable runs the cases of an inbox that survives its process; see
// OutboxDurable.
func InboxDurable(t *testing.T, open func(t *testing.T) (trigger.Inbox, func() trigger.Inbox)) {
	t.Run("TestI4_WhatWasPutIsThereAtTheNextOpening", func(t *testing.T) {
		box, again := open(t)
		b := &inboxBed{T: t, ctx: t.Context(), box: box}
		b.put(custom(1), outcome("r1", 1))
		b.ok(b.box.Baseline(b.ctx, map[string]string{"r0": "run:r0:1"}))
		want := b.events(-1, 0)
		b.box = again()
		b.equal(b.events(-1, 0), want)
		b.told(map[string]string{"r0": "run:r0:1", "r1": "run:r1:1"})
		b.equal(b.put(custom(1)), 0)
	})
	t.Run("TwoOpeningsNumberOneList", func(t *testing.T) {
		box, again := open(t)
		one := &inboxBed{T: t, ctx: t.Context(), box: box}
		two := &inboxBed{T: t, ctx: t.Context(), box: again()}
		for n := range 10 {
			one.put(custom(2 * n))
			two.put(custom(2*n + 1))
		}
		one.ok(one.box.Trim(one.ctx, 8, func(string) bool { return true }))
		two.put(custom(20))
		one.put(custom(21))
		got := one.events(8, 0)
		for n, p := range got {
			one.equal([]any{p.Seq, p.Event.ID}, []any{int64(9 + n), custom(9 + n).ID})
		}
		one.equal(len(got), 13)
		one.equal(two.events(8, 0), got)
	})
}

type inboxBed struct {
	*testing.T
	ctx context.Context
	box trigger.Inbox
}

func custom(n int) trigger.Event {
	return trigger.Event{ID: fmt.Sprintf("custom:%d", n), Source: trigger.SourceCustom, Kind: "deploy", OccurredAt: start,
		Payload: map[string]any{"vars": map[string]any{"n": fmt.Sprint(n)}}}
}

func outcome(runID string, seq int) trigger.Event {
	return trigger.Event{ID: fmt.Sprintf("run:%s:%d", runID, seq), Source: trigger.SourceRun, Kind: trigger.RunFinished,
		RunID: runID, OutcomeSeq: seq, OccurredAt: start}
}

func (b *inboxBed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *inboxBed) equal(got, want any) {
	b.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		b.Fatalf("not as expected (-want +got):\n%s", d)
	}
}

func (b *inboxBed) put(events ...trigger.Event) int {
	b.Helper()
	n, err := b.box.Put(b.ctx, events...)
	b.ok(err)
	return n
}

func (b *inboxBed) events(after int64, limit int) []trigger.Posted {
	b.Helper()
	got, err := b.box.Events(b.ctx, after, limit)
	b.ok(err)
	return got
}

func (b *inboxBed) told(want map[string]string) {
	b.Helper()
	got, ok, err := b.box.Told(b.ctx)
	b.ok(err)
	b.equal(ok, true)
	b.equal(got, want)
}

func (b *inboxBed) tip(want int64) {
	b.Helper()
	got, err := b.box.Tip(b.ctx)
	b.ok(err)
	b.equal(got, want)
}

func freshInbox(b *inboxBed) {
	b.tip(-1)
	b.equal(b.events(-1, 0), []trigger.Posted(nil))
	_, ok, err := b.box.Told(b.ctx)
	b.ok(err)
	b.equal(ok, false)
}

func inboxOrder(b *inboxBed) {
	b.equal(b.put(custom(0), custom(1)), 2)
	b.equal(b.put(custom(2)), 1)
	got := b.events(-1, 0)
	b.equal(len(got), 3)
	for n, p := range got {
		b.equal([]any{p.Seq, p.Event}, []any{int64(n), custom(n)})
		if p.At.IsZero() {
			b.Fatal("an entry has no timestamp")
		}
	}
	b.tip(2)
	b.equal(b.events(0, 1), got[1:2])
	b.equal(b.events(1, 0), got[2:])
	b.equal(b.events(2, 0), []trigger.Posted(nil))
}

func inboxOnce(b *inboxBed) {
	b.equal(b.put(custom(0), custom(0)), 1)
	b.equal(b.put(custom(1), custom(0)), 1)
	b.equal(b.put(outcome("r1", 1)), 1)
	b.equal(b.put(outcome("r1", 1)), 0)
	b.equal(b.put(outcome("r1", 2)), 1)
	b.equal(len(b.events(-1, 0)), 4)
	b.tip(3)
}

func inboxNoID(b *inboxBed) {
	if _, err := b.box.Put(b.ctx, custom(0), trigger.Event{Kind: "deploy"}); !errors.Is(err, trigger.ErrNoEventID) {
		b.Fatalf("error is %v, want ErrNoEventID", err)
	}
	b.tip(-1)
}

func inboxBaseline(b *inboxBed) {
	b.put(custom(0))
	b.ok(b.box.Baseline(b.ctx, map[string]string{"r1": "run:r1:1"}))
	b.equal(len(b.events(-1, 0)), 1)
	b.told(map[string]string{"r1": "run:r1:1"})
	b.put(outcome("r1", 2), outcome("r2", 1))
	b.told(map[string]string{"r1": "run:r1:2", "r2": "run:r2:1"})
	b.equal(len(b.events(-1, 0)), 3)
}

func inboxTrim(b *inboxBed) {
	b.ok(b.box.Baseline(b.ctx, nil))
	b.put(outcome("r1", 1), outcome("gone", 1), custom(0), outcome("r2", 1))
	tip, err := b.box.Tip(b.ctx)
	b.ok(err)
	b.ok(b.box.Trim(b.ctx, tip-1, func(id string) bool { return id != "gone" }))
	b.equal(b.events(tip-1, 0)[0].Event, outcome("r2", 1))
	last, ok, err := b.box.Told(b.ctx)
	b.ok(err)
	delete(last, "gone") // it may be forgotten, and need not be
	b.equal(ok, true)
	b.equal(last, map[string]string{"r1": "run:r1:1", "r2": "run:r2:1"})
}

func inboxSeq(b *inboxBed) {
	for n := range 50 {
		b.put(custom(n))
	}
	b.ok(b.box.Trim(b.ctx, 49, func(string) bool { return true }))
	b.tip(49)
	b.put(custom(50))
	got := b.events(49, 0)
	b.equal(len(got), 1)
	b.equal(got[0].Event.ID, custom(50).ID)
	b.equal(got[0].Seq > 49, true)
	b.tip(got[0].Seq)
}
