package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// A parked card waits for one of four things: an answer, a person who says go on,
// the end of the day or of its cap, or the end of its run by other hands. The
// first three make it ready: it stays parked, with its claim, until the walk gives
// it a slot like any other card. Then
//
//	journal, phase launching   a crash: parked again, and ready again
//	workspace                  the same
//	column, flag               the same; the card goes back to awaiting_input
//	resume                     the run is live: awaited
//
// A start that fails parks the card again, and is tried again later and later.

// readyToGo reports whether a parked card only waits for a slot.
func (c *card) readyToGo() bool {
	return c.phase == PhaseParked && (c.wanted != "" || c.answered || c.pause == run.PauseCostCap)
}

// heldBack says why a parked card does not go on although it is ready, or nothing.
func (s *state) heldBack(c *card, now time.Time) (guard string, a answer, no bool) {
	if now.Before(c.goAt) {
		return guardResume, skip(fmt.Sprintf("tried again at %s: %s", clock(c.goAt), c.reason), ""), true
	}
	is := c.issue
	is.State = c.source // the caps count by the column that a card comes from
	g, a, no := refuse(goOnGuards(), s.factsOf(candidate{Issue: is}, now))
	return g.name, a, no
}

// goOn gives a parked card a slot and lets its run go on.
func (s *state) goOn(c *card, now time.Time) effect {
	attempt := 0
	if c.failed {
		attempt = s.retries[c.issue.ID].Attempts + 1
		c.attempt = attempt
	}
	c.phase, c.slot, c.goAt = PhaseLaunching, true, time.Time{}
	c.holds++
	s.touched[c.issue.ID], s.cardsDue = true, false
	return startCard{goOnJob{
		cfg: s.cfg, columns: s.columns, issueID: c.issue.ID, fence: c.fence, placed: c.placed, stamped: c.stamped,
		entry: s.entry(c, PhaseLaunching), outcome: c.outcome,
		resume: Resume{RunID: c.runID, Attempt: attempt, Stall: s.cfg.Stall, By: c.wantedBy()},
	}}
}

func (c *card) wantedBy() string {
	if c.wanted != "" {
		return c.wanted
	}
	return Actor
}

// goOnJob takes a parked card from its slot to its run's end.
type goOnJob struct {
	cfg     Config
	columns columns
	issueID string
	fence   board.Fence
	placed  string
	stamped bool
	entry   JournalEntry
	outcome int // outcome_seq of the run as it waits
	resume  Resume
	joins   bool // the run goes on already

	take, live context.Context // set by the loop
}

func (j goOnJob) id() string { return j.issueID }

func (j goOnJob) within(take, live context.Context) worker {
	j.take, j.live = take, live
	return j
}

func (j goOnJob) do(ctx context.Context, d *Dispatcher) {
	placed, workdir, err := j.start(ctx, d)
	if err != nil {
		d.tell(goOnFailed{issueID: j.issueID, placed: placed, err: err})
		return
	}
	d.tell(launched{issueID: j.issueID, runID: j.resume.RunID, placed: placed, workdir: workdir})
	d.fault(FaultLaunched)
	stamped := j.stamped || stampRun(ctx, d, j.issueID, j.fence, j.resume.RunID, workdir)
	awaitRun{issueID: j.issueID, runID: j.resume.RunID, stamped: stamped}.do(j.live, d)
}

func (j *goOnJob) start(ctx context.Context, d *Dispatcher) (placed, workdir string, err error) {
	if err := d.opts.Journal.Put(ctx, j.entry); err != nil {
		return j.placed, "", fmt.Errorf("journal run %s: %w", j.entry.RunID, err)
	}
	d.fault(FaultRecorded)
	is, err := d.opts.Board.Get(ctx, j.issueID)
	switch {
	case err != nil:
		return j.placed, "", fmt.Errorf("look at issue %s: %w", j.entry.Identifier, err)
	case is.Fence() != j.fence:
		return j.placed, "", fmt.Errorf("issue %s: %w", j.entry.Identifier, board.ErrConflict)
	}
	j.stamped = is.LastRunID == j.resume.RunID // a person may have cleared it
	if workdir, err = j.workspace(ctx, d, is); err != nil {
		return j.placed, "", err
	}
	is, err = j.bringBack(ctx, d, is)
	if err != nil || j.joins {
		return is.State, workdir, err
	}
	d.fault(FaultMoved)
	if err := j.take.Err(); err != nil {
		return is.State, workdir, err
	}
	j.resume.Issue, j.resume.Workdir = is, workdir
	return is.State, workdir, resumeRun(ctx, d, j.resume, j.outcome)
}

// workspace holds the folder that the run knows; one that goes on already has it.
func (j goOnJob) workspace(ctx context.Context, d *Dispatcher, is board.Issue) (string, error) {
	if j.joins {
		return "", nil
	}
	workdir, err := d.opts.Workspaces.Prepare(ctx, is, j.resume.RunID, true)
	if err != nil {
		return "", fmt.Errorf("prepare the workspace of %s: %w", j.entry.Identifier, err)
	}
	d.fault(FaultPrepared)
	return workdir, nil
}

// bringBack files the card under the running column and takes its flag off.
func (j goOnJob) bringBack(ctx context.Context, d *Dispatcher, is board.Issue) (board.Issue, error) {
	if to := j.cfg.RunningState; is.State != to && j.columns.has(to) {
		moved, err := d.opts.Board.SetState(ctx, is.ID, j.fence, board.Filing{To: to, From: is.State}, by(""))
		switch {
		case err == nil:
			is = moved
		case errors.Is(err, board.ErrTransitionRejected):
			d.log.Warn("in-progress move rejected", "issue_id", is.ID, "to", to, "err", err)
		default:
			return is, fmt.Errorf("move issue %s to %s: %w", j.entry.Identifier, to, err)
		}
	}
	if !is.AwaitingInput {
		return is, d.opts.Board.Renew(ctx, is.ID, j.fence, j.cfg.Lease) // proves the claim before the launch
	}
	cleared, err := d.opts.Board.SetAwaitingInput(ctx, is.ID, j.fence, false, by(""))
	if err != nil {
		return is, fmt.Errorf("clear the awaiting-input flag: %w", err)
	}
	return cleared, nil
}

// unseenError tells of a run of which nobody can say whether it goes on.
type unseenError struct{ err, look error }

func (e *unseenError) Error() string {
	return fmt.Sprintf("%v; whether it does cannot be seen: %v", e.err, e.look)
}

// resumeRun asks for a run to go on. An error of it means that the run does not, but
// for an *unseenError. outcome is the run's outcome_seq before, which grows with
// every end.
func resumeRun(ctx context.Context, d *Dispatcher, r Resume, outcome int) error {
	err := d.opts.Runs.Resume(ctx, r)
	if err == nil {
		return nil
	}
	v, ierr := d.opts.Runs.Inspect(ctx, r.RunID)
	status := v.Record.Status
	if ierr == nil && (status == run.Queued || status == run.Running || v.Record.OutcomeSeq > outcome) {
		d.log.Warn("resume answered with an error but the run goes on", "run_id", r.RunID, "err", err)
		return nil
	}
	err = fmt.Errorf("go on with run %s: %w", r.RunID, err)
	if ierr != nil && !errors.Is(ierr, ErrRunGone) {
		return &unseenError{err, ierr}
	}
	return err
}

// onGoOnFailed parks a card again whose run could not go on.
func (s *state) onGoOnFailed(m goOnFailed, now time.Time) []effect {
	c := s.cards[m.issueID]
	if c == nil {
		return nil
	}
	c.placed = m.placed
	kind := kindOf(m.err)
	if c.lost || kind == failLost {
		s.reportLoss(c, now)
		return []effect{s.file(c, plan{verdict: Lost, reason: "the claim was lost before the run went on"})}
	}
	c.goErrs++
	c.goAt = now.Add(backoff(time.Second, c.goErrs, time.Minute))
	switch {
	case errors.Is(m.err, ErrUnanswered):
		c.wanted, c.answered = "", false
	case errors.Is(m.err, ErrNotResumable), errors.Is(m.err, ErrRunGone):
		c.wanted, c.answered, c.pause = "", false, "" // the next probe says what it waits for now
	case kind == failTrouble:
		s.infraTrouble(now, m.err.Error())
	}
	switch {
	case c.failed && c.wanted == "": // not paused: there is nothing to park
		return []effect{s.file(c, plan{verdict: Revert, reason: m.err.Error(), to: c.source})}
	case c.failed: // nobody is asked anything: it waits where it is
		c.phase, c.slot, c.reason = PhaseParked, false, m.err.Error()
		return nil
	}
	return []effect{s.park(c, m.err.Error())}
}

// park files a card whose run waits.
func (s *state) park(c *card, reason string) effect {
	return s.file(c, plan{verdict: Parked, reason: reason, to: s.column(s.cfg.AwaitingInputState)})
}

// movedAway deals with a parked card that a person took somewhere else. Out of the
// eligible columns it is let go and stays where it is, and its run stays paused.
// Within them it stays ours; where only a person's word was missing, the move is
// that word.
func (s *state) movedAway(c *card, is board.Issue) ([]effect, bool) {
	if is.State == c.placed {
		return nil, false
	}
	if is.StateReason == board.ReasonStateRenamed || is.StateReason == board.ReasonSchemaMigration {
		c.placed = is.State
		return nil, false
	}
	if !s.columns.eligible(is.State) {
		return []effect{s.file(c, plan{verdict: Released, reason: "a person moved the card to " + is.State +
			"; run " + c.runID + " stays paused"})}, true
	}
	c.placed = is.State
	if c.pause == run.PauseOperator {
		c.wanted = "whoever moved the card to " + is.State
		s.wanted = true
	}
	return nil, false
}
