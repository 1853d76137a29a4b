package daemon

import (
	"fmt"
	"testing"
	"time"

	"iterion/daemon/dispatch"
	"iterion/native/board"
)

func TestWhoFiledACardWhereItIs(t *testing.T) {
	b := newLab(t)
	ctx, person := t.Context(), board.Cause{Actor: "ana"}
	bot, ours := board.Cause{Actor: "ana", RunID: "r1"}, board.Cause{Actor: dispatch.Actor}
	is, err := b.store.Create(ctx, board.Issue{Title: "c", State: "ready"}, bot)
	b.must(err)
	want := func(when, run string) {
		t.Helper()
		if got, err := lastFiler(ctx, b.store, is); err != nil || got != run {
			t.Errorf("%s: run %q (%v), want %q", when, got, err, run)
		}
	}
	want("made by a bot", "r1")
	held, err := b.store.Claim(ctx, is.ID, "m", time.Minute, ours)
	b.must(err)
	for _, to := range []string{"in_progress", "ready"} {
		_, err = b.store.SetState(ctx, is.ID, held.Fence(), board.Filing{To: to}, ours)
		b.must(err)
	}
	want("taken and given back by the dispatcher", "r1")
	_, err = b.store.Release(ctx, is.ID, held.Fence(), ours)
	b.must(err)
	for n := range 300 { // more than one window of the log
		_, err = b.store.Create(ctx, board.Issue{Title: fmt.Sprint(n), State: "backlog"}, person)
		b.must(err)
	}
	_, err = b.store.Update(ctx, is.ID, board.Patch{AddLabels: []string{"l"}}, person)
	b.must(err)
	want("a long time later", "r1")
	_, err = b.store.Move(ctx, is.ID, "backlog", person)
	b.must(err)
	want("moved by a person", "")
}
