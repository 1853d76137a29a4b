package watchdog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"iterion/native/board"
)

// pass is one sweep.
type pass struct {
	*Watchdog
	settings Settings
	schema   board.Schema
}

// sweep repairs, and judges every expired claim where the operator wants that. What
// cannot be listed now is looked at a minute later.
func (w *Watchdog) sweep(ctx context.Context) {
	p := pass{Watchdog: w, settings: w.o.Settings()}
	err := p.repair(ctx)
	if err == nil && p.settings.Enabled {
		err = p.judge(ctx)
	}
	if err != nil && ctx.Err() == nil {
		w.log.Warn("sweep of expired claims", "err", err)
	}
}

// repair releases recovery claims that their watchdogs left, or kept for good
// reason: both only for one lease. It files nothing.
func (p pass) repair(ctx context.Context) error {
	left, err := p.o.Board.List(ctx, board.Query{ExpiredBefore: time.Now(), ClaimPrefix: Prefix})
	if err != nil {
		return fmt.Errorf("list recovery claims: %w", err)
	}
	for _, is := range left.Issues {
		_, err := p.o.Board.Release(ctx, is.ID, is.Fence(), by(board.ReasonWatchdog))
		p.tell(is, decision{do: release, why: "its recovery had been left"}, err)
	}
	return nil
}

// judge looks at every expired claim. The query leaves out the columns in which no
// row of the table acts, and there is no limit: whatever must be kept, and found
// again at each sweep, does not keep another card from its turn.
func (p pass) judge(ctx context.Context) (err error) {
	if p.schema, err = p.o.Board.Schema(ctx); err != nil {
		return fmt.Errorf("read the board: %w", err)
	}
	expired, err := p.o.Board.List(ctx, board.Query{ExpiredBefore: time.Now(), States: p.columns()})
	if err != nil {
		return fmt.Errorf("list expired claims: %w", err)
	}
	for _, is := range expired.Issues {
		if ctx.Err() == nil && !strings.HasPrefix(is.Claim, Prefix) {
			p.card(ctx, is)
		}
	}
	return nil
}

// columns are the pool, and those that a run's end is filed in.
func (p pass) columns() []string {
	all := []string{p.settings.Running, p.settings.Completed, p.settings.Failed}
	for _, st := range p.schema.States {
		if eligible(p.schema, st.Name) {
			all = append(all, st.Name)
		}
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// card deals with one expired claim.
func (p pass) card(ctx context.Context, seen board.Issue) {
	ctx, cancel := context.WithTimeout(ctx, perCard)
	defer cancel()
	d, _ := p.look(ctx, seen, seen)
	if d.do == promote {
		if err := p.promote(ctx, seen); err != nil {
			p.tell(seen, d, err)
			return
		}
		d, _ = p.look(ctx, seen, seen)
	}
	if !d.acts() {
		p.log.Debug("expired claim kept", "issue_id", seen.ID, "claim", seen.Claim, "why", d.why)
		return
	}
	ours, err := p.leases.Transfer(ctx, seen.ID, board.Takeover{
		From: seen.Fence(), ExpiredBefore: time.Now(), To: Prefix + p.o.Owner, Lease: recoveryLease,
	}, by(board.ReasonWatchdog))
	if err != nil {
		p.tell(seen, d, err)
		return
	}
	d, found := p.look(ctx, ours, seen)
	if !d.acts() {
		p.log.Info("recovery claim kept for one lease", "issue_id", seen.ID, "why", d.why)
		return
	}
	p.tell(seen, d, p.file(ctx, ours, d, found))
}

// look decides about a card as it is now; seen is the hold that expired.
func (p pass) look(ctx context.Context, is, seen board.Issue) (decision, Finding) {
	found, err := p.o.Oracle.Recorded(ctx, is, seen.Fence())
	_, d := decide(facts{
		Issue: is, Since: seen.ClaimedAt, Found: found, Err: err,
		Now: time.Now(), Settings: p.settings, Schema: p.schema,
	})
	return d, found
}

func (p pass) promote(ctx context.Context, seen board.Issue) error {
	found, err := p.o.Oracle.Recorded(ctx, seen, seen.Fence())
	if err != nil {
		return err
	}
	return p.o.Oracle.Promote(ctx, found.RunID)
}

// tell logs what was done about a card.
func (p pass) tell(is board.Issue, d decision, err error) {
	args := []any{"issue_id", is.ID, "claim", is.Claim, "decision", d.do, "why", d.why}
	if err != nil {
		p.log.Warn("expired claim could not be dealt with", append(args, "err", err)...)
		return
	}
	p.log.Info("expired claim dealt with", append(args, "to", d.to)...)
}

func by(reason string) board.Cause { return board.Cause{Actor: Actor, Reason: reason} }
