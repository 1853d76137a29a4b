package watchdog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/board/boardtest"
	"iterion/native/run"
)

const lease = 15 * time.Minute

// world is a board in memory with one card whose holder is gone.
type world struct {
	*testing.T
	mem      *boardtest.Memory
	oracle   *oracle
	settings Settings
	log      bytes.Buffer
	id       string
}

// oracle knows one run, and what happens to it.
type oracle struct {
	found    Finding
	err      error
	becomes  run.Status // by a promotion
	promoted int
	looks    int
	atLook   map[int]func() // what happens just before a look, by its number from 1
}

func (o *oracle) Recorded(context.Context, board.Issue, board.Fence) (Finding, error) {
	o.looks++
	if f := o.atLook[o.looks]; f != nil {
		f()
	}
	return o.found, o.err
}

func (o *oracle) Promote(_ context.Context, id string) error {
	if id != o.found.RunID {
		return fmt.Errorf("promotion of %q", id)
	}
	o.promoted++
	if o.becomes == "" {
		return errors.New("survivors withstand")
	}
	o.found.Record.Status, o.found.Record.FinishedAt = o.becomes, time.Now()
	return nil
}

// in runs a test in a world of its own, in which no time passes but by waiting.
func in(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, mem: boardtest.NewMemory(), oracle: &oracle{}, settings: Settings{
			Enabled: true, Running: board.StateInProgress, Completed: board.StateReview, Failed: board.StateBlocked, Lease: lease,
		}}
		is, err := w.mem.Create(t.Context(), board.Issue{Title: "a card", State: board.StateReady}, board.Cause{})
		w.must(err)
		w.id = is.ID
		test(w)
	})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) card() board.Issue {
	w.Helper()
	is, err := w.mem.Get(w.Context(), w.id)
	w.must(err)
	return is
}

// claim takes the card for a holder who brings it to a column, and dies.
func (w *world) claim(state string) board.Fence {
	w.Helper()
	is, err := w.mem.Claim(w.Context(), w.id, "holder", lease, board.Cause{})
	w.must(err)
	if state != is.State {
		w.wait(time.Second)
		_, err = w.mem.SetState(w.Context(), w.id, is.Fence(), board.Filing{To: state}, board.Cause{Actor: "dispatcher"})
		w.must(err)
	}
	return is.Fence()
}

// runs gives the card a run in that status; one that has ended did so a minute
// after the claim.
func (w *world) runs(s run.Status) {
	w.Helper()
	w.wait(time.Minute)
	rec := run.Record{ID: "run-1", Status: s, Workdir: "/w", Error: "it broke"}
	if s.Final() {
		rec.FinishedAt = time.Now()
	}
	w.oracle.found = Finding{RunID: rec.ID, Record: rec, Source: board.StateReady, Attempts: 3}
}

// dies is the usual story: claimed, worked on, and the lease ran out.
func (w *world) dies(s run.Status) {
	w.Helper()
	w.claim(board.StateInProgress)
	w.runs(s)
	w.expire()
}

// expire waits until every lease has ended by now.
func (w *world) expire() { w.wait(2*lease + time.Minute) }

func (w *world) wait(d time.Duration) { time.Sleep(d) }

func (w *world) dog(owner string) *Watchdog {
	return New(Options{Board: w.mem, Oracle: w.oracle, Owner: owner, Settings: func() Settings { return w.settings },
		Log: slog.New(slog.NewTextHandler(&w.log, nil))})
}

func (w *world) sweep() { w.dog("one").sweep(w.Context()) }

// stands checks who holds the card, and where.
func (w *world) stands(claim, state, reason string) board.Issue {
	w.Helper()
	is := w.card()
	if is.Claim != claim || is.State != state || is.StateReason != reason {
		w.Fatalf("the card is in %s (%q), held by %q; want %s (%q), %q\n%s", is.State, is.StateReason, is.Claim, state, reason, claim, &w.log)
	}
	return is
}

// untouched checks that nothing at all is written by a sweep.
func (w *world) untouched() {
	w.Helper()
	before, err := w.mem.Tip(w.Context())
	w.must(err)
	is := w.card()
	w.sweep()
	after, err := w.mem.Tip(w.Context())
	w.must(err)
	if before != after || w.card().Claim != is.Claim {
		w.Fatalf("a card that is to be kept was written to\n%s", &w.log)
	}
}

// row checks which row of the table decides about the card as it stands.
func (w *world) row(want string) {
	w.Helper()
	is := w.card()
	schema, err := w.mem.Schema(w.Context())
	w.must(err)
	name, _ := decide(facts{Issue: is, Since: is.ClaimedAt, Found: w.oracle.found, Err: w.oracle.err,
		Now: time.Now(), Settings: w.settings, Schema: schema})
	if name != want {
		w.Errorf("row %q decides, want %q", name, want)
	}
}
