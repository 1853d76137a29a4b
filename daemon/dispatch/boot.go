package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"iterion/native/board"
)

// adoption is a journal entry of a dead owner with what became of its card.
type adoption struct {
	entry   JournalEntry
	issue   board.Issue
	cardErr error
	view    RunView
	runErr  error
	bot     Bot // of the run; only its slug when it does not resolve any more
}

// boot reads what earlier daemons left, before the first tick.
type boot struct{ owner string }

func (e boot) do(ctx context.Context, d *Dispatcher) {
	m := e.read(ctx, d.opts)
	if ctx.Err() == nil {
		d.tell(m)
	}
}

// basics are what it takes to decide at all.
func (boot) basics(ctx context.Context, o Options) booted {
	var m booted
	if m.desired, m.err = o.Intent.Load(ctx); m.err != nil {
		m.err = fmt.Errorf("read the operator's intent: %w", m.err)
		return m
	}
	if m.retries, m.err = o.Ledger.Load(ctx); m.err != nil {
		m.err = fmt.Errorf("read the retry ledger: %w", m.err)
		return m
	}
	if m.schema, m.err = o.Board.Schema(ctx); m.err != nil {
		m.err = fmt.Errorf("read the board: %w", m.err)
	}
	return m
}

func (e boot) read(ctx context.Context, o Options) booted {
	m := e.basics(ctx, o)
	if m.err != nil {
		return m
	}
	entries, err := o.Journal.Adopt(ctx, e.owner)
	if err != nil {
		m.err = fmt.Errorf("adopt the claim journal: %w", err)
		return m
	}
	for _, of := range byCard(entries) {
		m.found = append(m.found, examine(ctx, o, of))
	}
	if m.direct, err = o.Runs.LiveWithoutCard(ctx); err != nil {
		m.err = fmt.Errorf("look for runs that clocks and events have started: %w", err)
	}
	return m
}

// byCard groups entries by their card, in order of first appearance.
func byCard(entries []JournalEntry) [][]JournalEntry {
	at := map[string]int{}
	var groups [][]JournalEntry
	for _, e := range entries {
		i, ok := at[e.IssueID]
		if !ok {
			i = len(groups)
			at[e.IssueID], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], e)
	}
	return groups
}

// holder is the entry that speaks for the card: the one whose claim it carries,
// if any. The others came too late, or lost the card.
func holder(entries []JournalEntry, is board.Issue) JournalEntry {
	for _, e := range entries {
		if e.Marker == is.Claim && (e.Epoch == is.ClaimEpoch || e.Epoch == 0) {
			return e
		}
	}
	return entries[len(entries)-1]
}

// adoptDead takes over the claims of daemons that died while this one runs, as boot
// does those of earlier ones, and finds the cards that this daemon, by its marker, has
// entries of itself.
func adoptDead(ctx context.Context, o Options, owner, marker string) (found []adoption, own []string, err error) {
	entries, err := o.Journal.Entries(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if e.Owner == owner && e.Marker == marker {
			own = append(own, e.IssueID)
		}
	}
	if len(own) == len(entries) {
		return nil, own, nil
	}
	if entries, err = o.Journal.Adopt(ctx, owner); err != nil {
		return nil, own, err
	}
	entries = slices.DeleteFunc(entries, func(e JournalEntry) bool { return e.Marker == marker })
	for _, of := range byCard(entries) {
		found = append(found, examine(ctx, o, of))
	}
	return found, own, nil
}

// dropStale drops entries of this daemon that speak of nothing: their write was
// answered with an error and landed all the same. A card that bears the claim is
// released first, as a stray.
func (s *state) dropStale(d discovery) []effect {
	var fx []effect
	for _, id := range d.own {
		if s.cards[id] != nil || s.touched[id] {
			continue
		}
		c := &card{issue: board.Issue{ID: id}, fence: board.Fence{Marker: s.marker}}
		s.cards[id] = c
		fx = append(fx, s.file(c, plan{verdict: Lost, reason: "nothing came of the claim"}))
	}
	return fx
}

// onAdopted takes over what a discovery found of daemons that died. What is here
// already, or was a moment ago, is left alone.
func (s *state) onAdopted(d discovery, now time.Time) []effect {
	if d.adoptErr != nil {
		s.trouble(now, "look for claims of daemons that died: "+d.adoptErr.Error())
	}
	return s.adoptAll(d.adopted, now)
}

// adoptAll takes over all cards that are not here already, and were not a moment ago.
func (s *state) adoptAll(found []adoption, now time.Time) []effect {
	var fx []effect
	for _, a := range found {
		if id := a.entry.IssueID; s.cards[id] == nil && !s.touched[id] {
			s.touched[id] = true
			fx = append(fx, s.adopt(a, now)...)
		}
	}
	return fx
}

// examine finds the card and its recorded run: the journalled one, or a live one
// that names the card as its source.
func examine(ctx context.Context, o Options, entries []JournalEntry) adoption {
	a := findCard(ctx, o, entries)
	a.bot.Slug = a.view.Record.Bot
	if a.runErr == nil {
		if bot, err := o.Bots.Resolve(ctx, a.bot.Slug); err == nil {
			a.bot = bot
		}
	}
	return a
}

func findCard(ctx context.Context, o Options, entries []JournalEntry) adoption {
	var a adoption
	a.issue, a.cardErr = o.Board.Get(ctx, entries[0].IssueID)
	entry := holder(entries, a.issue)
	a.entry = entry
	a.runErr = ErrRunGone
	if entry.RunID != "" {
		a.view, a.runErr = o.Runs.Inspect(ctx, entry.RunID)
	}
	if !errors.Is(a.runErr, ErrRunGone) || a.cardErr == nil && a.issue.Claim != entry.Marker {
		return a // a live run of a card that is somebody else's by now is theirs, too
	}
	live, err := o.Runs.LiveByIssue(ctx, entry.IssueID)
	switch {
	case err != nil:
		a.runErr = err
	case len(live) > 0:
		a.view, a.runErr = live[len(live)-1], nil
		a.entry.RunID = a.view.Record.ID
	}
	return a
}

func (s *state) bootAgain(now time.Time) []effect {
	if now.Before(s.bootAt) || s.bootAt.IsZero() {
		return nil
	}
	s.bootAt = time.Time{}
	return []effect{boot{owner: s.owner}}
}

// onBooted takes over what was found, then lets the ticks begin.
func (s *state) onBooted(m booted, now time.Time) []effect {
	if m.err != nil {
		s.bootFails++
		s.bootErr = m.err.Error()
		s.bootAt = now.Add(backoff(time.Second, s.bootFails, 30*time.Second))
		s.trouble(now, m.err.Error())
		return nil
	}
	if s.desired.Desired == "" { // nobody paused us meanwhile
		s.desired = m.desired
	}
	for id, e := range m.retries {
		e.IssueID = id
		s.retries[id] = e
	}
	fx := s.learnColumns(m.schema)
	s.booted, s.bootErr, s.wanted, s.nextPoll = true, "", true, now
	fx = append(fx, s.adoptAll(m.found, now)...)
	return append(fx, s.takeOver(m.direct)...)
}

// adopt continues with one card where its dead owner left it.
func (s *state) adopt(a adoption, now time.Time) []effect {
	c := s.adopted(a, now)
	s.cards[a.entry.IssueID] = c
	s.learnRun(c, a.view, a.runErr)
	end, reason := judge(a.view, a.runErr)
	live := end == endLive
	switch {
	case errors.Is(a.cardErr, board.ErrNotFound):
		c.gone = true
	case a.cardErr != nil: // nobody can say: keep it, look again at each reconcile
		return s.keep(c, "the card cannot be read: "+a.cardErr.Error(), now)
	case a.issue.Claim != a.entry.Marker, a.entry.Epoch != 0 && a.issue.ClaimEpoch != a.entry.Epoch:
		c.lost = true
	case a.entry.Phase == PhaseParked && a.entry.PlacedState == "" && !a.issue.AwaitingInput:
		// The daemon died before it had filed the card; what follows does.
	case a.entry.Phase == PhaseHeld || a.entry.Phase == PhaseParked:
		return s.adoptHold(c, a.entry, reason, now)
	}
	if (c.lost || c.gone) && live {
		return append(s.watchAgain(c, false), s.stopRun(c, machineStop("its claim was lost"))...)
	}
	if live {
		return s.watchAgain(c, true)
	}
	if end == endGone && !c.ran && !c.lost && !c.gone {
		if e := s.retries[c.issue.ID]; e.Attempts >= s.cfg.MaxAttempts && e.DueAt.IsZero() && s.failedColumn() != "" {
			// The last attempt had failed before there was a run, and was counted.
			return append([]effect{startBeat{issueID: c.issue.ID, fence: c.fence}}, s.giveUp(c, e.LastReason, true, now)...)
		}
		return []effect{startBeat{issueID: c.issue.ID, fence: c.fence}, s.file(c, plan{
			verdict: Revert, reason: "the daemon ended before the run was launched", to: c.source, cause: c.cause(),
		})}
	}
	fx := s.conclude(c, end, reason, now)
	if c.lost || c.gone {
		return fx
	}
	return append([]effect{startBeat{issueID: c.issue.ID, fence: c.fence}}, fx...)
}

// adopted makes the card of an entry. Its attempts go on where they were.
func (s *state) adopted(a adoption, now time.Time) *card {
	e := a.entry
	c := &card{
		issue: a.issue, runID: e.RunID, phase: PhaseSettling,
		source: s.sourceOf(e.SourceState), placed: e.SourceState,
		fence:   board.Fence{Marker: e.Marker, Epoch: e.Epoch},
		attempt: e.Attempt, seq: e.Seq, since: e.ClaimedAt,
	}
	c.issue.ID = e.IssueID
	if c.fence.Epoch == 0 {
		c.fence.Epoch = a.issue.ClaimEpoch
	}
	if c.source == "" {
		c.source = s.sourceOf(a.issue.State)
	}
	for _, ours := range []string{s.cfg.RunningState, s.cfg.AwaitingInputState} {
		if a.issue.State == ours {
			c.placed = ours
		}
	}
	c.stamped = e.RunID != "" && a.issue.LastRunID == e.RunID
	c.ran = c.stamped || (e.RunID != "" && a.runErr == nil)
	c.bot = a.bot
	return c
}

// watchAgain goes on with a live run: it is awaited, and its claim is renewed.
func (s *state) watchAgain(c *card, renew bool) []effect {
	c.phase, c.slot = PhaseRunning, true
	fx := []effect{awaitRun{issueID: c.issue.ID, runID: c.runID, stamped: c.stamped}}
	if renew {
		fx = append(fx, startBeat{issueID: c.issue.ID, fence: c.fence})
	}
	return fx
}

// adoptHold takes a kept card over without a write: the next probe, which comes
// with the first tick, decides.
func (s *state) adoptHold(c *card, e JournalEntry, reason string, now time.Time) []effect {
	c.phase, c.reason, c.heldAt, c.stamped = e.Phase, reason, now, !e.Unseen
	c.placed = cmp.Or(e.PlacedState, c.issue.State)
	if e.Phase == PhaseParked {
		return []effect{startBeat{issueID: c.issue.ID, fence: c.fence}}
	}
	return nil
}

// keep holds a card in memory: nothing can be written to it now.
func (s *state) keep(c *card, reason string, now time.Time) []effect {
	c.phase, c.reason, c.heldAt = PhaseHeld, reason, now
	return nil
}
