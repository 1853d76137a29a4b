package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"iterion/bots"
	"iterion/bots/supervise"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

// runsPort starts, watches and stops runs for the dispatcher.
type runsPort struct {
	launcher *supervise.Launcher
	dir      *run.Dir
	bots     *bots.Registry
}

var _ dispatch.Runs = (*runsPort)(nil)

// Launch resolves the bot again: what was looked up for the walk over the board
// may have changed on disk since.
func (p *runsPort) Launch(ctx context.Context, l dispatch.Launch) error {
	bot, err := p.bots.Resolve(l.Bot.Slug)
	if err != nil {
		return err
	}
	inputs, err := bot.Manifest.FitVars(l.Inputs)
	if err != nil {
		return fmt.Errorf("%w: %w", dispatch.ErrLaunchRefused, err)
	}
	_, err = p.launcher.Start(ctx, supervise.Spec{
		RunID: l.RunID, Name: l.Issue.Title, Bot: bot, Attempt: l.Attempt, Workdir: l.Workdir, Inputs: inputs,
		Source: run.Source{Kind: run.SourceIssue, IssueID: l.Issue.ID},
		Env: map[string]string{
			"ITERION_ISSUE_ID":         l.Issue.ID,
			"ITERION_ISSUE_IDENTIFIER": board.ShortID(l.Issue.ID),
			"ITERION_ISSUE_STATE":      l.Issue.State,
			"ITERION_CLAIM_EPOCH":      strconv.FormatInt(l.Issue.ClaimEpoch, 10),
			"ITERION_WORKSPACE":        l.Workdir,
		},
	})
	if errors.Is(err, run.ErrExists) {
		return nil
	}
	return err
}

// Await waits for the end of a run, see dispatch.Runs.
func (p *runsPort) Await(ctx context.Context, runID string) (dispatch.RunView, error) {
	rec, err := supervise.Await(ctx, p.dir, runID)
	if err != nil {
		return dispatch.RunView{}, gone(err)
	}
	return p.view(rec)
}

// Inspect returns what is known of a run now.
func (p *runsPort) Inspect(_ context.Context, runID string) (dispatch.RunView, error) {
	rec, err := p.dir.Get(runID)
	if err != nil {
		return dispatch.RunView{}, gone(err)
	}
	return p.view(rec)
}

// LiveByIssue returns the runs of a card that are not final, oldest first. A run
// whose record cannot be read names no card here; the card's own pointer and the
// journal do, and hold the card.
func (p *runsPort) LiveByIssue(_ context.Context, issueID string) ([]dispatch.RunView, error) {
	found, err := p.dir.List(run.Query{IssueID: issueID,
		Statuses: []run.Status{run.Queued, run.Running, run.PausedHuman, run.PausedOperator}})
	if err != nil {
		return nil, err
	}
	views := make([]dispatch.RunView, 0, len(found.Records))
	for _, rec := range slices.Backward(found.Records) {
		view, err := p.view(rec)
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}

// Stop asks a run's supervisor to end it.
func (p *runsPort) Stop(_ context.Context, runID, verb, by, note string) error {
	return gone(supervise.RequestStop(p.dir, runID, run.Intent{Verb: verb, By: by, Note: note}))
}

// view adds to a record who supervises it and who asked for its end.
func (p *runsPort) view(rec run.Record) (dispatch.RunView, error) {
	v := dispatch.RunView{Record: rec}
	var err error
	if !rec.Status.Final() {
		if v.Supervised, err = p.dir.Locked(rec.ID); err != nil {
			return v, err
		}
	}
	in, err := p.dir.Intent(rec.ID)
	if err != nil {
		return v, err
	}
	if in != nil {
		v.By, v.Note = in.By, in.Note
	}
	return v, nil
}

// gone gives a run that does not exist the dispatcher's name for it.
func gone(err error) error {
	if errors.Is(err, run.ErrNotFound) {
		return fmt.Errorf("%w: %w", dispatch.ErrRunGone, err)
	}
	return err
}

// botsPort resolves slugs for the dispatcher.
type botsPort struct{ registry *bots.Registry }

var _ dispatch.Bots = botsPort{}

// Resolve returns a bot that can be launched as it is now.
func (p botsPort) Resolve(_ context.Context, slug string) (dispatch.Bot, error) {
	b, err := p.registry.Resolve(slug)
	if err != nil {
		return dispatch.Bot{}, err
	}
	if err := b.Launchable(); err != nil {
		return dispatch.Bot{}, err
	}
	m := b.Manifest
	return dispatch.Bot{Slug: b.Slug(), Version: m.Version, Path: b.Path(),
		DispatchVars: m.DispatchVars, Resume: m.Run.Resume}, nil
}
