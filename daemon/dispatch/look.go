package dispatch

import (
	"context"
	"fmt"
	"time"
)

// Look returns the snapshot that a dispatcher would publish which started now, as
// far as files tell. It reads only: cards that would be started stand in the queue
// without a guard, and what an earlier daemon left is shown as it was left.
func Look(ctx context.Context, o Options) (Snapshot, error) {
	o.Config = o.Config.withDefaults()
	found, err := boot{}.look(ctx, o)
	if err != nil {
		return Snapshot{}, err
	}
	s := newState(o.Config, "", offlineMarker)
	now := wallClock()
	s.onBooted(found, now)
	d, err := s.discovery().look(ctx, o)
	if err != nil {
		return Snapshot{}, fmt.Errorf("look at the board: %w", err)
	}
	d.strays = nil
	s.onDiscovered(discovered{d: d}, now)
	snap := s.snapshot(now)
	snap.Ready, snap.Idle, snap.LastTick, snap.NextPoll, snap.SlotsUsed = false, false, time.Time{}, time.Time{}, 0
	snap.Queue = append(s.wouldStart(), snap.Queue...)
	running := snap.Running[:0]
	for _, r := range snap.Running {
		if r.Phase != PhaseClaiming {
			running = append(running, r)
		}
		if r.Phase == PhaseRunning {
			snap.SlotsUsed++
		}
	}
	snap.Running = running
	return snap, nil
}

// offlineMarker is nobody's claim.
const offlineMarker = "a dispatcher"

// wouldStart are the cards that the walk has given a slot.
func (s *state) wouldStart() []Queued {
	var out []Queued
	for _, id := range sorted(s.cards) {
		if c := s.cards[id]; c.phase == PhaseClaiming {
			out = append(out, Queued{IssueID: id, Title: c.issue.Title, State: c.issue.State, Bot: c.bot.Slug, Reason: "would be started"})
		}
	}
	return out
}

// look reads what boot reads, and takes nothing over.
func (e boot) look(ctx context.Context, o Options) (booted, error) {
	m := e.basics(ctx, o)
	if m.err != nil {
		return m, m.err
	}
	entries, err := o.Journal.Entries(ctx)
	if err != nil {
		return m, fmt.Errorf("read the claim journal: %w", err)
	}
	for _, of := range byCard(entries) {
		m.found = append(m.found, examine(ctx, o, of))
	}
	if m.direct, err = o.Runs.LiveWithoutCard(ctx); err != nil {
		return m, fmt.Errorf("look for runs that clocks and events have started: %w", err)
	}
	return m, nil
}
