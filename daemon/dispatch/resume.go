package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// ResumeRun lets a paused or failed_resumable run go on as soon as the guards and
// a free slot allow it. It returns once the run waits for that: a parked card is
// marked, a card that nobody holds is claimed for it, a run without a card queues
// by itself, and of one that is being started already nothing more is wanted. A card
// that somebody else holds, or that has another run under way, is board.ErrConflict.
func (d *Dispatcher) ResumeRun(ctx context.Context, runID, by string) error {
	v, err := d.opts.Runs.Inspect(ctx, runID)
	if err != nil {
		return err
	}
	if err := resumable(v); err != nil {
		return err
	}
	reply := make(chan error, 1)
	return d.ask(ctx, resumeAsked{view: v, by: by, reply: reply}, reply)
}

// PauseRun asks for the stop of a run's bot in a person's name. It returns once
// the request is durable; the card is parked when the run has stopped.
func (d *Dispatcher) PauseRun(ctx context.Context, runID, by string) error {
	if err := d.opts.Runs.Stop(ctx, runID, run.VerbPause, by, run.PauseOperator); err != nil {
		return err
	}
	return d.post(ctx, pauseAsked{runID: runID})
}

// resumable says why a run as it stands cannot go on, or nothing.
func resumable(v RunView) error {
	rec := v.Record
	switch rec.Status {
	case run.PausedHuman:
		if !v.Answered {
			return fmt.Errorf("%w: answer run %s first", ErrUnanswered, rec.ID)
		}
		return nil
	case run.PausedOperator, run.FailedResumable:
		return nil
	}
	return fmt.Errorf("%w: run %s is %s", ErrNotResumable, rec.ID, rec.Status)
}

func (s *state) onResumeAsked(m resumeAsked, now time.Time) []effect {
	rec := m.view.Record
	if rec.Source.IssueID == "" {
		return s.queueDirect(m, now)
	}
	c := s.cards[rec.Source.IssueID]
	switch {
	case c == nil:
		return s.take(m, now)
	case c.goesOnWith(rec): // what is asked for is being done
		return []effect{replyError{to: m.reply}}
	case c.runID == rec.ID && (c.phase == PhaseParked || c.plan != nil && c.plan.verdict == Parked):
		s.learnRun(c, m.view, nil)
		c.wanted, c.goAt = m.by, time.Time{}
		s.wanted = true
		return []effect{replyError{to: m.reply}}
	}
	return []effect{replyError{to: m.reply, err: fmt.Errorf("%w: issue %s is %s%s",
		board.ErrConflict, board.ShortID(c.issue.ID), c.phase, ofRun(c.runID))}}
}

// goesOnWith reports whether a run that was seen waiting is being started by the
// dispatcher itself, or was since.
func (c *card) goesOnWith(rec run.Record) bool {
	switch c.phase {
	case PhaseClaiming, PhasePreparing:
		return c.resumes == rec.ID
	case PhaseLaunching:
		return c.runID == rec.ID
	case PhaseRunning:
		return c.runID == rec.ID && rec.OutcomeSeq <= c.outcome
	}
	return false
}

// take claims a card that nobody holds for the run that is to go on.
func (s *state) take(m resumeAsked, now time.Time) []effect {
	rec := m.view.Record
	c := &card{
		issue: board.Issue{ID: rec.Source.IssueID, Title: rec.Name}, bot: Bot{Slug: rec.Bot, Resume: true},
		runID: rec.ID, phase: PhaseClaiming, attempt: rec.Attempt, wanted: m.by, since: now, seq: s.tip,
		fence: board.Fence{Marker: s.marker},
	}
	s.learnRun(c, m.view, nil)
	s.cards[c.issue.ID], s.touched[c.issue.ID] = c, true
	return []effect{takeCard{entry: s.entry(c, PhaseParked), slug: rec.Bot, made: rec.CreatedAt, lease: s.cfg.Lease, reply: m.reply}}
}

// takeCard claims a card for a run of its own that is to go on.
type takeCard struct {
	entry JournalEntry
	slug  string    // of the run's bot
	made  time.Time // when the run was
	lease time.Duration
	reply chan<- error
}

func (e takeCard) do(ctx context.Context, d *Dispatcher) {
	is, err := e.claim(ctx, d)
	var bot Bot
	if err == nil {
		bot, _ = d.opts.Bots.Resolve(ctx, e.slug) // the run knows its own, whatever became of the name
	}
	d.tell(taken{issueID: e.entry.IssueID, issue: is, bot: bot, reply: e.reply, err: err})
}

// claim journals the intent, then takes the card.
func (e takeCard) claim(ctx context.Context, d *Dispatcher) (board.Issue, error) {
	o, entry := d.opts, e.entry
	if is, err := o.Board.Get(ctx, entry.IssueID); err != nil || is.Claim != "" { // no entry may hide the holder's
		return is, fmt.Errorf("take issue %s: %w", entry.Identifier, cmp.Or(err, error(&board.ClaimedError{Issue: is})))
	}
	if err := o.Journal.Put(ctx, entry); err != nil {
		return board.Issue{}, fmt.Errorf("journal the claim of %s: %w", entry.Identifier, err)
	}
	is, err := o.Board.Claim(ctx, entry.IssueID, entry.Marker, e.lease, by(""))
	if unknownOutcome(err) { // it may have landed; the next look at the board releases it then
		return is, fmt.Errorf("claim issue %s: %w", entry.Identifier, err)
	}
	if err == nil {
		d.fault(FaultClaimed)
		if err = e.confirm(ctx, o, is); err == nil {
			return is, nil
		}
		if _, rerr := o.Board.Release(ctx, is.ID, is.Fence(), by("")); rerr != nil {
			return is, err // as above
		}
	}
	if rerr := o.Journal.Remove(ctx, entry.IssueID, entry.Owner, entry.Marker); rerr != nil {
		d.tell(troubled{fmt.Sprintf("remove issue %s from the claim journal: %v", entry.Identifier, rerr)})
	}
	return is, fmt.Errorf("take issue %s: %w", entry.Identifier, err)
}

// confirm makes the claim durable, unless another run of the card is under way or
// waits.
func (e takeCard) confirm(ctx context.Context, o Options, is board.Issue) error {
	live, err := o.Runs.LiveByIssue(ctx, is.ID)
	if err != nil {
		return fmt.Errorf("look for live runs of the card: %w", err)
	}
	for _, v := range live {
		if v.Record.ID != e.entry.RunID {
			return fmt.Errorf("%w: run %s of this card is %s", board.ErrConflict, v.Record.ID, v.Record.Status)
		}
	}
	if err := e.newest(ctx, o, is); err != nil {
		return err
	}
	switch other, err := elsewhere(ctx, o, is); {
	case err != nil:
		return err
	case other != nil:
		return fmt.Errorf("%w: %s", board.ErrConflict, startingElsewhere(*other))
	}
	e.entry.Epoch, e.entry.SourceState = is.ClaimEpoch, is.State
	return o.Journal.Put(ctx, e.entry)
}

// newest refuses a run that another one of the card has taken the place of, while
// the wish was on its way.
func (e takeCard) newest(ctx context.Context, o Options, is board.Issue) error {
	if is.LastRunID == "" || is.LastRunID == e.entry.RunID {
		return nil
	}
	last, err := o.Runs.Inspect(ctx, is.LastRunID)
	switch {
	case errors.Is(err, ErrRunGone):
		return nil
	case err != nil:
		return fmt.Errorf("look at the card's last run: %w", err)
	case last.Record.CreatedAt.After(e.made):
		return fmt.Errorf("%w: run %s of the card is newer", board.ErrConflict, is.LastRunID)
	}
	return nil
}

// onTaken parks the card: from there its run goes on like any other that waits.
func (s *state) onTaken(m taken, now time.Time) []effect {
	c := s.cards[m.issueID]
	if c == nil {
		return []effect{replyError{to: m.reply, err: m.err}}
	}
	s.touched[m.issueID], s.wanted = true, true
	if m.err != nil {
		delete(s.cards, m.issueID)
		return []effect{replyError{to: m.reply, err: m.err}}
	}
	c.issue, c.fence, c.since, c.heldAt = m.issue, m.issue.Fence(), now, now
	c.source, c.placed, c.phase, c.stamped = s.sourceOf(m.issue.State), m.issue.State, PhaseParked, m.issue.LastRunID == c.runID
	if m.bot.Slug != "" {
		c.bot = m.bot
	}
	return []effect{startBeat{issueID: m.issueID, fence: c.fence}, replyError{to: m.reply}}
}

// sourceOf is where a card goes back to that was taken from a column. What was parked
// and lost its claim there is not left waiting for an answer once its run has failed.
func (s *state) sourceOf(column string) string {
	if column == s.cfg.AwaitingInputState && s.columns.eligible(s.cfg.RunningState) {
		return s.cfg.RunningState
	}
	return column
}

// onPauseAsked notes that a person's pause is on its way to the supervisor.
func (s *state) onPauseAsked(m pauseAsked) []effect {
	s.wanted = true
	for _, c := range s.cards {
		if c.runID == m.runID && c.phase == PhaseRunning {
			c.phase = PhaseStopping
			c.stop = &stopRequest{verb: run.VerbPause, sent: true}
		}
	}
	return nil
}
