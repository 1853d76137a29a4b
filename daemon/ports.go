package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"iterion/bots"
	"iterion/bots/supervise"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/native/spend"
)

// runsPort starts, watches and stops runs for the dispatcher.
type runsPort struct {
	launcher *supervise.Launcher
	dir      *run.Dir
	bots     *bots.Registry
	log      boardLog
	reigns   func() bool // the daemon owns the store's singletons
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
		Source: run.Source{Kind: run.SourceIssue, IssueID: l.Issue.ID}, ChainDepth: p.depth(ctx, l.Issue),
		Env: cardEnv(l.Issue, l.Workdir), Stall: stallOf(bot, l.Stall),
	})
	if errors.Is(err, run.ErrExists) {
		return nil
	}
	return err
}

// Resume lets a run go on, see dispatch.Runs.
func (p *runsPort) Resume(ctx context.Context, r dispatch.Resume) error {
	c := supervise.Continue{RunID: r.RunID, By: r.By, Attempt: r.Attempt, Stall: p.stall(r.RunID, r.Stall)}
	if r.Issue.ID != "" {
		c.Env = cardEnv(r.Issue, r.Workdir)
	}
	_, err := p.launcher.Resume(ctx, c)
	var refused *run.TransitionError
	switch {
	case errors.Is(err, supervise.ErrUnanswered):
		return fmt.Errorf("%w: %w", dispatch.ErrUnanswered, err)
	case errors.Is(err, supervise.ErrNotResumable), errors.As(err, &refused):
		return fmt.Errorf("%w: %w", dispatch.ErrNotResumable, err)
	}
	return gone(err)
}

// stall is how long a run that goes on may be silent: what its bot says counts
// first. A bot that is gone by now says nothing; its run knows what it was told.
func (p *runsPort) stall(runID string, ours time.Duration) time.Duration {
	rec, err := p.dir.Get(runID)
	if err != nil {
		return 0
	}
	bot, err := p.bots.Resolve(rec.Bot)
	if err != nil {
		return 0
	}
	return stallOf(bot, ours)
}

// stallOf is 0 where the bot's own setting counts, whatever it is.
func stallOf(bot bots.Bot, ours time.Duration) time.Duration {
	if bot.Manifest.Run.Stall != nil {
		return 0
	}
	return ours
}

// cardEnv is what a bot is told of its card.
func cardEnv(is board.Issue, workdir string) map[string]string {
	return map[string]string{
		"ITERION_ISSUE_ID":         is.ID,
		"ITERION_ISSUE_IDENTIFIER": board.ShortID(is.ID),
		"ITERION_ISSUE_STATE":      is.State,
		"ITERION_CLAIM_EPOCH":      strconv.FormatInt(is.ClaimEpoch, 10),
		"ITERION_WORKSPACE":        workdir,
	}
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

// LiveWithoutCard returns the runs at work that clocks and events have started. They
// are those of the owner of the singletons, who alone starts such runs.
func (p *runsPort) LiveWithoutCard(context.Context) ([]dispatch.RunView, error) {
	if !p.reigns() {
		return nil, nil
	}
	found, err := p.dir.List(run.Query{Statuses: []run.Status{run.Queued, run.Running}})
	if err != nil {
		return nil, err
	}
	var views []dispatch.RunView
	for _, rec := range slices.Backward(found.Records) {
		if kind := rec.Source.Kind; rec.Source.IssueID == "" && (kind == run.SourceSchedule || kind == run.SourceTrigger) {
			views = append(views, dispatch.RunView{Record: rec})
		}
	}
	return views, nil
}

// Stop asks a run's supervisor to end it.
func (p *runsPort) Stop(_ context.Context, runID, verb, by, note string) error {
	err := supervise.RequestStop(p.dir, runID, run.Intent{Verb: verb, By: by, Note: note})
	if errors.Is(err, supervise.ErrNotResumable) {
		return fmt.Errorf("%w: %w", dispatch.ErrNotResumable, err)
	}
	return gone(err)
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
	if rec.Status == run.PausedHuman {
		if v.Answered, err = p.dir.Answered(rec); err != nil {
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
		DispatchVars: m.DispatchVars, Resume: m.Run.Resume, Retry: dispatch.QuotaRetry(m.Retry)}, nil
}

// spendPort tells the dispatcher of the day's ledger.
type spendPort struct{ ledger *spend.Ledger }

var _ dispatch.Spend = spendPort{}

// Status returns the spending of the UTC day.
func (p spendPort) Status(context.Context) (dispatch.Spending, error) {
	s, err := p.ledger.Status(time.Now())
	if err != nil {
		return dispatch.Spending{}, err
	}
	out := dispatch.Spending{Day: s.Day.Day, TotalUSD: s.Day.TotalUSD, CapUSD: s.CapUSD, Reached: s.Reached}
	if s.Day.Override != nil {
		out.LiftedBy = s.Day.Override.GrantedBy
	}
	return out, nil
}
