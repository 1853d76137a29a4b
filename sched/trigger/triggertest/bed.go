package triggertest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"iterion/sched/trigger"
)

// feed is the feed of the suite's events.
const feed = "board"

// start is when the suite begins.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// bed is an outbox under test with ways to say what is expected of it.
type bed struct {
	*testing.T
	ctx context.Context
	box trigger.Outbox
	now time.Time
}

func newBed(t *testing.T, box trigger.Outbox) *bed {
	return &bed{T: t, ctx: t.Context(), box: box, now: start}
}

// row returns a row of the nth event.
func row(n int) trigger.Effect {
	event := fmt.Sprintf("board:%d", n)
	return trigger.Effect{
		ID: trigger.EffectID(event, "sub"), Kind: trigger.EffectLaunch, EventID: event, SubscriptionID: "sub",
		RunID: fmt.Sprintf("run-%d", n), State: trigger.Pending, CreatedAt: start, UpdatedAt: start,
		Event: trigger.Event{
			ID: event, Source: trigger.SourceBoard, Kind: trigger.CardMoved, OccurredAt: start, Labels: []string{"a", "b"},
			Subject: trigger.Subject{Type: "card", ID: "native:1", Title: "ünï\ncode", State: "ready"},
			Payload: map[string]any{"vars": map[string]any{"k": "v"}},
		},
	}
}

// rows returns the rows of the events from first to last.
func rows(first, last int) []trigger.Effect {
	var out []trigger.Effect
	for n := first; n <= last; n++ {
		out = append(out, row(n))
	}
	return out
}

func (b *bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bed) is(err, want error) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Fatalf("error is %v, want one that is %v", err, want)
	}
}

func (b *bed) equal(got, want any) {
	b.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		b.Fatalf("not as expected (-want +got):\n%s", d)
	}
}

func (b *bed) add(at int64, rows ...trigger.Effect) {
	b.Helper()
	b.ok(b.box.Add(b.ctx, feed, at, rows))
}

func (b *bed) claim(limit int) []trigger.Effect {
	b.Helper()
	got, err := b.box.Claim(b.ctx, b.now, limit)
	b.ok(err)
	return got
}

// claimOne claims what must be the only row that is due.
func (b *bed) claimOne() trigger.Effect {
	b.Helper()
	got := b.claim(10)
	if len(got) != 1 {
		b.Fatalf("%d rows are due, want one: %v", len(got), ids(got))
	}
	return got[0]
}

func (b *bed) idle() {
	b.Helper()
	if got := b.claim(10); len(got) > 0 {
		b.Fatalf("rows are due: %v", ids(got))
	}
}

func (b *bed) get(id string) trigger.Effect {
	b.Helper()
	e, err := b.box.Get(b.ctx, id)
	b.ok(err)
	return e
}

func (b *bed) list(q trigger.EffectQuery) []trigger.Effect {
	b.Helper()
	got, err := b.box.List(b.ctx, q)
	b.ok(err)
	return got
}

// state checks what is known of a row that matters to an operator.
func (b *bed) state(id string, want trigger.EffectState, attempts int, lastError string) {
	b.Helper()
	e := b.get(id)
	if e.State != want || e.Attempts != attempts || e.LastError != lastError {
		b.Fatalf("effect is %s after %d attempts (%q), want %s after %d (%q)", e.State, e.Attempts, e.LastError, want, attempts, lastError)
	}
}

func (b *bed) pass(d time.Duration) { b.now = b.now.Add(d) }

func (b *bed) fail(e trigger.Effect, why string) trigger.Effect {
	b.Helper()
	got, err := b.box.Fail(b.ctx, e.ID, e.ClaimID, why, false, b.now)
	b.ok(err)
	return got
}

func ids(rows []trigger.Effect) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}
