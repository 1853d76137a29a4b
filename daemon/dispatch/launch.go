package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/board"
)

// errIneligible: the card was changed between the last look and the claim.
var errIneligible = errors.New("the card is not what it was a moment ago")

// unchanged reports whether a claimed card still is what the last look judged. An
// epoch that was skipped tells of a holder in between, who may have started a run.
func (j startJob) unchanged(claimed board.Issue) bool {
	return j.columns.eligible(claimed.State) && routeOf(j.cfg, &claimed) == j.cand.Route &&
		claimed.ClaimEpoch == j.cand.Issue.ClaimEpoch+1
}

// prepare makes the run durable, moves the card, makes the folder and launches.
func (j *startJob) prepare(ctx context.Context, d *Dispatcher, issue board.Issue) (placed, workdir string, err error) {
	placed = issue.State
	if !j.unchanged(issue) {
		return placed, "", errIneligible
	}
	if err := d.opts.Journal.Put(ctx, j.entry); err != nil {
		return placed, "", fmt.Errorf("journal run %s: %w", j.entry.RunID, err)
	}
	d.fault(FaultRecorded)
	if placed, err = j.moveIn(ctx, d, issue); err != nil {
		return placed, "", err
	}
	d.fault(FaultMoved)
	if j.resumes {
		workdir, err = j.goOn(ctx, d, issue)
		if !neverGoesOn(err) {
			return placed, workdir, err
		}
		d.log.Warn("the last run cannot go on, a fresh one starts", "issue_id", issue.ID, "run_id", j.entry.RunID, "err", err)
		j.resumes, j.entry.RunID = false, d.opts.NewID()
		if err := d.opts.Journal.Put(ctx, j.entry); err != nil {
			return placed, "", fmt.Errorf("journal run %s: %w", j.entry.RunID, err)
		}
	}
	if workdir, err = j.workspace(ctx, d, issue); err != nil {
		return placed, "", err
	}
	return placed, workdir, j.launch(ctx, d, issue, workdir)
}

func (j *startJob) workspace(ctx context.Context, d *Dispatcher, issue board.Issue) (string, error) {
	began := time.Now()
	workdir, err := d.opts.Workspaces.Prepare(ctx, issue, j.entry.RunID, j.resumes)
	if err != nil {
		return "", fmt.Errorf("prepare the workspace of %s: %w", j.entry.Identifier, err)
	}
	d.fault(FaultPrepared)
	if time.Since(began) > proofLasts { // hooks take their time, and a suspended process more
		if err := d.opts.Board.Renew(ctx, issue.ID, issue.Fence(), j.cfg.Lease); err != nil {
			return "", fmt.Errorf("renew the claim on %s: %w", j.entry.Identifier, err)
		}
	}
	return workdir, nil
}

// proofLasts is how old the last proof of a claim may be at the launch.
const proofLasts = time.Second

// goOn lets the card's last run go on, under its own id and in its own folder.
func (j *startJob) goOn(ctx context.Context, d *Dispatcher, issue board.Issue) (string, error) {
	workdir, err := j.workspace(ctx, d, issue)
	if err != nil {
		return "", err
	}
	if err := j.take.Err(); err != nil {
		return "", err
	}
	err = resumeRun(ctx, d, Resume{
		RunID: j.entry.RunID, Issue: issue, Attempt: j.attempt, Workdir: workdir, Stall: j.cfg.Stall, By: Actor,
	}, j.cand.Last.Record.OutcomeSeq)
	var unseen *unseenError
	if errors.As(err, &unseen) { // the wait tells
		j.unseen, err = unseen, nil
	}
	return workdir, err
}

// neverGoesOn tells a run that cannot go on from trouble on the way.
func neverGoesOn(err error) bool {
	return errors.Is(err, ErrNotResumable) || errors.Is(err, ErrUnanswered) || errors.Is(err, ErrRunGone)
}

// moveIn files the card under the running column. A column rule that says no is
// logged and the dispatch goes on; a lost claim ends it.
func (j startJob) moveIn(ctx context.Context, d *Dispatcher, issue board.Issue) (string, error) {
	to, f := j.cfg.RunningState, issue.Fence()
	if issue.State == to || !j.columns.has(to) {
		return issue.State, d.opts.Board.Renew(ctx, issue.ID, f, j.cfg.Lease) // proves the claim before the launch
	}
	_, err := d.opts.Board.SetState(ctx, issue.ID, f, board.Filing{To: to, From: issue.State}, by(""))
	switch {
	case err == nil:
		return to, nil
	case !errors.Is(err, board.ErrTransitionRejected):
		return issue.State, fmt.Errorf("move issue %s to %s: %w", j.entry.Identifier, to, err)
	}
	d.log.Warn("in-progress move rejected", "issue_id", issue.ID, "to", to, "err", err)
	now, err := d.opts.Board.Get(ctx, issue.ID)
	switch {
	case err != nil:
		return issue.State, fmt.Errorf("look at issue %s: %w", j.entry.Identifier, err)
	case !j.columns.eligible(now.State):
		return issue.State, errIneligible
	}
	return issue.State, nil
}

func (j *startJob) launch(ctx context.Context, d *Dispatcher, issue board.Issue, workdir string) error {
	if err := j.take.Err(); err != nil {
		return err
	}
	in, err := inputs(j.cand.Bot, j.cfg.varsFor(j.cand.Route, issue.Assignee), launchFacts{
		issue: issue, dispatcher: j.cfg.Name, runID: j.entry.RunID, workdir: workdir, attempt: j.attempt,
	})
	if err != nil {
		return err
	}
	err = d.opts.Runs.Launch(ctx, Launch{
		RunID: j.entry.RunID, Bot: j.cand.Bot, Issue: issue, Attempt: j.attempt, Workdir: workdir, Inputs: in,
		Stall: j.cfg.Stall,
	})
	if err == nil {
		return nil
	}
	// The run may exist all the same; then it is awaited like any other. So it is when
	// nobody can say: the wait tells, and until then it is not the card's last run.
	_, ierr := d.opts.Runs.Inspect(ctx, j.entry.RunID)
	if errors.Is(ierr, ErrRunGone) {
		return fmt.Errorf("launch bot %s for %s: %w", j.cand.Slug, j.entry.Identifier, err)
	}
	if ierr != nil {
		j.unseen = fmt.Errorf("launch bot %s for %s: %w", j.cand.Slug, j.entry.Identifier, err)
	}
	d.log.Warn("launch answered with an error but the run may exist", "run_id", j.entry.RunID, "err", err)
	return nil
}

// stampRun makes the card point at its run, and reports whether it does.
func stampRun(ctx context.Context, d *Dispatcher, issueID string, f board.Fence, runID, workdir string) bool {
	_, err := d.opts.Board.SetLastRun(ctx, issueID, f, board.RunRef{RunID: runID, Workdir: workdir, At: time.Now().UTC()}, by(""))
	if err != nil {
		d.log.Warn("stamp the last run", "issue_id", issueID, "run_id", runID, "err", err)
		if lostCard(err) { // it went during the launch: the run is not to wait for the next beat
			d.tell(claimLost{issueID: issueID, fence: f})
		}
		return false
	}
	d.fault(FaultStamped)
	return true
}

func kindOf(err error) failKind {
	var busy *WorkspaceBusyError
	switch {
	case errors.As(err, &busy):
		return failBusy
	case errors.Is(err, ErrHook):
		return failHook
	case errors.Is(err, ErrLaunchRefused):
		return failPermanent
	case errors.Is(err, board.ErrConflict):
		return failLost
	case errors.Is(err, errIneligible):
		return failIneligible
	case errors.Is(err, context.Canceled):
		return failShutdown
	}
	return failTrouble
}
