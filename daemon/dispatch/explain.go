package dispatch

import (
	"context"
	"errors"
	"fmt"

	"iterion/native/board"
	"iterion/native/run"
)

// Explain returns every row of the guard table as it stands for a card when no
// daemon can be asked. It reads only.
func Explain(ctx context.Context, o Options, issueID string) ([]Verdict, error) {
	o.Config = o.Config.withDefaults()
	w, err := offlineWorld(ctx, o, issueID)
	if err != nil {
		return nil, err
	}
	return explain(ctx, o, w, issueID)
}

func offlineWorld(ctx context.Context, o Options, issueID string) (world, error) {
	w := world{cfg: o.Config, marker: offlineMarker, slotsBy: map[string]int{}}
	var err error
	if w.desired, err = o.Intent.Load(ctx); err != nil {
		return w, fmt.Errorf("read the operator's intent: %w", err)
	}
	retries, err := o.Ledger.Load(ctx)
	if err != nil {
		return w, fmt.Errorf("read the retry ledger: %w", err)
	}
	entries, err := o.Journal.Entries(ctx)
	if err != nil { // nothing starts without it
		return w, fmt.Errorf("read the claim journal: %w", err)
	}
	for _, e := range entries {
		if e.IssueID == issueID {
			w.left = &e
		}
		if v, err := o.Runs.Inspect(ctx, e.RunID); err == nil && live(v) { // it keeps its slot
			w.slots++
			w.slotsBy[e.SourceState]++
		}
	}
	direct, err := o.Runs.LiveWithoutCard(ctx)
	if err != nil {
		return w, fmt.Errorf("look for runs that clocks and events have started: %w", err)
	}
	w.slots += len(direct)
	if e, ok := retries[issueID]; ok {
		e.IssueID = issueID
		w.retry, w.retryAt = e, fireAt(e)
	}
	return w, nil
}

// live reports whether a run is at work under a supervisor.
func live(v RunView) bool {
	return !unowned(v) && (v.Record.Status == run.Queued || v.Record.Status == run.Running)
}

// explain judges every row on facts that are read now.
func explain(ctx context.Context, o Options, w world, issueID string) ([]Verdict, error) {
	is, err := o.Board.Get(ctx, issueID)
	if err != nil {
		return nil, err
	}
	schema, err := o.Board.Schema(ctx)
	if err != nil {
		return nil, err
	}
	w.columns = columnsOf(schema)
	w.budget = readBudget(ctx, o.Spend)
	w.slotsHere = w.slotsBy[is.State]
	f, err := gather(ctx, o, w, is)
	if err != nil {
		return nil, err
	}
	return verdicts(f), nil
}

func verdicts(f facts) []Verdict {
	var out []Verdict
	for _, g := range guards() {
		a := g.of(f)
		out = append(out, Verdict{Row: g.row, Guard: g.name, Answer: a.answer, Reason: a.reason, Remedy: a.remedy})
	}
	return out
}

// gather reads what the guards need to know of one card.
func gather(ctx context.Context, o Options, w world, is board.Issue) (facts, error) {
	f := facts{world: w, now: wallClock(), fresh: true}
	c := candidate{Issue: is, Route: routeOf(w.cfg, &is).askTracker(ctx, o.Tracker, is)}
	blockers, err := readBlockers(ctx, o.Board, is)
	if err != nil {
		return f, err
	}
	c.Blockers = board.OpenBlockers(is, among(blockers))
	if c.Slug != "" {
		c.Bot, c.BotErr = o.Bots.Resolve(ctx, c.Slug)
	}
	if is.LastRunID != "" {
		c.Last, c.LastErr = inspect(ctx, o.Runs, is.LastRunID)
	}
	if c.Elsewhere, err = elsewhere(ctx, o, is); err != nil {
		return f, err
	}
	if f.live, err = o.Runs.LiveByIssue(ctx, is.ID); err != nil {
		return f, fmt.Errorf("look for live runs of the card: %w", err)
	}
	for i := range f.live {
		if pausedOwn(f.live[i], is.ID) {
			c.Paused = &f.live[i]
		}
	}
	f.candidate = c
	return f, nil
}

// readBlockers reads the cards that block one. A card that is gone or unreadable
// is left out, which leaves it open.
func readBlockers(ctx context.Context, b Board, is board.Issue) (map[string]*board.Issue, error) {
	found := map[string]*board.Issue{}
	for _, id := range is.Blockers {
		blocker, err := b.Get(ctx, id)
		var unreadable *board.UnreadableError
		switch {
		case err == nil:
			found[id] = &blocker
		case errors.Is(err, board.ErrNotFound), errors.As(err, &unreadable):
		default:
			return nil, fmt.Errorf("read blocker %s: %w", board.ShortID(id), err)
		}
	}
	return found, nil
}
