package dispatch

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

func TestJudge(t *testing.T) {
	record := func(s run.Status, code string) RunView {
		return RunView{Record: run.Record{ID: "r", Status: s, FailureCode: code}}
	}
	for name, c := range map[string]struct {
		view RunView
		err  error
		want ending
	}{
		"queued":            {record(run.Queued, ""), nil, endLive},
		"running":           {record(run.Running, ""), nil, endLive},
		"asks a person":     {record(run.PausedHuman, ""), nil, endPaused},
		"paused":            {record(run.PausedOperator, ""), nil, endPaused},
		"finished":          {record(run.Finished, ""), nil, endFinished},
		"failed":            {record(run.Failed, ""), nil, endFailed},
		"transient":         {record(run.Failed, run.CodeTransient), nil, endFailed},
		"timeout":           {record(run.FailedResumable, run.CodeTimeout), nil, endFailed},
		"orphaned":          {record(run.FailedResumable, run.CodeProcessOrphaned), nil, endFailed},
		"command not found": {record(run.Failed, run.CodeLaunchFailed), nil, endFailed},
		"permanent":         {record(run.Failed, run.CodePermanent), nil, endPermanent},
		"a bot's own code":  {record(run.Failed, "BUILD_RED"), nil, endFailed},
		"interrupted":       {record(run.FailedResumable, run.CodeInterrupted), nil, endInterrupted},
		"supervisor lost":   {record(run.Failed, run.CodeSupervisorLost), nil, endTrouble},
		"kill unconfirmed":  {record(run.Failed, run.CodeKillUnconfirmed), nil, endUnprovable},
		"cancelled":         {record(run.Cancelled, ""), nil, endCancelled},
		"unknown status":    {record("dreaming", ""), nil, endUnprovable},
		"unreadable":        {RunView{}, errors.New("bad JSON"), endUnprovable},
		"gone":              {RunView{}, fmt.Errorf("run r: %w", ErrRunGone), endGone},
	} {
		if got, _ := judge(c.view, c.err); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func TestBackoffDoublesUpToItsCap(t *testing.T) {
	for n, want := range map[int]time.Duration{1: 10, 2: 20, 5: 160, 6: 300, 7: 300, 1000: 300} {
		if got := backoff(10*time.Second, n, 300*time.Second); got != want*time.Second {
			t.Errorf("backoff %d is %s, want %ds", n, got, want)
		}
	}
}

func TestJitterIsSmallAndNeverEarly(t *testing.T) {
	due := time.Unix(1000, 0)
	spread := map[time.Duration]bool{}
	for i := range 50 {
		d := fireAt(RetryEntry{IssueID: fmt.Sprint(i), DueAt: due}).Sub(due)
		if d < 0 || d > time.Second {
			t.Fatalf("jitter of %s", d)
		}
		spread[d] = true
	}
	if len(spread) < 25 {
		t.Fatalf("only %d different instants", len(spread))
	}
}

// A clock that is set back does not stop the polling.
func TestPollAfterTheClockWasSetBack(t *testing.T) {
	s := newState(Config{}.withDefaults(), "o", "m")
	now := time.Unix(1_000_000, 0)
	s.step(booted{schema: board.DefaultSchema()}, now)
	s.step(discovered{d: discovery{schema: board.DefaultSchema()}}, now)
	if s.discovering {
		t.Fatal("it looks again at once")
	}
	s.step(woke{}, now.Add(-time.Hour))
	if !s.discovering {
		t.Fatal("it waits for the old poll")
	}
}

func TestDiscoveriesAreSingleFlightAndCoalesce(t *testing.T) {
	s := newState(Config{}.withDefaults(), "o", "m")
	now := time.Unix(1_000_000, 0)
	looks := func(fx []effect) (n int) {
		for _, e := range fx {
			if _, ok := e.(discover); ok {
				n++
			}
		}
		return n
	}
	if n := looks(s.step(booted{schema: board.DefaultSchema()}, now)); n != 1 {
		t.Fatalf("%d looks after the boot", n)
	}
	for range 10 {
		if n := looks(s.step(tickAsked{all: true}, now)); n != 0 {
			t.Fatal("a second look beside the first")
		}
	}
	found := discovered{d: discovery{schema: board.DefaultSchema()}}
	if n := looks(s.step(found, now)); n != 1 {
		t.Fatalf("%d looks for ten requests", n)
	}
	if n := looks(s.step(found, now)); n != 0 {
		t.Fatalf("%d looks for nothing", n)
	}
}

// After trouble one card probes the world; the others follow at once when it
// came through.
func TestOneCardProbesAfterTrouble(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		var tries atomic.Int64
		b.runs.plan = func(Launch) script { return never }
		b.runs.refuse = func(Launch) error { tries.Add(1); return errors.New("disk full") }
		b.cfg.MaxConcurrent = 8
		for range 8 {
			b.card()
		}
		l := b.start()
		l.later(500 * time.Millisecond)
		first := tries.Load() // all that were under way when the trouble began
		l.later(30 * time.Second)
		if after := tries.Load() - first; after < 1 || after > 6 {
			t.Fatalf("%d tries in half a minute", after)
		}
		b.runs.set(func(f *fakeRuns) { f.refuse = nil })
		l.later(2 * time.Minute)
		if s := l.Snapshot(); s.SlotsUsed != 8 {
			t.Fatalf("%d slots in use", s.SlotsUsed)
		}
	})
}

// Two daemons journal a card at once: who comes too late takes only its own
// entry away.
func TestLoserOfARaceLeavesTheWinnersEntry(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		winner := b.start()
		winner.later(time.Second)
		e, _ := b.journal.entry(id)
		loser := e
		loser.Owner, loser.Epoch, loser.RunID = "late", 0, ""
		b.ok(b.journal.Put(t.Context(), loser))
		b.ok(b.journal.Remove(t.Context(), id, "late", loser.Marker))
		if got, ok := b.journal.entry(id); !ok || got != e {
			t.Fatalf("journal %+v", got)
		}
		b.ok(b.journal.Put(t.Context(), loser)) // and it dies before it knows
		b.journal.bury("late")
		winner.kill()
		next := b.start()
		next.later(time.Second)
		if r := next.Snapshot().Running; len(r) != 1 || r[0].RunID != e.RunID {
			t.Fatalf("running %+v", r)
		}
	})
}

func TestStopRunsHandsBackWhatDoesNotRunYet(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.board.Before = func(verb, _ string) error {
			if verb == "Claim" {
				time.Sleep(time.Second)
			}
			return nil
		}
		id := b.card()
		l := b.start()
		l.later(100 * time.Millisecond)
		b.ok(l.StopRuns(t.Context(), "alice"))
		b.settledIn(id, board.StateReady)
		b.launches(id, 0)
	})
}

// The last look, not the look at the board, says which bot a card is given to.
func TestBotOfTheLastLookIsLaunched(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		var changed atomic.Bool
		id := b.card()
		b.board.Before = func(verb, _ string) error {
			if verb == "Get" && changed.CompareAndSwap(false, true) {
				other := "linty"
				_, err := b.board.Update(t.Context(), id, board.Patch{Bot: &other}, board.Cause{})
				b.ok(err)
			}
			return nil
		}
		l := b.start()
		l.later(500 * time.Millisecond)
		if got := b.runs.all()[0].Bot.Slug; got != "linty" {
			t.Fatalf("launched %s", got)
		}
		if got := l.Snapshot().Running[0].Bot; got != "linty" {
			t.Fatalf("shows %s", got)
		}
	})
}

func TestRetryOfACardThatWasTakenAwayWaitsForNothing(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return fails(time.Second, "") }
		id := b.card()
		l := b.start()
		l.later(2 * time.Second)
		b.move(id, board.StateBacklog, board.Cause{})
		l.look()
		if s := l.Snapshot(); len(s.Retries) != 0 || !s.Idle {
			t.Fatalf("retries %+v, idle %v", s.Retries, s.Idle)
		}
		if e := b.ledger.of(id); e.Attempts != 1 {
			t.Fatalf("ledger %+v", e)
		}
		b.move(id, board.StateReady, board.Cause{})
		l.look()
		b.launches(id, 2)
		if got := b.runs.all()[1].Attempt; got != 2 {
			t.Fatalf("attempt %d", got)
		}
	})
}

func TestGoneRunThatWasLaunchedGivesUp(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return never }
		id := b.card()
		first := b.start()
		first.later(time.Second)
		first.kill()
		b.runs.mu.Lock()
		clear(b.runs.runs)
		b.runs.order = nil
		b.runs.mu.Unlock()
		l := b.start()
		l.later(time.Minute)
		b.settledIn(id, board.StateBlocked)
		b.launches(id, 1)
	})
}
