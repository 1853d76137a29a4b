package dispatch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"iterion/native/board"
)

// settle carries out a plan. Each of its writes may be found done already: a
// settlement that was cut off is simply done again.
type settle struct{ plan plan }

func (e settle) do(ctx context.Context, d *Dispatcher) {
	out, err := e.plan.carryOut(ctx, d)
	if ctx.Err() != nil {
		return // cut off: the journal still names the card
	}
	d.tell(settled{issueID: e.plan.issueID, outcome: out, err: err})
}

func (p plan) carryOut(ctx context.Context, d *Dispatcher) (filed, error) {
	d.fault(FaultSettling)
	if err := d.ledger.save(ctx, p.ledgerV, p.ledger); err != nil {
		return filed{}, fmt.Errorf("save the retry ledger: %w", err)
	}
	d.fault(FaultCounted)
	if p.ended {
		d.opts.Workspaces.Returned(ctx, p.issue, p.runID)
	}
	out, err := p.fileCard(ctx, d)
	if lostCard(err) {
		out, err = filed{lost: true}, nil
	}
	if err != nil || (p.keeps() && !out.lost) {
		return out, err
	}
	if out.lost {
		p.freeWorkspace(ctx, d, board.Issue{ID: p.issueID})
	}
	return out, d.opts.Journal.Remove(ctx, p.issueID, p.entry.Owner, p.entry.Marker)
}

// lostCard reports that nothing may be written to the card any more.
func lostCard(err error) bool {
	return errors.Is(err, board.ErrConflict) || errors.Is(err, board.ErrNotFound)
}

// fileCard does the writes to the card, the release last.
func (p plan) fileCard(ctx context.Context, d *Dispatcher) (filed, error) {
	if p.verdict == Lost {
		return filed{}, board.ErrConflict
	}
	b := d.opts.Board
	is, err := b.Get(ctx, p.issueID)
	if err != nil {
		return filed{}, fmt.Errorf("look at the card: %w", err)
	}
	if is.Fence() != p.fence {
		return filed{}, board.ErrConflict
	}
	out := filed{issue: is}
	if err := p.stamp(ctx, b, is); err != nil {
		return out, err
	}
	if err := p.move(ctx, d, &out); err != nil {
		return out, err
	}
	if err := p.flag(ctx, b, out.issue); err != nil {
		return out, err
	}
	d.fault(FaultFiled)
	if p.keeps() {
		if p.entry.PlacedState = p.placed; p.verdict == Parked {
			p.entry.PlacedState = out.issue.State
		}
		return out, d.opts.Journal.Put(ctx, p.entry)
	}
	p.freeWorkspace(ctx, d, out.issue)
	if _, err := b.Release(ctx, p.issueID, p.fence, by("")); err != nil {
		return out, fmt.Errorf("release the card: %w", err)
	}
	d.fault(FaultReleased)
	return out, nil
}

func (p plan) stamp(ctx context.Context, b Board, is board.Issue) error {
	if !p.ran || p.stamped || is.LastRunID == p.runID {
		return nil
	}
	_, err := b.SetLastRun(ctx, p.issueID, p.fence, board.RunRef{RunID: p.runID, Workdir: p.workdir, At: time.Now().UTC()}, by(""))
	if err != nil {
		return fmt.Errorf("stamp the last run: %w", err)
	}
	return nil
}

// move files the card, unless somebody took it where it shall stay. A column
// rule that says no is logged; the rest of the settlement goes on.
func (p plan) move(ctx context.Context, d *Dispatcher, out *filed) error {
	if p.to == "" || out.issue.State == p.to {
		out.moved = p.to != ""
		return nil
	}
	if !p.mayMove(ctx, d.opts.Board, out.issue) {
		return nil
	}
	moved, err := d.opts.Board.SetState(ctx, p.issueID, p.fence, board.Filing{To: p.to, From: out.issue.State}, by(p.cause))
	if errors.Is(err, board.ErrTransitionRejected) {
		d.log.Warn("filing rejected", "issue_id", p.issueID, "to", p.to, "err", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("file under %s: %w", p.to, err)
	}
	out.issue, out.moved = moved, true
	return nil
}

// mayMove: a card that is still where we put it is ours to move. A going-back is
// for such cards only. Otherwise a card that left the eligible columns stays, and
// so does one that its own bot put where it is, unless it has given up: from an
// eligible column it would be tried again for ever.
func (p plan) mayMove(ctx context.Context, b Board, is board.Issue) bool {
	if is.State == p.placed {
		return true
	}
	if p.verdict == Revert || !p.columns.eligible(is.State) {
		return false
	}
	return p.verdict == GaveUp || lastMover(ctx, b, is, p.runID, p.fence.Marker, p.seq) != moverBot
}

// flag sets what the disposition says beside the column.
func (p plan) flag(ctx context.Context, b Board, is board.Issue) error {
	if awaiting := p.verdict == Parked; is.AwaitingInput != awaiting {
		if _, err := b.SetAwaitingInput(ctx, p.issueID, p.fence, awaiting, by("")); err != nil {
			return fmt.Errorf("set the awaiting-input flag: %w", err)
		}
	}
	if p.gaveUp == nil {
		return nil
	}
	g := *p.gaveUp
	g.State = is.State
	_, err := b.SetGaveUp(ctx, p.issueID, p.fence, g, by(""))
	if err != nil && !errors.Is(err, board.ErrInvalid) { // invalid: somebody cleared the run; the column tells enough
		return fmt.Errorf("stamp the card as given up: %w", err)
	}
	return nil
}

func (p plan) freeWorkspace(ctx context.Context, d *Dispatcher, is board.Issue) {
	if p.runID == "" {
		return
	}
	err := d.opts.Workspaces.Release(ctx, is, p.runID, is.State == board.StateDone, p.columns.terminal(is.State))
	if err != nil {
		d.log.Warn("release the workspace", "issue_id", p.issueID, "run_id", p.runID, "err", err)
	}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
