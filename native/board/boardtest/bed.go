package boardtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"iterion/native/board"
)

const lease = 15 * time.Minute

// alice is who makes the changes of the suite, in a run of her bot.
var alice = board.Cause{Actor: "alice", RunID: "run-1"}

// bed is a store under test with ways to say what is expected of it.
type bed struct {
	*testing.T
	ctx   context.Context
	store board.Store
}

func newBed(t *testing.T, s board.Store) *bed {
	return &bed{T: t, ctx: t.Context(), store: s}
}

func (b *bed) create(draft board.Issue) board.Issue {
	b.Helper()
	if draft.Title == "" {
		draft.Title = "a card"
	}
	i, err := b.store.Create(b.ctx, draft, alice)
	b.ok(err)
	return i
}

func (b *bed) get(id string) board.Issue {
	b.Helper()
	i, err := b.store.Get(b.ctx, id)
	b.ok(err)
	return i
}

func (b *bed) claim(id, marker string) board.Issue {
	b.Helper()
	i, err := b.store.Claim(b.ctx, id, marker, lease, alice)
	b.ok(err)
	return i
}

func (b *bed) move(id, to string) {
	b.Helper()
	_, err := b.store.Move(b.ctx, id, to, alice)
	b.ok(err)
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

// told runs a verb and returns the events that it left.
func (b *bed) told(verb func() error) []board.Event {
	b.Helper()
	tip, err := b.store.Tip(b.ctx)
	b.ok(err)
	b.ok(verb())
	events, err := b.store.Events(b.ctx, tip, 0)
	b.ok(err)
	return events
}

// one runs a verb that must leave exactly one event, of that type and of the
// caller's making, and returns it.
func (b *bed) one(want board.EventType, verb func() error) board.Event {
	b.Helper()
	events := b.told(verb)
	if len(events) != 1 || events[0].Type != want {
		b.Fatalf("events %v, want one %s", types(events), want)
	}
	e := events[0]
	b.equal([]string{e.Payload.ByActor, e.Payload.ByRun}, []string{alice.Actor, alice.RunID})
	if age := time.Since(e.Timestamp); age < -time.Minute || age > time.Hour {
		b.Fatalf("event is dated %s", e.Timestamp)
	}
	return e
}

// none runs a verb that must leave no event.
func (b *bed) none(verb func() error) {
	b.Helper()
	if events := b.told(verb); len(events) > 0 {
		b.Fatalf("events %v, want none", types(events))
	}
}

// refuses runs a verb that must fail with an error that is want, and change
// nothing.
func (b *bed) refuses(want error, verb func() error) {
	b.Helper()
	before := b.snapshot()
	b.none(func() error {
		b.is(verb(), want)
		return nil
	})
	b.equal(b.snapshot(), before)
}

// snapshot returns every card by its id.
func (b *bed) snapshot() map[string]board.Issue {
	b.Helper()
	l, err := b.store.List(b.ctx, board.Query{})
	b.ok(err)
	if len(l.Broken) > 0 {
		b.Fatalf("broken records: %v", l.Broken)
	}
	cards := make(map[string]board.Issue, len(l.Issues))
	for _, i := range l.Issues {
		cards[i.ID] = i
	}
	return cards
}

func types(events []board.Event) []board.EventType {
	var out []board.EventType
	for _, e := range events {
		out = append(out, e.Type)
	}
	return out
}

func ids(cards []board.Issue) []string {
	var out []string
	for _, c := range cards {
		out = append(out, c.ID)
	}
	return out
}

// errOf drops what a verb returns besides its error.
func errOf[T any](_ T, e error) error { return e }

func ptr[T any](v T) *T { return &v }
