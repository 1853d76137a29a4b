package dispatch

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/board/boardtest"
	"iterion/native/run"
)

// sim is a world with several dispatchers, which lives through one case. Everything
// in it happens on one goroutine, one thing after the other; workers of dispatchers
// only run from one of their calls to the next.
type sim struct {
	c   simCase
	mut simMutant
	cfg Config
	rng *rand.Rand

	board   *boardtest.Memory
	runs    *simRuns
	bots    *fakeBots
	journal *memJournal
	ledger  map[string]RetryEntry
	intent  *memIntent
	spend   *memSpend

	cards           []*simCard
	lives           []*simLife
	offset          time.Duration // of the clock that dispatchers think by
	jumped          bool
	failing         int // calls that fail and change nothing, out of a hundred
	losing          int // writes whose answer is lost
	launches, space int // what fails there, see launch and Prepare

	mu      sync.Mutex
	pending []*simCall
	seq     int
	ids     int

	calmed time.Time // when the trouble was over
	events int64     // checked so far
	bad    string
	trace  []string
}

// simCard is the truth about a card.
type simCard struct {
	id      string
	plan    string
	goings  int
	latest  string    // its newest run
	touched bool      // a person, or its bot, gave a reason to start it over since it was last started
	total   int       // failures that count, ever
	fails   int       // failures that count, since the last success or a person's word
	failed  time.Time // the last one
	final   bool      // it shall not be started again by itself
	holder  board.Fence
	epoch   int64
	gone    bool
}

const simAttempts = 3 // that a card may spend

// play lives through a case and returns what went wrong, if anything, and what
// happened.
func play(t *testing.T, c simCase, m simMutant) (bad string, trace []string) {
	synctest.Test(t, func(*testing.T) {
		s := newSim(c, m)
		s.play()
		s.end()
		bad, trace = s.bad, s.trace
	})
	return bad, trace
}

func newSim(c simCase, m simMutant) *sim {
	s := &sim{
		c: c, mut: m, rng: rand.New(rand.NewPCG(1, 1)), board: boardtest.NewMemory(), bots: &fakeBots{resume: !c.rigid},
		journal: newMemJournal(), ledger: map[string]RetryEntry{}, intent: &memIntent{}, spend: &memSpend{},
		cfg: Config{
			Bot: "hello", MaxConcurrent: 2, MaxAttempts: simAttempts, MaxRetryBackoff: time.Minute,
			PollInterval: time.Minute, Stall: 10 * time.Minute, Lease: 3 * time.Minute,
		}.withDefaults(),
		events: -1,
	}
	s.runs = &simRuns{s: s, by: map[string]*simRun{}, unreadable: map[string]bool{}}
	for i := range simCards {
		draft := board.Issue{ID: fmt.Sprintf("native:0000000%d-0000-4000-8000-000000000000", i), Title: fmt.Sprintf("card %d", i), State: board.StateReady}
		if c.blocks && i == simCards-1 {
			draft.Blockers = []string{s.cards[0].id}
		}
		is, err := s.board.Create(bg, draft, board.Cause{Actor: "alice"})
		if err != nil {
			panic(err)
		}
		card := &simCard{id: is.ID}
		if i < len(c.plans) {
			card.plan = c.plans[i]
		}
		s.cards = append(s.cards, card)
	}
	return s
}

func (s *sim) play() {
	s.start()
	for i, step := range s.c.steps {
		s.rng = rand.New(rand.NewPCG(uint64(step.r), 7))
		s.note("%d: %+v", i, step)
		s.do(step)
		if s.check(); s.bad != "" {
			return
		}
	}
	s.calm()
}

// end lets every life end, so that nothing is left in the bubble.
func (s *sim) end() {
	for _, l := range s.lives {
		l.kill()
	}
	time.Sleep(time.Hour)
	synctest.Wait()
}

func (s *sim) newRunID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	return fmt.Sprintf("run-%02d", s.ids)
}

// calls are the ones that wait, in an order that does not depend on who came first.
func (s *sim) calls() []*simCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.pending, func(a, b *simCall) int {
		return cmp.Or(cmp.Compare(a.life.n, b.life.n), cmp.Compare(a.key, b.key), cmp.Compare(a.seq, b.seq))
	})
	return slices.Clone(s.pending)
}

// take lets a call return.
func (s *sim) take(c *simCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = slices.DeleteFunc(s.pending, func(o *simCall) bool { return o == c })
	close(c.done)
}

func (s *sim) card(id string) *simCard {
	for _, c := range s.cards {
		if c.id == id {
			return c
		}
	}
	return &simCard{}
}

func (s *sim) note(format string, args ...any) {
	s.trace = append(s.trace, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// pass lets time go by, with everything served that can be.
func (s *sim) pass(d time.Duration) {
	until := time.Now().Add(d)
	for s.bad == "" {
		for n := 0; s.bad == "" && s.serve(); n++ {
			if n > 20_000 {
				s.violate("it never comes to rest")
			}
		}
		now := time.Now()
		if s.bad != "" || !now.Before(until) {
			return
		}
		time.Sleep(max(s.next(until).Sub(now), time.Millisecond))
		synctest.Wait()
		s.elapse()
	}
}

// next is the next instant at which something happens by itself.
func (s *sim) next(until time.Time) time.Time {
	soonest := func(t time.Time) {
		if !t.IsZero() && t.Before(until) {
			until = t
		}
	}
	soonest(s.runs.soonest())
	for _, l := range s.lives {
		if !l.dead && !l.stuck {
			soonest(l.wakes)
			soonest(l.ends)
		}
	}
	return until
}

func (s *sim) elapse() {
	now := time.Now()
	s.runs.elapse()
	for _, l := range s.lives {
		switch {
		case l.dead, l.stuck:
		case !l.ends.IsZero():
			if !now.Before(l.ends) {
				l.kill()
			}
		case !now.Before(l.wakes):
			l.turn(woke{})
		}
	}
	s.check()
}

// living returns the lives that take work; n chooses one of them.
func (s *sim) living() []*simLife {
	var out []*simLife
	for _, l := range s.lives {
		if !l.dead && !l.stuck && l.ends.IsZero() {
			out = append(out, l)
		}
	}
	return out
}

// do makes one step happen.
func (s *sim) do(st simStep) {
	c := s.cards[st.a%len(s.cards)]
	alive := s.living()
	var life *simLife
	if len(alive) > 0 {
		life = alive[st.a%len(alive)]
	}
	switch st.op {
	case "pass", "wait":
		s.pass(time.Duration(st.n) * time.Millisecond)
	case "hop": // nothing is served meanwhile
		time.Sleep(time.Duration(st.n) * time.Millisecond)
		synctest.Wait()
		s.elapse()
	case "serve", "crash":
		for range st.n {
			s.serve()
		}
		if st.op == "crash" && life != nil {
			life.kill()
		}
	case "start":
		if len(alive) < 3 {
			s.start()
		}
	case "kill":
		if life != nil {
			life.kill()
		}
	case "stop":
		if life != nil {
			life.stop()
		}
	case "suspend":
		if life != nil {
			life.stuck = true
		}
	case "wake":
		s.wake()
	case "look":
		if life != nil {
			life.d.Refresh()
		}
	case "pause", "unpause":
		if life != nil {
			life.turn(setDesired{want: Desired{Desired: map[string]string{"pause": DesiredPaused, "unpause": DesiredRunning}[st.op], Reason: "lunch"}, reply: make(chan error, 1)})
		}
	case "jump":
		s.offset += time.Duration(st.n*2-3600) * time.Second
		s.jumped = true
	case "fail":
		s.failing = st.n
	case "lose":
		s.losing = st.n
	case "mend":
		s.failing, s.losing = 0, 0
	case "launches":
		s.launches = st.n
	case "space":
		s.space = st.n
	case "spend":
		s.spent(st.n)
	default:
		s.people(st, c, life)
	}
}

// wake lets every life that was suspended go on.
func (s *sim) wake() {
	for _, l := range s.lives {
		l.stuck = false
	}
}

func (s *sim) spent(n int) {
	switch n {
	case 1:
		s.spend.set(Spending{TotalUSD: 1, CapUSD: 1, Reached: true}, nil)
	case 2:
		s.spend.set(Spending{}, fmt.Errorf("the ledger of the day is torn"))
	default:
		s.spend.set(Spending{}, nil)
	}
	for _, l := range s.living() {
		l.d.SpendChanged()
	}
}

// people do what people do to cards and runs.
func (s *sim) people(st simStep, c *simCard, life *simLife) {
	alice := board.Cause{Actor: "alice"}
	is, err := s.board.Get(bg, c.id)
	if err != nil {
		return
	}
	last := s.runs.by[is.LastRunID]
	switch st.op {
	case "move":
		to := []string{board.StateReady, board.StateBacklog, board.StateInProgress, board.StateReview, board.StateDone}[st.n]
		if _, err := s.board.Move(bg, c.id, to, alice); err == nil && to != is.State {
			c.touch()
		}
	case "reopen":
		if _, err := s.board.Reopen(bg, c.id, board.StateReady, alice); err == nil {
			c.touch()
		}
	case "clear":
		if last != nil && last.Record.Status.Final() {
			last.doubt = false // says the person
			_, _ = s.board.Update(bg, c.id, board.Patch{ClearLastRun: true}, alice)
			c.touch()
		}
	case "force":
		_, _ = s.board.ForceRelease(bg, c.id, alice)
		for _, n := range s.runs.by {
			if n.Record.Source.IssueID == c.id {
				n.freed, n.doubt = true, n.doubt && n.Record.ID == is.LastRunID // else nothing tells of it any more
			}
		}
		for _, l := range s.living() {
			if st.n == 1 && l.d.st.cards[c.id] == nil {
				l.d.Refresh() // so that another one takes it
			}
		}
		ended := c.final && last != nil && is.LastRunID == c.latest && last.Record.FailureCode != run.CodePermanent
		c.touch()
		c.touched, c.final = !ended, ended // the card knows that it has ended
	case "delete":
		s.remove(c, is)
	case "comment":
		_, _ = s.board.Comment(bg, c.id, "alice", "hm", alice)
	case "bot":
		slug := []string{"", "nobody"}[st.n]
		_, _ = s.board.Update(bg, c.id, board.Patch{Bot: &slug}, alice)
	default:
		if last != nil {
			s.withRun(st.op, c, last, life)
		}
	}
}

// remove deletes a card for good, as the command does: its run is cancelled first.
func (s *sim) remove(c *simCard, is board.Issue) {
	if n := s.runs.by[is.LastRunID]; n != nil && n.alive() || s.c.blocks {
		return
	}
	if s.board.Delete(bg, c.id, false, board.Cause{Actor: "alice"}) == nil {
		c.gone = true
	}
}

func (s *sim) withRun(op string, c *simCard, n *simRun, life *simLife) {
	id := n.Record.ID
	switch op {
	case "cancel":
		_ = s.runs.stop(id, run.VerbCancel, "alice", "")
		if life != nil {
			life.turn(cancelAsked{runID: id})
		}
	case "hold":
		if s.runs.stop(id, run.VerbPause, "alice", run.PauseOperator) == nil && life != nil {
			life.turn(pauseAsked{runID: id})
		}
	case "answer":
		n.Answered = n.Record.Status == run.PausedHuman
	case "resume":
		if v, err := s.runs.inspect(id); err == nil && resumable(v) == nil && life != nil {
			c.touch()
			life.turn(resumeAsked{view: v, by: "alice", reply: make(chan error, 1)})
		}
	case "orphan":
		n.Supervised = n.Supervised && n.Record.Status != run.Running
	case "unreadable":
		s.runs.unreadable[id] = true
	case "readable":
		clear(s.runs.unreadable)
	}
}

// touch is a person's word that the card may be worked on anew.
func (c *simCard) touch() { c.touched, c.fails, c.final = true, 0, false }

// learn notes what an ending means for the card's next start.
func (c *simCard) learn(to run.Status, code string) {
	switch {
	case to == run.Finished:
		c.fails, c.final = 0, true
	case to == run.Cancelled, code == run.CodeKillUnconfirmed:
		c.final = true
	case code == run.CodePermanent:
		c.fail()
		c.final = true
	case code == run.CodeSupervisorLost, code == run.CodeInterrupted, code == run.CodeQuota:
	default:
		c.fail()
	}
}

func (c *simCard) fail() {
	c.fails++
	c.total++
	c.failed = time.Now()
}
