package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

// startJob takes one card from its reserved slot to its run's end. take is the
// context for taking new work: when it ends before the launch the card is
// handed back; live is the context of the wait.
type startJob struct {
	cfg     Config
	columns columns
	cand    candidate
	attempt int
	marker  string
	retry   RetryEntry // of the card, as it was judged
	ledgerV int64      // of the newest change of it
	entry   JournalEntry
	resumes bool  // the card's last run goes on
	unseen  error // of a launch of which nobody can say whether it made the run

	take, live context.Context // set by the loop
}

func (j startJob) id() string { return j.cand.Issue.ID }

func (j startJob) within(take, live context.Context) worker {
	j.take, j.live = take, live
	return j
}

func (j startJob) do(ctx context.Context, d *Dispatcher) {
	cand, ok := j.lastLook(ctx, d)
	if !ok {
		return
	}
	j.cand = cand
	j.entry.ClaimedAt = time.Now().UTC()
	issue, ok := j.claim(ctx, d)
	if !ok {
		return
	}
	j.carry(ctx, d, issue)
}

// lastLook re-reads the card and judges the rows that can have changed since the
// discovery, with the runs that name the card as their source.
func (j startJob) lastLook(ctx context.Context, d *Dispatcher) (candidate, bool) {
	f, err := j.freshFacts(ctx, d.opts)
	if errors.Is(err, board.ErrNotFound) {
		j.refuse(d, guardColumn, "the card is gone", time.Time{})
		return candidate{}, false
	}
	if err != nil {
		j.fail(d, failTrouble, j.entry.SourceState, false, fmt.Errorf("look at issue %s: %w", board.ShortID(j.id()), err))
		return candidate{}, false
	}
	if same, err := j.sameRetry(ctx, d); err != nil {
		j.fail(d, failTrouble, j.entry.SourceState, false, err)
		return candidate{}, false
	} else if !same {
		j.refuse(d, guardRetry, "another dispatcher has tried the card meanwhile", f.Issue.UpdatedAt)
		return candidate{}, false
	}
	if g, a, no := refuse(lastLook(), f); no {
		j.refuse(d, g.name, a.reason, f.Issue.UpdatedAt)
		return candidate{}, false
	}
	return f.candidate, true
}

// sameRetry reports whether the ledger holds what the card was judged by. What this
// dispatcher has changed of it itself is saved first.
func (j startJob) sameRetry(ctx context.Context, d *Dispatcher) (bool, error) {
	if err := d.ledger.save(ctx, j.ledgerV, map[string]RetryEntry{j.id(): j.retry}); err != nil {
		return false, fmt.Errorf("save the retry ledger: %w", err)
	}
	entries, err := d.opts.Ledger.Load(ctx)
	if err != nil {
		return false, fmt.Errorf("read the retry ledger: %w", err)
	}
	return entries[j.id()].same(j.retry), nil
}

func (j startJob) freshFacts(ctx context.Context, o Options) (facts, error) {
	is, err := o.Board.Get(ctx, j.id())
	if err != nil {
		return facts{}, err
	}
	w := world{cfg: j.cfg, columns: j.columns, marker: j.marker}
	f, err := gather(ctx, o, w, is)
	if err == nil && j.recoverLost(o, f) {
		return gather(ctx, o, w, is)
	}
	return f, err
}

// recoverLost settles runs of the card that lost their supervisors. A run that a
// person started has no claim and no journal entry, so nobody else looks after it,
// and the card would wait for it for ever.
func (j startJob) recoverLost(o Options, f facts) (some bool) {
	ctx, cancel := context.WithTimeout(j.take, recoverWithin)
	defer cancel()
	live := f.live
	if f.Last != nil {
		live = append(live, *f.Last)
	}
	for _, v := range live {
		if unowned(v) {
			_, _ = o.Runs.Await(ctx, v.Record.ID) // what cannot be settled is found live again
			some = true
		}
	}
	return some
}

// recoverWithin is longer than survivors of a run take to end.
const recoverWithin = 10 * time.Second

// claim journals the intent, then takes the card.
func (j startJob) claim(ctx context.Context, d *Dispatcher) (board.Issue, bool) {
	o := d.opts
	if j.take.Err() != nil {
		j.fail(d, failShutdown, j.entry.SourceState, false, j.take.Err())
		return board.Issue{}, false
	}
	if err := o.Journal.Put(ctx, j.entry); err != nil {
		j.fail(d, failTrouble, j.entry.SourceState, false, fmt.Errorf("journal the claim of %s: %w", j.entry.Identifier, err))
		return board.Issue{}, false
	}
	d.fault(FaultJournalled)
	issue, err := o.Board.Claim(ctx, j.id(), j.marker, j.cfg.Lease, by(""))
	if err == nil {
		d.fault(FaultClaimed)
		return issue, true
	}
	if unknownOutcome(err) {
		// The claim may have landed. The card carries our marker then, and the
		// next discovery releases it as a stray.
		j.fail(d, failTrouble, j.entry.SourceState, false, fmt.Errorf("claim issue %s: %w", j.entry.Identifier, err))
		return issue, false
	}
	j.dropEntry(ctx, d)
	if errors.Is(err, board.ErrConflict) || errors.Is(err, board.ErrNotFound) {
		j.refuse(d, guardClaim, err.Error(), j.cand.Issue.UpdatedAt)
	} else {
		j.fail(d, failTrouble, j.entry.SourceState, false, fmt.Errorf("claim issue %s: %w", j.entry.Identifier, err))
	}
	return issue, false
}

func unknownOutcome(err error) bool {
	return errors.Is(err, board.ErrAmbiguous) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (j startJob) dropEntry(ctx context.Context, d *Dispatcher) {
	if err := d.opts.Journal.Remove(ctx, j.id(), j.entry.Owner, j.entry.Marker); err != nil {
		d.tell(troubled{fmt.Sprintf("remove issue %s from the claim journal: %v", j.entry.Identifier, err)})
	}
}

// carry has the claim. Every failure from here on is filed by a settlement.
func (j startJob) carry(ctx context.Context, d *Dispatcher, issue board.Issue) {
	j.entry.Epoch, j.entry.RunID, j.entry.Phase = issue.ClaimEpoch, d.opts.NewID(), PhaseLaunching
	j.entry.SourceState = issue.State
	switch {
	case j.cand.Paused != nil:
		j.entry.RunID, j.entry.Phase = j.cand.Paused.Record.ID, PhaseParked
	case j.cand.goesOn():
		j.entry.RunID, j.resumes = j.cand.Last.Record.ID, true
	}
	d.tell(claimed{issueID: j.id(), issue: issue, bot: j.cand.Bot, runID: j.entry.RunID, at: j.entry.ClaimedAt})
	if j.cand.Paused != nil {
		j.repark(ctx, d, issue)
		return
	}
	placed, workdir, err := j.prepare(ctx, d, issue)
	if err != nil {
		j.fail(d, kindOf(err), placed, true, err)
		return
	}
	runID := j.entry.RunID
	d.tell(launched{issueID: j.id(), runID: runID, placed: placed, workdir: workdir, unseen: j.unseen})
	d.fault(FaultLaunched)
	stamped := j.unseen == nil && stampRun(ctx, d, j.id(), issue.Fence(), runID, workdir)
	awaitRun{issueID: j.id(), runID: runID, stamped: stamped}.do(j.live, d)
}

// repark keeps the claim for a run of the card that is paused: guard 13.
func (j startJob) repark(ctx context.Context, d *Dispatcher, issue board.Issue) {
	if !j.unchanged(issue) {
		j.fail(d, failIneligible, issue.State, true, errIneligible)
		return
	}
	if err := d.opts.Journal.Put(ctx, j.entry); err != nil {
		j.fail(d, failTrouble, issue.State, true, fmt.Errorf("journal run %s: %w", j.entry.RunID, err))
		return
	}
	d.fault(FaultRecorded)
	d.tell(repark{issueID: j.id(), view: *j.cand.Paused})
}

func (j startJob) refuse(d *Dispatcher, guard, reason string, updatedAt time.Time) {
	d.tell(refused{issueID: j.id(), guard: guard, reason: reason, updatedAt: updatedAt})
}

func (j startJob) fail(d *Dispatcher, kind failKind, placed string, claimed bool, err error) {
	d.tell(startFailed{issueID: j.id(), kind: kind, placed: placed, claimed: claimed, err: err})
}

// awaitRun waits for a run's end.
type awaitRun struct {
	issueID, runID string
	stamped        bool
}

func (e awaitRun) do(ctx context.Context, d *Dispatcher) {
	v, err := d.opts.Runs.Await(ctx, e.runID)
	if err != nil && ctx.Err() != nil {
		return // the dispatcher ends, not the run
	}
	d.tell(ended{issueID: e.issueID, runID: e.runID, view: v, stamped: e.stamped, err: err})
}

// unowned reports whether a run is live by its record but has no supervisor.
func unowned(v RunView) bool {
	return !v.Supervised && (v.Record.Status == run.Queued || v.Record.Status == run.Running)
}
