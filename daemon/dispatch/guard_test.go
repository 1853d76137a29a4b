package dispatch

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// refusing files a card, lets a dispatcher look, and expects that one guard
// keeps the card from being started.
func refusing(t *testing.T, guard string, setup func(b *bed) string) {
	t.Helper()
	inBed(t, func(t *testing.T, b *bed) {
		id := setup(b)
		before := len(b.runs.launched(id))
		l := b.start()
		synctest.Wait()
		l.refusedBy(id, guard)
		l.later(2 * time.Minute)
		l.refusedBy(id, guard)
		b.launches(id, before)
	})
}

func TestGuard00_Column(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := b.card(func(is *board.Issue) { is.State = board.StateInbox })
		l := b.start()
		synctest.Wait()
		verdicts, err := l.Why(t.Context(), id)
		b.ok(err)
		if v := verdicts[0]; v.Guard != guardColumn || v.Answer != AnswerSkip || v.Remedy == "" {
			t.Fatalf("first verdict %+v", v)
		}
	})
}

func TestGuard01_Paused(t *testing.T) {
	refusing(t, guardPaused, func(b *bed) string {
		b.intent.want = Desired{Desired: DesiredPaused, Reason: "not trusted"}
		return b.card()
	})
}

func TestGuard03_Slots(t *testing.T) {
	refusing(t, "slots", func(b *bed) string {
		b.cfg.MaxConcurrent = 1
		b.runs.plan = func(Launch) script { return never }
		b.card(func(is *board.Issue) { is.Priority = 1 })
		return b.card()
	})
}

func TestGuard04_StateSlots(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrentByState = map[string]int{board.StateReady: 1}
		b.runs.plan = func(Launch) script { return never }
		b.card(func(is *board.Issue) { is.Priority = 2 })
		waits := b.card(func(is *board.Issue) { is.Priority = 1 })
		other := b.card(func(is *board.Issue) { is.State = board.StateInProgress })
		l := b.start()
		l.later(time.Minute)
		l.refusedBy(waits, "state slots")
		b.launches(other, 1)
	})
}

func TestGuard05_Claimed(t *testing.T) {
	refusing(t, "claimed", func(b *bed) string {
		id := b.card()
		_, err := b.board.Claim(b.t.Context(), id, "alice", time.Second, board.Cause{})
		b.ok(err)
		return id
	})
}

func TestGuard06_RetryDue(t *testing.T) {
	refusing(t, guardRetry, func(b *bed) string {
		id := b.card()
		b.ledger.entries = map[string]RetryEntry{id: {Attempts: 2, DueAt: time.Now().Add(time.Hour), LastReason: "it broke"}}
		return id
	})
}

func TestGuard08_Bot(t *testing.T) {
	t.Run("does not resolve", func(t *testing.T) {
		refusing(t, "bot", func(b *bed) string { return b.card(func(is *board.Issue) { is.Bot = "nobody" }) })
	})
	t.Run("none and no default", func(t *testing.T) {
		refusing(t, "bot", func(b *bed) string {
			b.cfg.Bot = ""
			return b.card()
		})
	})
	t.Run("by assignee", func(t *testing.T) {
		inBed(t, func(t *testing.T, b *bed) {
			b.cfg.AssigneeBots = map[string]string{"alice": "linty"}
			id := b.card(func(is *board.Issue) { is.Assignee = "alice" })
			b.start().later(time.Second)
			b.launches(id, 1)
			if got := b.runs.all()[0].Bot.Slug; got != "linty" {
				t.Fatalf("launched %s", got)
			}
		})
	})
}

func TestGuard09_Blockers(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		blocker := b.card(func(is *board.Issue) { is.State = board.StateInbox })
		id := b.card(func(is *board.Issue) { is.Blockers = []string{blocker} })
		l := b.start()
		l.later(time.Minute)
		l.refusedBy(id, "blockers")
		b.move(blocker, board.StateDone, board.Cause{})
		l.look()
		l.later(2 * time.Second)
		b.settledIn(id, board.StateReview)
	})
}

// ranBefore files a card whose last run ended, or did not, in some way.
func ranBefore(status run.Status, code string) func(b *bed) string {
	return func(b *bed) string {
		id := b.card()
		b.recordRun(id, status, code)
		return id
	}
}

// recordRun gives a card a run that no dispatcher of this test made.
func (b *bed) recordRun(id string, status run.Status, code string) string {
	b.t.Helper()
	is, err := b.board.Claim(b.t.Context(), id, "earlier", time.Hour, board.Cause{})
	b.ok(err)
	was := b.runs.plan
	b.runs.plan = func(Launch) script { return never }
	runID := run.NewID()
	b.ok(b.runs.Launch(b.t.Context(), Launch{RunID: runID, Bot: Bot{Slug: "hello"}, Issue: is}))
	b.runs.plan = was
	_, err = b.board.SetLastRun(b.t.Context(), id, is.Fence(), board.RunRef{RunID: runID}, board.Cause{})
	b.ok(err)
	_, err = b.board.Release(b.t.Context(), id, is.Fence(), board.Cause{})
	b.ok(err)
	time.Sleep(time.Second)
	b.runs.edit(runID, func(r *run.Record) { r.Status, r.FailureCode = status, code })
	return runID
}

func TestGuard10_LastRun(t *testing.T) {
	for _, status := range []run.Status{run.Queued, run.Running, run.Finished, "of-a-later-version"} {
		t.Run(string(status), func(t *testing.T) { refusing(t, "last run", ranBefore(status, "")) })
	}
	t.Run("kill unconfirmed", func(t *testing.T) {
		refusing(t, "last run", ranBefore(run.Failed, run.CodeKillUnconfirmed))
	})
	t.Run("unreadable", func(t *testing.T) {
		refusing(t, "last run", func(b *bed) string {
			id := ranBefore(run.Failed, "")(b)
			b.runs.inspect = func(string) error { return errDead }
			return id
		})
	})
	t.Run("record gone", func(t *testing.T) {
		refusing(t, "last run", func(b *bed) string {
			id := ranBefore(run.Failed, "")(b)
			b.runs.inspect = func(string) error { return ErrRunGone }
			return id
		})
	})
}

func TestGuard11_OperatorCancel(t *testing.T) {
	refusing(t, "operator cancel", ranBefore(run.Cancelled, ""))
}

func TestGuard12_ClaimConflictGivesTheSlotBack(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		var raced, other string
		b.board.Before = func(verb, id string) error {
			if verb == "Claim" && id == raced {
				return &board.ClaimedError{Issue: board.Issue{ID: id, Claim: "somebody faster"}}
			}
			return nil
		}
		raced = b.card(func(is *board.Issue) { is.Priority = 1 })
		other = b.card()
		l := b.start()
		l.later(5 * time.Second)
		l.refusedBy(raced, guardClaim)
		b.settledIn(other, board.StateReview)
		b.launches(raced, 0)
		if _, ok := b.journal.entry(raced); ok {
			t.Fatal("the journal entry is still there")
		}
	})
}

// A run of the card that its pointer does not name holds it all the same.
func TestGuard13_RunFoundByTheCardsIDHolds(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := b.card()
		b.runs.plan = func(Launch) script { return never }
		b.ok(b.runs.Launch(t.Context(), Launch{RunID: byHand, Issue: b.get(id)}))
		b.runs.edit(byHand, func(r *run.Record) { r.Status = run.PausedHuman })
		l := b.start()
		l.later(time.Minute)
		l.refusedBy(id, "last run")
		b.launches(id, 1)
	})
}

func TestGuard14_WorkspaceInUseDefers(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.spaces.fail = &WorkspaceBusyError{Dir: "/w", By: "pid 7"}
		id := b.card()
		l := b.start()
		synctest.Wait()
		b.settledIn(id, board.StateReady)
		l.refusedBy(id, guardRetry)
		b.spaces.breakWith(nil)
		l.later(time.Minute)
		b.settledIn(id, board.StateReview)
		if e := b.ledger.of(id); e.Attempts != 0 {
			t.Fatalf("it spent an attempt: %+v", e)
		}
	})
}

func TestGuard15_ClaimLostBeforeTheLaunchStartsNothing(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		var stolen atomic.Bool
		b.board.Before = func(verb, id string) error {
			if verb == "SetState" && stolen.CompareAndSwap(false, true) {
				_, err := b.board.ForceRelease(t.Context(), id, board.Cause{})
				b.ok(err)
				_, err = b.board.Claim(t.Context(), id, "thief", time.Hour, board.Cause{})
				b.ok(err)
			}
			return nil
		}
		id := b.card()
		l := b.start()
		l.later(time.Minute)
		b.launches(id, 0)
		if is := b.get(id); is.Claim != "thief" || is.State != board.StateReady {
			t.Fatalf("card in %s, claimed by %s", is.State, is.Claim)
		}
	})
}

func TestGuard15_WithoutARunningColumnTheCardStays(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.RunningState = "doing"
		id := b.card()
		l := b.start()
		l.later(500 * time.Millisecond)
		if is := b.get(id); is.State != board.StateReady || is.Claim == "" {
			t.Fatalf("card in %s, claim %q", is.State, is.Claim)
		}
		l.later(time.Second)
		b.settledIn(id, board.StateReview)
	})
}

func TestGuardsKeepTheirOrder(t *testing.T) {
	var rows []int
	for _, g := range guards() {
		rows = append(rows, g.row)
	}
	if !slices.IsSorted(rows) {
		t.Fatalf("rows %v", rows)
	}
}

func TestExplainWithoutADaemon(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		id := b.card(func(is *board.Issue) { is.Bot = "nobody" })
		verdicts, err := Explain(t.Context(), b.options(func() error { return nil }), id)
		b.ok(err)
		if len(verdicts) != len(guards()) {
			t.Fatalf("%d verdicts", len(verdicts))
		}
		for _, v := range verdicts {
			if want := v.Guard == "bot"; (v.Answer == AnswerSkip) != want {
				t.Errorf("verdict %+v", v)
			}
		}
	})
}

// What a daemon that died was at work with is the next one's: why does not send
// anybody to take it away, and counts its slot.
func TestExplainOfWhatADeadDaemonLeft(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		b.runs.plan = func(l Launch) script {
			if l.Issue.Title == "asks" {
				return asks(time.Second)
			}
			return never
		}
		parked := b.card(func(is *board.Issue) { is.Title, is.Priority = "asks", 1 })
		works := b.card()
		l := b.start()
		l.later(5 * time.Minute)
		l.kill()
		verdict := func(id, guard string) Verdict {
			verdicts, err := Explain(t.Context(), b.options(func() error { return nil }), id)
			b.ok(err)
			return verdicts[slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Guard == guard })]
		}
		for _, id := range []string{parked, works} {
			if v := verdict(id, "claimed"); v.Answer != AnswerSkip || v.Remedy != "iterion daemon" {
				t.Errorf("%+v", v)
			}
		}
		if v := verdict(parked, guardColumn); v.Answer != AnswerPass {
			t.Errorf("%+v", v)
		}
		if v := verdict(b.card(), "slots"); v.Answer != AnswerStop {
			t.Errorf("the live run has no slot: %+v", v)
		}
	})
}

func TestWalkOrder(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.cfg.MaxConcurrent = 1
		old := b.card()
		time.Sleep(time.Second)
		young := b.card()
		urgent := b.card(func(is *board.Issue) { is.Priority = 5 })
		l := b.start()
		l.later(10 * time.Second)
		var order []string
		for _, launch := range b.runs.all() {
			order = append(order, launch.Issue.ID)
		}
		if want := []string{urgent, old, young}; !slices.Equal(order, want) {
			t.Fatalf("order %v, want %v", order, want)
		}
	})
}

// Somebody claims the card between the last look and our claim, starts a run of
// it by hand and lets go: the last look was blind to that run.
func TestI3_RunStartedBetweenTheLastLookAndTheClaimHolds(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(Launch) script { return finishes(time.Minute) }
		var once atomic.Bool
		b.board.Before = func(verb, id string) error {
			if verb == "Claim" && once.CompareAndSwap(false, true) {
				is, err := b.board.Claim(t.Context(), id, "run:alice", time.Minute, board.Cause{})
				b.ok(err)
				b.ok(b.runs.Launch(t.Context(), Launch{RunID: byHand, Issue: is}))
				_, err = b.board.Release(t.Context(), id, is.Fence(), board.Cause{})
				b.ok(err)
			}
			return nil
		}
		id := b.card()
		l := b.start()
		l.later(30 * time.Second)
		b.launches(id, 1)
		b.settledIn(id, board.StateReady)
		l.refusedBy(id, "last run")
		if len(b.runs.doubled) > 0 {
			t.Errorf("cards %v had two live runs", b.runs.doubled)
		}
	})
}

// A run that was started by hand and lost its supervisor is settled by whoever
// wants to start the next one.
func TestLostRunOfACardIsRecoveredBeforeTheNext(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.runs.plan = func(l Launch) script {
			if l.RunID == byHand {
				return never
			}
			return finishes(time.Second)
		}
		id := b.card()
		b.ok(b.runs.Launch(t.Context(), Launch{RunID: byHand, Issue: b.get(id)}))
		b.runs.orphan(byHand)
		b.start().later(time.Minute)
		if rec := b.runs.view(byHand).Record; rec.FailureCode != run.CodeProcessOrphaned {
			t.Errorf("the lost run is %s, code %q", rec.Status, rec.FailureCode)
		}
		b.launches(id, 2)
		b.settledIn(id, board.StateReview)
	})
}
