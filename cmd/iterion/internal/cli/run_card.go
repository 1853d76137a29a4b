package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"iterion/bots/supervise"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

// fillFromCard gives a run its card. The vars come, low to high, from the bot's
// dispatch_vars, the card's bot args, and the command line. Only the last is
// meant for this bot alone and must name vars that it has.
func (f *Factory) fillFromCard(ctx context.Context, ref string, typed map[string]string, s *supervise.Spec) error {
	m := s.Bot.Manifest
	if err := m.CheckNames(typed); err != nil {
		return err
	}
	store, err := f.Board()
	if err != nil {
		return err
	}
	is, err := cardOf(ctx, store, ref)
	if err != nil {
		return err
	}
	vars, err := dispatch.CardInputs(dispatch.Bot{Slug: m.Name, DispatchVars: m.DispatchVars}, is, s.RunID, s.Workdir)
	if err != nil {
		return fmt.Errorf("fill the vars of bot %s: %w", s.Bot.Slug(), err)
	}
	maps.Copy(vars, typed)
	s.Inputs, err = m.FitVars(vars)
	s.Name, s.Source.IssueID = is.Title, is.ID
	s.Env = map[string]string{"ITERION_ISSUE_IDENTIFIER": board.ShortID(is.ID), "ITERION_ISSUE_STATE": is.State}
	return err
}

// launchLease is longer than a launch can take.
const launchLease = time.Minute

// holdingCard starts a run while the card is claimed, so that no dispatcher can
// start another one in the same instant. Once the run is there it is what keeps
// others away, and the claim is given back.
func (f *Factory) holdingCard(ctx context.Context, runs *run.Dir, s supervise.Spec, start func() error) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	marker := fmt.Sprintf("run:%s:%s", f.Actor(), run.Short(s.RunID))
	is, err := b.Claim(ctx, s.Source.IssueID, marker, launchLease, f.Cause())
	if err != nil {
		return fmt.Errorf("run bot %s for issue %s: %w", s.Bot.Slug(), board.ShortID(s.Source.IssueID), err)
	}
	err = cardIsFree(runs, is.ID)
	if err == nil {
		err = start()
	}
	// Given back also when the user interrupts meanwhile.
	if _, rerr := b.Release(context.WithoutCancel(ctx), is.ID, is.Fence(), f.Cause()); rerr != nil {
		err = errors.Join(err, fmt.Errorf("release issue %s: %w", board.ShortID(is.ID), rerr))
	}
	return err
}

// cardIsFree refuses while another run of the card is live, or may be.
func cardIsFree(runs *run.Dir, issueID string) error {
	found, err := runs.List(run.Query{IssueID: issueID})
	if err != nil {
		return err
	}
	for _, rec := range found.Records {
		if !rec.Status.Final() {
			return &ExitError{
				Code: ExitConflict,
				Err:  fmt.Errorf("issue %s has a run already: %s is %s", board.ShortID(issueID), run.Short(rec.ID), rec.Status),
				Hint: "watch it with `iterion runs logs -f " + run.Short(rec.ID) + "`, or end it with `iterion runs cancel`",
			}
		}
	}
	return nil
}
