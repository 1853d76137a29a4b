package dispatch

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"iterion/native/board"
)

// infra is the dispatch-wide pause after trouble of the world around.
type infra struct {
	fails int
	until time.Time
	last  string
}

// infraTrouble pauses every start for a while that doubles from one second. What
// was under way when the trouble began fails with it and counts as one.
func (s *state) infraTrouble(now time.Time, what string) {
	s.trouble(now, what)
	if now.Before(s.infra.until) {
		return
	}
	s.infra.fails++
	s.infra.until = now.Add(backoff(time.Second, s.infra.fails, s.cfg.MaxInfrastructureWait))
	s.infra.last = what
}

// tick asks for a look at the board when one is due and none is under way.
func (s *state) tick(now time.Time) []effect {
	if !s.booted || s.draining {
		return nil
	}
	if !now.Before(s.nextPoll) || s.nextPoll.After(now.Add(s.cfg.PollInterval)) { // the clock may be set back
		s.wanted = true
		clear(s.refusals)
	}
	if !s.wanted || s.discovering || now.Before(s.discoverAt) {
		return nil
	}
	s.wanted, s.discovering = false, true
	s.nextPoll = now.Add(s.cfg.PollInterval)
	clear(s.touched)
	return append(s.probeHolds(), s.discovery())
}

func (s *state) discovery() discover {
	e := discover{cfg: s.cfg, owner: s.owner, marker: s.marker}
	for _, id := range sorted(s.cards) {
		if c := s.cards[id]; c.phase == PhaseRunning || c.phase == PhaseStopping {
			e.watch = append(e.watch, watched{
				issueID: id, runID: c.runID, placed: c.placed, fence: c.fence, seq: c.seq,
			})
		}
	}
	e.retries = sorted(s.retries)
	return e
}

// onTickAsked serves Refresh and Nudge.
func (s *state) onTickAsked(m tickAsked) []effect {
	var fx []effect
	if m.spend && !s.lookingAtSpend {
		s.lookingAtSpend = true
		fx = append(fx, lookAtSpend{})
	}
	if !m.all && len(m.ids) == 0 {
		return fx
	}
	s.wanted = true
	if m.all {
		clear(s.refusals)
	}
	for id := range m.ids {
		delete(s.refusals, id)
	}
	return fx
}

// onDiscovered reconciles what is ours with what was seen, then walks.
func (s *state) onDiscovered(m discovered, now time.Time) []effect {
	s.discovering = false
	if m.err != nil {
		s.discoverFails++
		s.discoverAt = now.Add(backoff(time.Second, s.discoverFails, s.cfg.PollInterval))
		s.wanted = true
		s.trouble(now, "look at the board: "+m.err.Error())
		return nil
	}
	s.discoverFails, s.lastTick = 0, now
	fx := s.learnColumns(m.d.schema)
	s.tip = m.d.tip
	s.pool = slices.DeleteFunc(m.d.candidates, func(c candidate) bool { return s.touched[c.Issue.ID] })
	s.learnLedger(m.d.ledger) // before cards are taken over, whose entries others wrote
	fx = append(fx, s.onAdopted(m.d, now)...)
	s.nameBroken(m.d.broken, now)
	s.learnBudget(m.d.budget, now)
	fx = append(fx, s.reconcile(m.d, now)...)
	fx = append(fx, s.pauseForCap()...)
	fx = append(fx, s.markAside()...)
	fx = append(fx, s.forgetRetries(m.d)...)
	fx = append(fx, s.freeStrays(m.d.strays, now)...)
	fx = append(fx, s.dropStale(m.d)...)
	s.pruneRefusals()
	return append(fx, s.walk(now)...)
}

func (s *state) learnColumns(schema board.Schema) []effect {
	s.columns = columnsOf(schema)
	var fx []effect
	for _, target := range []struct{ what, name, consequence string }{
		{"completed_state", s.cfg.CompletedState, "cards stay where they are after a clean run and are held there"},
		{"failed_state", s.cfg.FailedState, "no card ever gives up, failing ones are tried for ever"},
	} {
		switch {
		case target.name == None:
			fx = append(fx, s.warn(fmt.Sprintf("agent.%s is none: %s", target.what, target.consequence))...)
		case !s.columns.has(target.name):
			fx = append(fx, s.warn(fmt.Sprintf("agent.%s is %s, which the board does not have: %s",
				target.what, target.name, target.consequence))...)
		}
	}
	if s.cfg.RunningState != None && !s.columns.has(s.cfg.RunningState) {
		fx = append(fx, s.warn(fmt.Sprintf("agent.running_state is %s, which the board does not have: running cards stay in their column",
			s.cfg.RunningState))...)
	}
	return fx
}

// completedColumn and failedColumn are empty when cards are not filed there.
func (s *state) completedColumn() string { return s.column(s.cfg.CompletedState) }
func (s *state) failedColumn() string    { return s.column(s.cfg.FailedState) }

func (s *state) column(name string) string {
	if name == None || !s.columns.has(name) {
		return ""
	}
	return name
}

// pruneRefusals forgets refusals of cards that changed or left.
func (s *state) pruneRefusals() {
	at := make(map[string]time.Time, len(s.pool))
	for i := range s.pool {
		at[s.pool[i].Issue.ID] = s.pool[i].Issue.UpdatedAt
	}
	for id, r := range s.refusals {
		if updated, ok := at[id]; !ok || !updated.Equal(r.updatedAt) {
			delete(s.refusals, id)
		}
	}
}

func (s *state) factsOf(c candidate, now time.Time) facts {
	f := facts{world: s.world(c.Issue.ID, c.Issue.State), candidate: c, now: now}
	f.kept = s.kept(now)
	return f
}

func (s *state) world(issueID, column string) world {
	w := world{
		cfg: s.cfg, marker: s.marker, columns: s.columns, desired: s.desired, budget: s.budget,
		stopping: s.stopping || s.draining, booting: !s.booted, bootErr: s.bootErr,
		slots: s.slotsUsed(), slotsHere: s.slotsOf(column),
		infra: s.infra, starting: s.infra.fails > 0 && s.starting(),
	}
	if e, ok := s.retries[issueID]; ok {
		w.retry, w.retryAt = e, fireAt(e)
	}
	if r, ok := s.refusals[issueID]; ok {
		w.refusal = &r
	}
	if c := s.cards[issueID]; c != nil {
		own := *c
		w.own = &own
	}
	return w
}

// fireAt is when a retry wakes: its due instant and some more, up to what the bot
// wants or a tenth of the first backoff, so that cards which failed together do not
// return together. The spread is a hash, so that the step stays pure.
func fireAt(e RetryEntry) time.Time {
	if e.DueAt.IsZero() {
		return time.Time{}
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%s/%d/%d/%d", e.IssueID, e.Attempts, e.Uncounted, e.QuotaWaits)
	most := firstBackoff / 10
	if e.JitterMS > 0 {
		most = time.Duration(e.JitterMS) * time.Millisecond
	}
	return e.DueAt.Add(time.Duration(h.Sum32()%1000) * (most / 1000))
}

// start reserves the slot and hands the card to a worker.
func (s *state) start(cand candidate, now time.Time) effect {
	c := &card{
		issue: cand.Issue, bot: cand.Bot, phase: PhaseClaiming, slot: true,
		source: cand.Issue.State, placed: cand.Issue.State,
		attempt: s.retries[cand.Issue.ID].Attempts + 1,
		seq:     s.tip, since: now,
	}
	if cand.goesOn() {
		c.resumes, c.outcome = cand.Last.Record.ID, cand.Last.Record.OutcomeSeq
	}
	s.cards[cand.Issue.ID] = c
	s.touched[cand.Issue.ID], s.cardsDue = true, false
	return startCard{startJob{
		cfg: s.cfg, columns: s.columns, cand: cand, attempt: c.attempt, marker: s.marker,
		retry: s.retries[cand.Issue.ID], ledgerV: s.noted[cand.Issue.ID],
		entry: JournalEntry{
			IssueID: cand.Issue.ID, Identifier: board.ShortID(cand.Issue.ID), Marker: s.marker,
			Owner: s.owner, WorkspaceRoot: s.cfg.WorkspaceRoot, Phase: PhaseClaiming,
			SourceState: c.source, Attempt: c.attempt, Seq: s.tip,
		},
	}}
}

// wakeAt is the next instant at which something is due by itself.
func (s *state) wakeAt(now time.Time) time.Time {
	next := now.Add(30 * time.Second) // a timer never sleeps longer without looking at the clock
	soonest := func(t time.Time) {
		if t.After(now) && t.Before(next) {
			next = t
		}
	}
	if !s.booted {
		soonest(s.bootAt)
		return next
	}
	soonest(s.nextPoll)
	soonest(s.discoverAt)
	soonest(s.infra.until)
	for _, e := range s.retries {
		soonest(fireAt(e))
	}
	for _, c := range s.cards {
		soonest(c.planAt)
		soonest(c.goAt)
	}
	for _, d := range s.directs {
		soonest(d.goAt)
	}
	for _, at := range s.asking {
		soonest(at.Add(askAgain))
	}
	return next
}

// onWoke does what has come due.
func (s *state) onWoke(now time.Time) []effect {
	if !s.booted {
		return s.bootAgain(now)
	}
	var fx []effect
	for _, id := range sorted(s.cards) {
		if c := s.cards[id]; c.plan != nil && !c.planAt.IsZero() && !now.Before(c.planAt) {
			c.planAt = time.Time{}
			fx = append(fx, settle{plan: *c.plan})
		}
	}
	if s.due(now) {
		s.wanted = true
	}
	return fx
}

// due reports whether a retry or the end of a pause came due since the last look.
func (s *state) due(now time.Time) bool {
	passed := func(t time.Time) bool { return !t.IsZero() && !now.Before(t) && t.After(s.lastTick) }
	if passed(s.infra.until) {
		return true
	}
	for id, e := range s.retries {
		if s.cards[id] == nil && passed(fireAt(e)) {
			return true
		}
	}
	for _, c := range s.cards {
		if c.readyToGo() && passed(c.goAt) {
			return true
		}
	}
	for _, d := range s.directs {
		if passed(d.goAt) {
			return true
		}
	}
	for _, at := range s.asking { // what was kept for it is the cards' now
		if passed(at.Add(askAgain)) {
			return true
		}
	}
	return false
}
