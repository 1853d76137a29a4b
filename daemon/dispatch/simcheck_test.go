package dispatch

import (
	"fmt"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// violate notes the first promise that was broken.
func (s *sim) violate(format string, args ...any) {
	if s.bad == "" {
		s.bad = fmt.Sprintf(format, args...)
		s.note("BROKEN %s", s.bad)
	}
}

// check holds the promises against everything that was written since the last
// check, and against the lives as they stand.
func (s *sim) check() {
	if s.bad != "" {
		return
	}
	events, _ := s.board.Events(bg, s.events, 0)
	for _, e := range events {
		s.events = e.Seq
		if c := s.card(e.IssueID); c.id != "" {
			s.checkOwner(c, e)
			s.checkCause(c, e)
		}
	}
	held := map[board.Fence]int{}
	for _, l := range s.lives {
		if l.dead {
			continue
		}
		for _, c := range l.d.st.cards {
			if c.fence.Epoch == 0 || c.lost {
				continue
			}
			key := board.Fence{Marker: c.issue.ID + c.fence.Marker, Epoch: c.fence.Epoch}
			if other := held[key]; other != 0 {
				s.violate("I1: lives %d and %d both hold %s as %+v", other, l.n, short(c.issue.ID), c.fence)
			}
			held[key] = l.n
		}
	}
}

// checkOwner: at most one holder at any time, and the epoch only grows (I1).
func (s *sim) checkOwner(c *simCard, e board.Event) {
	switch e.Type {
	case board.EventIssueClaimed:
		if c.holder.Marker != "" {
			s.violate("I1: %s is claimed by %s while %s holds it", short(c.id), e.Payload.Marker, c.holder.Marker)
		}
		if e.Payload.Epoch <= c.epoch {
			s.violate("I1: epoch of %s goes from %d to %d", short(c.id), c.epoch, e.Payload.Epoch)
		}
		c.holder, c.epoch = board.Fence{Marker: e.Payload.Marker, Epoch: e.Payload.Epoch}, e.Payload.Epoch
	case board.EventIssueReleased:
		c.holder = board.Fence{}
	}
	if m := e.Payload.Marker; e.Type == board.EventIssueStateChanged && m != "" && m != c.holder.Marker {
		s.violate("I1: %s is filed by %s while %q holds it", short(c.id), m, c.holder.Marker)
	}
}

// checkCause: every event says who made it, and a machine's filing says why, in
// words that are true (I9).
func (s *sim) checkCause(c *simCard, e board.Event) {
	p := e.Payload
	if p.ByActor == "" {
		s.violate("I9: nobody is named for %s of %s", e.Type, short(c.id))
	}
	if p.ByActor != Actor || e.Type != board.EventIssueStateChanged {
		return
	}
	n := s.runs.by[c.latest]
	switch {
	case p.ByRun != "":
		s.violate("I9: the dispatcher files %s in the name of run %s", short(c.id), p.ByRun)
	case p.To == s.cfg.CompletedState && p.Reason == "",
		p.To == s.cfg.FailedState && p.Reason != board.ReasonRunFailed && p.Reason != board.ReasonLaunchRefused,
		p.Reason == board.ReasonRunFailed && n == nil,
		p.To == s.cfg.AwaitingInputState && p.Reason != "",
		p.To == s.cfg.RunningState && p.From == board.StateReady && p.Reason != "":
		s.violate("I9: %s goes from %s to %s with reason %q", short(c.id), p.From, p.To, p.Reason)
	case p.Reason == board.ReasonRunFinished && (n == nil || n.Record.Status != run.Finished):
		s.violate("I9: %s is filed as finished by run %s, which is not", short(c.id), c.latest)
	}
}

// checkStep: nothing is started while something says that nothing shall start.
func (s *sim) checkStep(l *simLife, fx []effect) {
	for _, e := range fx {
		start, ok := e.(startCard)
		if !ok {
			continue
		}
		if j, ok := start.job.(goOnJob); ok && j.joins {
			continue
		}
		st := l.d.st
		switch {
		case st.paused():
			s.violate("life %d starts %s while paused", l.n, short(start.job.id()))
		case st.draining:
			s.violate("life %d starts %s while it ends", l.n, short(start.job.id()))
		case st.budget.Reached || !st.budget.known:
			s.violate("life %d starts %s at the cap", l.n, short(start.job.id()))
		case st.slotsUsed() > s.cfg.MaxConcurrent:
			s.violate("life %d starts %s beyond its %d slots", l.n, short(start.job.id()), s.cfg.MaxConcurrent)
		}
	}
}

// checkStart judges the start of a run by the truth about its card.
func (s *sim) checkStart(by *simLife, issueID, runID string, anew bool) {
	c := s.card(issueID)
	for _, id := range s.runs.order {
		if n := s.runs.by[id]; id != runID && n.Record.Source.IssueID == issueID && n.alive() {
			s.violate("I3: life %d starts %s of %s beside %s, which is %s", by.n, runID, short(issueID), id, n.Record.Status)
		}
	}
	if is, err := s.board.Get(bg, issueID); err == nil && len(board.OpenBlockers(is, func(id string) (board.Issue, error) { return s.board.Get(bg, id) })) > 0 {
		s.violate("life %d starts %s, which is blocked", by.n, short(issueID))
	}
	if c.touched || !anew {
		return
	}
	switch {
	case c.final:
		s.violate("life %d starts %s again after %s had ended it, and nobody asked for it", by.n, short(issueID), c.latest)
	case c.fails >= simAttempts:
		s.violate("life %d starts %s after %d failures", by.n, short(issueID), c.fails)
	case c.fails > 0 && !s.jumped && time.Since(c.failed) < backoff(firstBackoff, c.fails, s.cfg.MaxRetryBackoff):
		s.violate("life %d starts %s %s after failure %d", by.n, short(issueID), time.Since(c.failed), c.fails)
	}
}

// checkLedger: no failure is counted that did not happen, and none twice.
func (s *sim) checkLedger() {
	for _, c := range s.cards {
		if n := s.ledger[c.id].Attempts; n > c.total {
			s.violate("%s spent %d attempts with %d failures", short(c.id), n, c.total)
		}
	}
}

// calm ends all trouble and lets time pass: then every card must come to rest, with
// a reason to be read (I6).
func (s *sim) calm() {
	s.note("calm")
	s.calmed = time.Now()
	s.failing, s.losing, s.launches, s.space = 0, 0, 0, 0
	clear(s.runs.unreadable)
	s.spent(0)
	s.wake()
	if len(s.living()) == 0 {
		s.start()
	}
	for _, l := range s.living() {
		l.turn(setDesired{want: Desired{Desired: DesiredRunning}, reply: make(chan error, 1)})
	}
	var why string
	for range 60 {
		if s.pass(4 * time.Minute); s.bad != "" {
			return
		}
		if why = s.unsettled(); why == "" {
			return
		}
	}
	s.violate("I6: %s", why)
}

// unsettled names a card that is not at rest, or nothing.
func (s *sim) unsettled() string {
	for _, l := range s.living() {
		if n := l.d.Snapshot().SlotsUsed; n != 0 {
			return fmt.Sprintf("life %d uses %d slots for ever", l.n, n)
		}
	}
	for _, c := range s.cards {
		is, err := s.board.Get(bg, c.id)
		if err != nil {
			continue
		}
		if why := s.restless(c, is); why != "" {
			return fmt.Sprintf("%s in %s, claimed by %q: %s", short(c.id), is.State, is.Claim, why)
		}
	}
	return ""
}

func (s *sim) restless(c *simCard, is board.Issue) string {
	for _, id := range s.runs.order {
		if n := s.runs.by[id]; n.Record.Source.IssueID == c.id && n.Record.Status == run.Running && (n.Supervised || is.Claim != "") {
			return id + " runs for ever"
		}
	}
	if is.Claim != "" {
		return s.unheld(is)
	}
	if e, ok := s.journal.entry(c.id); ok {
		return fmt.Sprintf("the journal still has %+v", e)
	}
	if n := s.runs.by[c.latest]; n != nil && !c.touched && !n.freed {
		switch {
		case n.Record.Status.Paused():
			return "nobody looks after its paused run " + c.latest
		case n.Record.Status == run.Finished && is.State == s.cfg.RunningState:
			return "it is not filed although " + c.latest + " has finished"
		}
	}
	if is.State == s.cfg.FailedState && !c.touched && c.fails > 0 && (is.GivenUp() == nil || is.GivenUp().Reason == "") {
		return "it gave up and does not say why"
	}
	if !columnsOf(board.DefaultSchema()).eligible(is.State) {
		return ""
	}
	for _, l := range s.living() {
		if !l.explains(c.id) {
			return fmt.Sprintf("life %d does not say why it waits: %+v", l.n, l.d.Snapshot())
		}
	}
	return ""
}

// explains reports whether a card that nobody holds waits for a person, with a reason.
func (l *simLife) explains(id string) bool {
	for _, q := range l.d.Snapshot().Queue {
		if q.IssueID == id {
			switch q.Guard {
			case "last run", "operator cancel", "bot", "blockers":
				return q.Reason != ""
			}
		}
	}
	return false
}

// unheld says what is wrong with a claimed card at rest.
func (s *sim) unheld(is board.Issue) string {
	for _, l := range s.living() {
		c := l.d.st.cards[is.ID]
		if c == nil || c.fence != is.Fence() {
			continue
		}
		n := s.runs.by[c.runID]
		switch {
		case n == nil:
			return "it is held for a run that does not exist: " + c.reason
		case c.reason == "":
			return "it is held for no reason"
		case c.phase == PhaseParked && is.ClaimLeaseUntil.Before(time.Now()):
			return "its claim was not renewed"
		case c.phase == PhaseParked && n.Record.Status.Paused() && !c.readyToGo():
			return ""
		case c.phase == PhaseHeld && (n.Record.Status == run.Cancelled || n.Record.FailureCode == run.CodeKillUnconfirmed):
			return ""
		}
		return fmt.Sprintf("it is %s by life %d although %s is %s (%s)", c.phase, l.n, c.runID, n.Record.Status, c.reason)
	}
	return "nobody alive holds it"
}
