package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"iterion/bots/manifest"
	"iterion/native/board"
	"iterion/native/run"
)

// candidate is a card in an eligible column with what was learned about it.
type candidate struct {
	Issue    board.Issue
	Blockers []string // open hard blockers
	Route             // to the bot that the card would be given to
	Bot      Bot
	BotErr   error
	Last     *RunView // of Issue.LastRunID
	LastErr  error
	Paused   *RunView // a run of the card's own that is paused
	// Elsewhere is another daemon's entry of a run of the card that may be starting
	// although its claim is gone. It is looked for with the card alone.
	Elsewhere *JournalEntry
}

// goesOn reports whether the card's last run is gone on with instead of a fresh
// one: it is failed_resumable, of the bot that the card would be given to, and that
// bot can go on.
func (c candidate) goesOn() bool {
	if c.Last == nil || c.Last.Record.Status != run.FailedResumable || !c.Bot.Resume {
		return false
	}
	rec := c.Last.Record
	restart := rec.FailureCode == run.CodeQuota && c.Bot.Retry.UsageWindow == UsageRestart
	return manifest.SameSlug(rec.Bot, c.Bot.Slug) && rec.Source.IssueID == c.Issue.ID && !restart
}

// pausedOwn reports whether a run is paused and was dispatched for a card. One
// that a person started by hand is that person's business.
func pausedOwn(v RunView, issueID string) bool {
	src := v.Record.Source
	return v.Record.Status.Paused() && src.Kind == run.SourceIssue && src.IssueID == issueID
}

// discovery is one look at the board.
type discovery struct {
	schema     board.Schema
	tip        int64 // of the log, before the look
	candidates []candidate
	seen       map[string]sighting // of the cards that were asked for
	retried    map[string]string   // column by id of the retries that were asked for and that nobody holds; empty: the card is gone
	strays     []board.Issue       // cards that carry our marker
	ledger     map[string]RetryEntry
	renewed    map[string]bool // cards that a person gave their attempts back
	broken     []board.UnreadableError
	budget     budget
	adopted    []adoption
	own        []string // cards that the journal has entries of in this daemon's name
	adoptErr   error
}

// sighting is what became of a card that is ours.
type sighting struct {
	issue   board.Issue
	missing bool
	mover   mover // who filed it where it is, when that is not where we put it
}

// mover says who moved a card.
type mover int

const (
	moverNobody mover = iota // or nobody can say
	moverUs
	moverBot
	moverOther
)

// watched is a card with a live run, which a discovery looks after.
type watched struct {
	issueID, runID, placed string
	fence                  board.Fence
	seq                    int64
}

// discover reads the board once.
type discover struct {
	cfg     Config
	owner   string // empty: nothing is taken over
	marker  string
	watch   []watched
	retries []string
}

func (e discover) do(ctx context.Context, d *Dispatcher) {
	found, err := e.look(ctx, d.opts)
	d.tell(discovered{d: found, err: err})
}

func (e discover) look(ctx context.Context, o Options) (discovery, error) {
	var found discovery
	var err error
	if found.schema, err = o.Board.Schema(ctx); err != nil {
		return found, err
	}
	if found.tip, err = o.Board.Tip(ctx); err != nil {
		return found, err
	}
	found.budget = readBudget(ctx, o.Spend)
	if e.owner != "" { // before the cards are read: those that are taken over are no candidates
		found.adopted, found.own, found.adoptErr = adoptDead(ctx, o, e.owner, e.marker)
	}
	listing, err := o.Board.List(ctx, board.Query{States: found.schema.EligibleNames(), OrClaim: e.marker})
	if err != nil {
		return found, err
	}
	found.broken = listing.Broken
	// After the cards: whoever gave one of them back has saved its entry before.
	if found.ledger, err = o.Ledger.Load(ctx); err != nil {
		return found, fmt.Errorf("read the retry ledger: %w", err)
	}
	found.renewed = e.givenBack(ctx, o, listing.Issues, found.ledger)
	get := reader(ctx, o.Board, listing.Issues)
	found.candidates = pick(e.cfg, columnsOf(found.schema), get, listing.Issues)
	enrich(ctx, o, found.candidates)
	e.sight(ctx, o, get, &found)
	for i := range listing.Issues {
		if is := &listing.Issues[i]; is.Claim == e.marker {
			found.strays = append(found.strays, *is)
		}
	}
	return found, ctx.Err()
}

// givenBack finds the cards whose attempts a person gave back. Each is read again
// after the ledger: as it was listed it may be older than what the ledger has of it.
func (e discover) givenBack(ctx context.Context, o Options, listed []board.Issue, ledger map[string]RetryEntry) map[string]bool {
	var ids map[string]bool
	for i := range listed {
		is := &listed[i]
		entry, ok := ledger[is.ID]
		if !ok || !entry.givenBack(*is, e.cfg.MaxAttempts) {
			continue
		}
		now, err := o.Board.Get(ctx, is.ID)
		if err == nil && entry.givenBack(now, e.cfg.MaxAttempts) && now.State == is.State {
			if ids == nil {
				ids = map[string]bool{}
			}
			ids[is.ID] = true
		}
	}
	return ids
}

// givenBack reports whether an unclaimed card in an eligible column shows that a
// person wants to start over: the last run was cleared, or it was taken out of the
// column in which it had given up.
func (e RetryEntry) givenBack(is board.Issue, most int) bool {
	cleared := e.LastRunID != "" && is.LastRunID == ""
	reopened := e.Attempts >= most && e.DueAt.IsZero()
	return is.Claim == "" && (cleared || reopened)
}

// lookup finds a card by its id.
type lookup = func(id string) (board.Issue, error)

func byID(issues []board.Issue) map[string]*board.Issue {
	m := make(map[string]*board.Issue, len(issues))
	for i := range issues {
		m[issues[i].ID] = &issues[i]
	}
	return m
}

// among finds a card in a map.
func among(all map[string]*board.Issue) lookup {
	return func(id string) (board.Issue, error) {
		if is := all[id]; is != nil {
			return *is, nil
		}
		return board.Issue{}, board.ErrNotFound
	}
}

// reader finds a card among those that were listed, and reads any other, once.
func reader(ctx context.Context, b Board, listed []board.Issue) lookup {
	known := byID(listed)
	return func(id string) (board.Issue, error) {
		if is := known[id]; is != nil {
			return *is, nil
		}
		is, err := b.Get(ctx, id)
		if err == nil {
			known[id] = &is
		}
		return is, err
	}
}

// pick is the thinking of a discovery: the eligible cards, sorted, each with its
// open blockers and the name of its bot.
func pick(cfg Config, cols columns, get lookup, issues []board.Issue) []candidate {
	var picked []candidate
	for i := range issues {
		is := &issues[i]
		if !cols.eligible(is.State) {
			continue
		}
		open := board.OpenBlockers(*is, get)
		picked = append(picked, candidate{Issue: *is, Blockers: open, Route: routeOf(cfg, is)})
	}
	slices.SortFunc(picked, func(a, b candidate) int { return board.DispatchOrder(&a.Issue, &b.Issue) })
	return picked
}

// enrich resolves the bots and reads the recorded runs of cards that might start.
func enrich(ctx context.Context, o Options, picked []candidate) {
	type resolved struct {
		bot Bot
		err error
	}
	bots := map[string]resolved{}
	for i := range picked {
		c := &picked[i]
		if c.Issue.Claim == "" {
			c.Route = c.askTracker(ctx, o.Tracker, c.Issue)
		}
		if c.Slug != "" {
			r, ok := bots[c.Slug]
			if !ok {
				r.bot, r.err = o.Bots.Resolve(ctx, c.Slug)
				bots[c.Slug] = r
			}
			c.Bot, c.BotErr = r.bot, r.err
		}
		if c.Issue.Claim == "" && c.Issue.LastRunID != "" {
			c.Last, c.LastErr = inspect(ctx, o.Runs, c.Issue.LastRunID)
		}
	}
}

func inspect(ctx context.Context, runs Runs, id string) (*RunView, error) {
	v, err := runs.Inspect(ctx, id)
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// sight looks after the cards that are ours and the retries.
func (e discover) sight(ctx context.Context, o Options, get lookup, found *discovery) {
	found.seen = make(map[string]sighting, len(e.watch))
	for _, w := range e.watch {
		if s, ok := w.sight(ctx, o, get); ok {
			found.seen[w.issueID] = s
		}
	}
	found.retried = make(map[string]string, len(e.retries))
	for _, id := range e.retries {
		if is, err := get(id); err == nil {
			if is.Claim == "" { // else its holder says what it waits for
				found.retried[id] = is.State
			}
		} else if missing(err) {
			found.retried[id] = ""
		}
	}
}

func (w watched) sight(ctx context.Context, o Options, get lookup) (sighting, bool) {
	is, err := get(w.issueID)
	if err != nil {
		return sighting{missing: true}, missing(err)
	}
	s := sighting{issue: is}
	if is.State != w.placed && is.Fence() == w.fence {
		s.mover = lastMover(ctx, o.Board, is, w.runID, w.fence.Marker, w.seq)
	}
	return s, true
}

// missing reports whether an error says that a card is provably gone: an
// unreadable one is not.
func missing(err error) bool { return errors.Is(err, board.ErrNotFound) }

// lastMover reads from the log who filed the card in the column where it is.
func lastMover(ctx context.Context, b Board, is board.Issue, runID, marker string, after int64) mover {
	events, err := b.Events(ctx, after, 0)
	if err != nil {
		return moverNobody
	}
	for _, ev := range slices.Backward(events) {
		if ev.IssueID != is.ID || ev.Payload.To != is.State || ev.Payload.From == "" {
			continue
		}
		switch {
		case runID != "" && ev.Payload.ByRun == runID:
			return moverBot
		case ev.Payload.Marker == marker:
			return moverUs
		}
		return moverOther
	}
	return moverNobody
}
