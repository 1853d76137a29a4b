package dispatch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// The simulation plays random histories: people move, clear, cancel, answer, pause
// and steal cards while daemons die at any point, the store fails now and then and
// the money runs out. After
// each, the world is left to heal, and every card must be where a disposition
// puts it, with a reason to be read.
func TestI6_RandomHistoriesEndSettled(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 40
	}
	for seed := range n {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				s := &simulation{bed: b, rand: rand.New(rand.NewPCG(uint64(seed), 1))}
				s.play(t)
			})
		})
	}
}

type simulation struct {
	*bed
	rand    *rand.Rand
	failing atomic.Int64 // verbs that fail out of a hundred
	dice    atomic.Uint64
	cards   []string
	lives   []*life
	log     []string
}

func (s *simulation) play(t *testing.T) {
	s.cfg.MaxConcurrent, s.cfg.MaxAttempts = 2, 3
	s.bots.resume = s.rand.IntN(3) > 0
	s.runs.plan = func(Launch) script { return s.script() }
	s.runs.goOn = func(Resume) script { return s.script() }
	s.board.Before = s.trouble
	for range 5 {
		s.cards = append(s.cards, s.card())
	}
	s.lives = []*life{s.start()}
	for range 40 {
		time.Sleep(time.Duration(s.rand.IntN(4000)) * time.Millisecond)
		s.event(t)
	}
	s.heal(t)
	s.judge(t)
}

// trouble fails some calls. It is asked from many goroutines, so its dice are
// its own.
func (s *simulation) trouble(verb, _ string) error {
	if p := s.failing.Load(); p > 0 && s.dice.Add(7919)%100 < uint64(p) {
		return errors.New(verb + ": disk full")
	}
	return nil
}

// script is called under the lock of the runs, one at a time.
func (s *simulation) script() script {
	roll := s.dice.Add(104729) % 12
	after := time.Duration(roll*700) * time.Millisecond
	switch roll {
	case 0, 1:
		return fails(after, "")
	case 2:
		return fails(after, run.CodeSupervisorLost)
	case 3:
		return fails(after, run.CodePermanent)
	case 4:
		return asks(after)
	case 10:
		return breaks(after)
	case 11:
		return script{after, func(r *run.Record) { r.Status, r.FailureCode = run.FailedResumable, run.CodeQuota }}
	case 5:
		return never
	}
	return finishes(after)
}

// event is one random thing that happens.
func (s *simulation) event(t *testing.T) {
	id := s.cards[s.rand.IntN(len(s.cards))]
	roll := s.rand.IntN(16)
	s.log = append(s.log, fmt.Sprintf("%s event %d on %s", time.Now().Format("04:05.000"), roll, board.ShortID(id)))
	switch roll {
	case 0, 1:
		columns := []string{board.StateReady, board.StateBacklog, board.StateInProgress, board.StateReview}
		_, _ = s.board.Move(t.Context(), id, columns[s.rand.IntN(len(columns))], board.Cause{Actor: "alice"})
	case 2:
		_, _ = s.board.Reopen(t.Context(), id, board.StateReady, board.Cause{Actor: "alice"})
	case 3:
		s.clearLastRun(t, id)
	case 4, 5:
		s.crash()
	case 6:
		s.failing.Store(int64(s.rand.IntN(40)))
	case 7:
		s.failing.Store(0)
	case 8:
		_, _ = s.board.ForceRelease(t.Context(), id, board.Cause{Actor: "alice"})
	case 9:
		s.cancelRun(t, id)
	case 10:
		s.orphanRun(t, id)
	case 11:
		s.answerRun(t, id)
	case 12:
		s.lastRun(t, id, func(runID string) { _ = s.newest().PauseRun(t.Context(), runID, "alice") })
	case 13:
		s.lastRun(t, id, func(runID string) { _ = s.newest().ResumeRun(t.Context(), runID, "alice") })
	case 14:
		s.spend.set(Spending{TotalUSD: 1, CapUSD: 1, Reached: s.rand.IntN(2) == 0}, nil)
		s.newest().SpendChanged()
	default:
		s.newest().Refresh()
	}
}

func (s *simulation) newest() *life { return s.lives[len(s.lives)-1] }

// crash kills the daemon, or lets it die at its next passing of a random point.
func (s *simulation) crash() {
	points := faultPoints()
	s.newest().kill()
	s.lives = append(s.lives, s.start(points[s.rand.IntN(len(points))]))
	if s.rand.IntN(3) == 0 { // another one beside it
		s.lives = append(s.lives, s.start())
	}
}

// clearLastRun does what the command does: it is refused while the run is alive.
func (s *simulation) clearLastRun(t *testing.T, id string) {
	is, err := s.board.Get(t.Context(), id)
	if err != nil || is.LastRunID == "" {
		return
	}
	if v, err := s.runs.Inspect(t.Context(), is.LastRunID); err == nil && v.Record.Status.Final() {
		_, _ = s.board.Update(t.Context(), id, board.Patch{ClearLastRun: true}, board.Cause{})
	}
}

func (s *simulation) cancelRun(t *testing.T, id string) {
	if is, err := s.board.Get(t.Context(), id); err == nil && is.LastRunID != "" {
		_ = s.runs.Stop(t.Context(), is.LastRunID, run.VerbCancel, "alice", "")
	}
}

func (s *simulation) lastRun(t *testing.T, id string, do func(runID string)) {
	if is, err := s.board.Get(t.Context(), id); err == nil && is.LastRunID != "" {
		do(is.LastRunID)
	}
}

func (s *simulation) answerRun(t *testing.T, id string) {
	s.lastRun(t, id, func(runID string) {
		if v, err := s.runs.Inspect(t.Context(), runID); err == nil && v.Record.Status == run.PausedHuman {
			s.runs.answer(runID)
		}
	})
}

func (s *simulation) orphanRun(t *testing.T, id string) {
	if is, err := s.board.Get(t.Context(), id); err == nil && is.LastRunID != "" {
		s.runs.orphan(is.LastRunID)
		s.runs.edit(is.LastRunID, func(*run.Record) {}) // whoever waits sees it
	}
}

// heal ends the trouble, leaves one daemon, ends every run, and waits.
func (s *simulation) heal(*testing.T) {
	s.failing.Store(0)
	s.spend.set(Spending{}, nil)
	for _, l := range s.lives {
		l.kill()
	}
	s.runs.mu.Lock()
	s.runs.plan = func(Launch) script { return finishes(time.Second) }
	s.runs.goOn = func(Resume) script { return finishes(time.Second) }
	ids := append([]string{}, s.runs.order...)
	s.runs.mu.Unlock()
	for _, id := range ids {
		s.runs.edit(id, func(r *run.Record) { r.Status = run.Finished })
	}
	s.lives = []*life{s.start()}
	s.newest().later(time.Hour)
}

func (s *simulation) judge(t *testing.T) {
	if len(s.runs.doubled) > 0 {
		t.Fatalf("second live runs for %v\n%s", s.runs.doubled, s.history())
	}
	snap := s.newest().Snapshot()
	explained := map[string]bool{}
	for _, h := range append(snap.Held, snap.Parked...) {
		explained[h.IssueID] = h.Reason != ""
	}
	for _, q := range snap.Queue {
		explained[q.IssueID] = q.Guard == "last run" || q.Guard == "operator cancel"
	}
	if !snap.Idle || snap.SlotsUsed != 0 {
		t.Fatalf("not idle: %+v\n%s", snap, s.history())
	}
	for _, id := range s.cards {
		is := s.get(id)
		_, journalled := s.journal.entry(id)
		eligible := is.State == board.StateReady || is.State == board.StateInProgress
		if (is.Claim != "" || eligible || journalled) && !explained[id] {
			t.Fatalf("card %s is in %s, claimed by %q, journalled %v, and nothing says why\n%+v\n%s",
				board.ShortID(id), is.State, is.Claim, journalled, snap, s.history())
		}
	}
}

func (s *simulation) history() string {
	out := ""
	for _, line := range s.log {
		out += line + "\n"
	}
	return out
}

// A walk over a big board must stay far below what a person notices.
func BenchmarkTickThinking(b *testing.B) {
	cols := columnsOf(board.DefaultSchema())
	issues := bigBoard(10_000, 500)
	cfg := Config{Bot: "hello"}.withDefaults()
	all := among(byID(issues))
	b.ReportAllocs()
	for b.Loop() {
		picked := pick(cfg, cols, all, issues)
		s := newState(cfg, "o", "m")
		s.booted, s.discovering, s.columns = true, true, cols
		if fx := s.step(discovered{d: discovery{schema: board.DefaultSchema(), candidates: picked, budget: budget{known: true}}}, time.Now()); len(fx) == 0 {
			b.Fatal("nothing started")
		}
		if snap := s.snapshot(time.Now()); len(snap.Queue) != 496 {
			b.Fatalf("%d cards wait", len(snap.Queue))
		}
	}
}

func bigBoard(n, ready int) []board.Issue {
	issues := make([]board.Issue, n)
	for i := range issues {
		issues[i] = board.Issue{ID: fmt.Sprintf("native:%08d-0000", i), Title: "card", State: board.StateBacklog,
			Priority: i % 5, CreatedAt: time.Unix(int64(i*7919%n), 0)}
		if i < ready {
			issues[i].State = board.StateReady
			issues[i].Blockers = nil
		}
	}
	return issues
}

// The same messages lead to the same state and effects.
func TestStepIsPure(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	think := func() string {
		s := newState(Config{Bot: "hello"}.withDefaults(), "o", "m")
		fx := s.step(booted{schema: board.DefaultSchema()}, now)
		found := discovery{schema: board.DefaultSchema(), candidates: pick(s.cfg, s.columns, nil, bigBoard(20, 10))}
		fx = append(fx, s.step(discovered{d: found}, now)...)
		return fmt.Sprintf("%v %+v", len(fx), s.snapshot(now))
	}
	first := think()
	for range 20 {
		if again := think(); again != first {
			t.Fatalf("%s\nthen\n%s", first, again)
		}
	}
}
