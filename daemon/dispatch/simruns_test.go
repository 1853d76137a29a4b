package dispatch

import (
	"encoding/json"
	"fmt"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// simRuns are the runs of a simulation, whose bots do what the case plans. They
// know the truth about every run, also while dispatchers cannot read it, and judge
// each start by it.
type simRuns struct {
	s          *sim
	by         map[string]*simRun
	order      []string
	unreadable map[string]bool
}

type simRun struct {
	RunView
	endAt time.Time // by itself
	end   byte      // what its bot does then
	stops time.Time // on request; zero: not asked
	verb  string
	note  string
	doubt bool // a process of it may still live
	freed bool // its claim was taken away, so that nobody needs to count its failure
}

// alive reports whether nothing may run beside it.
func (r *simRun) alive() bool { return !r.Record.Status.Final() || r.doubt }

func (r *simRuns) launch(by *simLife, l Launch) error {
	s := r.s
	switch s.launches {
	case 1:
		return fmt.Errorf("start the supervisor: resource temporarily unavailable")
	case 2:
		s.card(l.Issue.ID).total++
		return fmt.Errorf("a required input is missing: %w", ErrLaunchRefused)
	}
	if r.by[l.RunID] != nil {
		s.violate("attempt ran twice: run %s is launched again", l.RunID)
		return fmt.Errorf("run %s: %w", l.RunID, run.ErrExists)
	}
	if l.Bot.Slug == "" {
		s.violate("life %d starts %s with a bot that there is not", by.n, short(l.Issue.ID))
	}
	s.checkStart(by, l.Issue.ID, l.RunID, true)
	n := &simRun{RunView: RunView{Record: run.Record{
		ID: l.RunID, Bot: l.Bot.Slug, Status: run.Running, Attempt: l.Attempt, Workdir: l.Workdir,
		Source: run.Source{Kind: run.SourceIssue, IssueID: l.Issue.ID}, CreatedAt: time.Now(),
	}}}
	r.by[l.RunID], r.order = n, append(r.order, l.RunID)
	r.goes(n, l.Stall)
	is, _ := s.board.Get(bg, l.Issue.ID)
	n.freed = is.Fence() != l.Issue.Fence() // taken away in the last moment
	return nil
}

func (r *simRuns) resume(by *simLife, q Resume) error {
	n := r.by[q.RunID]
	if n == nil {
		return fmt.Errorf("run %s: %w", q.RunID, ErrRunGone)
	}
	if err := resumable(n.RunView); err != nil {
		return err
	}
	if r.s.launches == 1 {
		return fmt.Errorf("start the supervisor: resource temporarily unavailable")
	}
	r.s.checkStart(by, n.Record.Source.IssueID, q.RunID, n.Record.Status == run.FailedResumable)
	r.goes(n, q.Stall)
	return nil
}

// goes lets a run run, to the next thing that its card's plan has for it.
func (r *simRuns) goes(n *simRun, stall time.Duration) {
	c := r.s.card(n.Record.Source.IssueID)
	c.touched, c.final, c.latest = false, false, n.Record.ID
	n.end = '.'
	if c.goings < len(c.plan) {
		n.end = c.plan[c.goings]
	}
	c.goings++
	rec := &n.Record
	rec.Status, rec.FailureCode, rec.PauseReason, rec.Awaiting, rec.Error = run.Running, "", "", nil, ""
	rec.StartedAt, rec.FinishedAt, rec.RetryAt = time.Now(), time.Time{}, time.Time{}
	n.Supervised, n.Answered, n.By, n.Note, n.stops, n.doubt, n.freed = true, false, "", "", time.Time{}, false, false
	n.endAt = time.Now().Add(time.Duration(c.goings*1700%9000+300) * time.Millisecond)
	if n.end == 'h' {
		n.endAt = time.Now().Add(stall)
	}
}

// soonest returns when a run does something next, or the zero instant.
func (r *simRuns) soonest() (next time.Time) {
	for _, n := range r.by {
		if n.Record.Status != run.Running || !n.Supervised {
			continue
		}
		for _, t := range []time.Time{n.endAt, n.stops} {
			if !t.IsZero() && (next.IsZero() || t.Before(next)) {
				next = t
			}
		}
	}
	return next
}

// elapse lets everything end that is due.
func (r *simRuns) elapse() {
	now := time.Now()
	for _, id := range r.order {
		n := r.by[id]
		switch {
		case n.Record.Status != run.Running || !n.Supervised:
		case !n.stops.IsZero() && !now.Before(n.stops):
			r.stopped(n)
		case !now.Before(n.endAt):
			r.ends(n)
		}
	}
}

// ends does what the bot was planned to do.
func (r *simRuns) ends(n *simRun) {
	s, id := r.s, n.Record.Source.IssueID
	r.s.note("%s does %c", n.Record.ID, n.end)
	move := func(to string) { _, _ = s.board.Move(bg, id, to, board.Cause{RunID: n.Record.ID, Actor: "bot"}) }
	switch n.end {
	case 'm':
		move(board.StateDone)
		r.become(n, run.Finished, "")
	case 'M':
		move(board.StateBacklog)
		r.become(n, run.Finished, "")
	case 'R':
		move(board.StateReady)
		r.become(n, run.Failed, run.CodeExit)
	case 'f':
		r.become(n, run.Failed, run.CodeExit)
	case 'r':
		r.become(n, run.FailedResumable, run.CodeTransient)
	case 'h':
		is, _ := s.board.Get(bg, id)
		if !s.calmed.IsZero() && time.Since(s.calmed) > 5*time.Minute && is.Claim != "" && !columnsOf(board.DefaultSchema()).eligible(is.State) {
			s.violate("%s runs on although %s was taken to %s", n.Record.ID, short(id), is.State)
		}
		r.become(n, run.Failed, run.CodeStall)
	case 'P':
		r.become(n, run.Failed, run.CodePermanent)
	case 'l':
		r.become(n, run.Failed, run.CodeSupervisorLost)
	case 'i':
		r.become(n, run.Failed, run.CodeInterrupted)
	case 'k':
		is, _ := s.board.Get(bg, id)
		n.doubt = !n.freed || is.LastRunID == n.Record.ID // else nothing tells of it, see people
		r.become(n, run.Failed, run.CodeKillUnconfirmed)
	case 'q':
		r.become(n, run.FailedResumable, run.CodeQuota)
		n.Record.RetryAt = time.Now().Add(r.s.offset + 40*time.Second) // by the clock of the host
	case 'a':
		n.Record.Awaiting = &run.Awaiting{InteractionID: "i1", Questions: json.RawMessage(`{"question":"Ship it?"}`)}
		r.become(n, run.PausedHuman, "")
	default:
		r.become(n, run.Finished, "")
	}
}

func (r *simRuns) stopped(n *simRun) {
	n.Note = n.note
	switch n.verb {
	case run.VerbPause:
		n.Record.PauseReason = n.note
		r.become(n, run.PausedOperator, "")
	case run.VerbStop:
		r.become(n, run.Failed, run.CodeInterrupted)
	default:
		r.become(n, run.Cancelled, "")
	}
}

func (r *simRuns) become(n *simRun, to run.Status, code string) {
	rec := &n.Record
	rec.Status, rec.FailureCode = to, code
	if code != "" {
		rec.Error = "it broke: " + code
	}
	n.stops = time.Time{}
	if !to.Final() {
		return
	}
	n.Supervised, rec.FinishedAt = false, time.Now()
	rec.OutcomeSeq++
	c := r.s.card(rec.Source.IssueID)
	before := c.fails
	if c.learn(to, code); n.freed {
		is, _ := r.s.board.Get(bg, c.id)
		c.fails, c.touched = min(c.fails, before), c.touched || is.LastRunID != rec.ID // the card does not know of it
	}
}

// waited reports whether whoever waits for a run has an answer.
func (r *simRuns) waited(id string) bool {
	n := r.by[id]
	return n == nil || r.unreadable[id] || n.Record.Status != run.Running || !n.Supervised
}

// recovered settles a run that lost its supervisor, and returns it.
func (r *simRuns) recovered(id string) (RunView, error) {
	if n := r.by[id]; n != nil && !r.unreadable[id] && n.Record.Status == run.Running && !n.Supervised {
		r.become(n, run.FailedResumable, run.CodeProcessOrphaned)
	}
	return r.inspect(id)
}

func (r *simRuns) inspect(id string) (RunView, error) {
	n := r.by[id]
	switch {
	case r.unreadable[id]:
		return RunView{}, fmt.Errorf("run %s: input/output error", id)
	case n == nil:
		return RunView{}, fmt.Errorf("run %s: %w", id, ErrRunGone)
	}
	return n.RunView, nil
}

func (r *simRuns) liveOf(issueID string) ([]RunView, error) {
	var live []RunView
	for _, id := range r.order {
		n := r.by[id]
		if n.Record.Source.IssueID != issueID {
			continue
		}
		if r.unreadable[id] {
			return nil, fmt.Errorf("run %s: input/output error", id)
		}
		if !n.Record.Status.Final() {
			live = append(live, n.RunView)
		}
	}
	return live, nil
}

func (r *simRuns) stop(id, verb, by, note string) error {
	n := r.by[id]
	switch {
	case n == nil:
		return fmt.Errorf("run %s: %w", id, ErrRunGone)
	case verb == run.VerbPause && r.s.c.rigid:
		return fmt.Errorf("run %s: %w", id, ErrNotResumable)
	case n.Record.Status.Paused() && verb != run.VerbPause:
		r.become(n, run.Cancelled, "")
	case n.Record.Status == run.Running && n.stops.IsZero():
		n.stops, n.verb, n.note = time.Now().Add(100*time.Millisecond), verb, note
	}
	n.By = by
	return nil
}
