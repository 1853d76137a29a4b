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

// The ports of a simulated life: every call that may fail, hang or change
// something waits for the simulation.

var bg = context.Background()

type simBoard struct {
	Board
	l *simLife
}

func (b simBoard) Schema(ctx context.Context) (board.Schema, error) {
	return asked(b.l, ctx, "Schema", false, func() (board.Schema, error) { return b.Board.Schema(bg) })
}

func (b simBoard) Get(ctx context.Context, id string) (board.Issue, error) {
	return asked(b.l, ctx, "Get "+short(id), false, func() (board.Issue, error) { return b.Board.Get(bg, id) })
}

func (b simBoard) List(ctx context.Context, q board.Query) (board.Listing, error) {
	return asked(b.l, ctx, "List", false, func() (board.Listing, error) { return b.Board.List(bg, q) })
}

func (b simBoard) Claim(ctx context.Context, id, marker string, lease time.Duration, by board.Cause) (board.Issue, error) {
	return asked(b.l, ctx, "Claim "+short(id), true, func() (board.Issue, error) {
		if b.l.s.mut.steal {
			_, _ = b.l.s.board.ForceRelease(bg, id, by)
		}
		return b.Board.Claim(bg, id, marker, lease, by)
	})
}

// fenced does a verb of a claim's holder, and sees to it that a stale one is
// refused.
func (b simBoard) fenced(ctx context.Context, verb, id string, f board.Fence, do func(f board.Fence) (board.Issue, error)) (board.Issue, error) {
	return asked(b.l, ctx, verb+" "+short(id), true, func() (board.Issue, error) {
		s := b.l.s
		now, gone := b.Board.Get(bg, id)
		stale := gone != nil || now.Fence() != f
		if now.Claim != "" && s.mut.fence {
			f = now.Fence()
		}
		is, err := do(f)
		if err == nil && stale {
			s.violate("I2: %s of %s by a holder that it does not have: %+v instead of %+v", verb, short(id), f, now.Fence())
		}
		return is, err
	})
}

func (b simBoard) Renew(ctx context.Context, id string, f board.Fence, lease time.Duration) error {
	_, err := b.fenced(ctx, "Renew", id, f, func(f board.Fence) (board.Issue, error) {
		return board.Issue{}, b.Board.Renew(bg, id, f, lease)
	})
	return err
}

func (b simBoard) Release(ctx context.Context, id string, f board.Fence, by board.Cause) (board.Issue, error) {
	return b.fenced(ctx, "Release", id, f, func(f board.Fence) (board.Issue, error) {
		return b.Board.Release(bg, id, f, by)
	})
}

func (b simBoard) SetState(ctx context.Context, id string, f board.Fence, to board.Filing, by board.Cause) (board.Issue, error) {
	return b.fenced(ctx, "SetState "+to.To, id, f, func(f board.Fence) (board.Issue, error) {
		return b.Board.SetState(bg, id, f, to, by)
	})
}

func (b simBoard) SetLastRun(ctx context.Context, id string, f board.Fence, r board.RunRef, by board.Cause) (board.Issue, error) {
	return b.fenced(ctx, "SetLastRun", id, f, func(f board.Fence) (board.Issue, error) {
		return b.Board.SetLastRun(bg, id, f, r, by)
	})
}

func (b simBoard) SetAwaitingInput(ctx context.Context, id string, f board.Fence, on bool, by board.Cause) (board.Issue, error) {
	return b.fenced(ctx, "SetAwaitingInput", id, f, func(f board.Fence) (board.Issue, error) {
		return b.Board.SetAwaitingInput(bg, id, f, on, by)
	})
}

func (b simBoard) SetGaveUp(ctx context.Context, id string, f board.Fence, g board.GaveUp, by board.Cause) (board.Issue, error) {
	return b.fenced(ctx, "SetGaveUp", id, f, func(f board.Fence) (board.Issue, error) {
		return b.Board.SetGaveUp(bg, id, f, g, by)
	})
}

type simRunsPort struct{ l *simLife }

func (p simRunsPort) Launch(ctx context.Context, l Launch) error {
	return told(p.l, ctx, "Launch "+l.RunID, func() error { return p.l.s.runs.launch(p.l, l) })
}

func (p simRunsPort) Resume(ctx context.Context, r Resume) error {
	return told(p.l, ctx, "Resume "+r.RunID, func() error { return p.l.s.runs.resume(p.l, r) })
}

func (p simRunsPort) Await(ctx context.Context, id string) (RunView, error) {
	var v RunView
	c := &simCall{ctx: ctx, key: "Await " + id, ready: func() bool { return p.l.s.runs.waited(id) }, do: func() (err error) {
		v, err = p.l.s.runs.recovered(id)
		return err
	}}
	if err := p.l.call(c); err != nil {
		return RunView{}, err
	}
	return v, nil
}

func (p simRunsPort) Inspect(ctx context.Context, id string) (RunView, error) {
	return asked(p.l, ctx, "Inspect "+id, false, func() (RunView, error) { return p.l.s.runs.inspect(id) })
}

func (p simRunsPort) LiveByIssue(ctx context.Context, id string) ([]RunView, error) {
	return asked(p.l, ctx, "LiveByIssue "+short(id), false, func() ([]RunView, error) {
		if p.l.s.mut.blind {
			return nil, nil
		}
		return p.l.s.runs.liveOf(id)
	})
}

func (p simRunsPort) LiveWithoutCard(context.Context) ([]RunView, error) { return nil, nil }

func (p simRunsPort) Stop(ctx context.Context, id, verb, by, note string) error {
	return told(p.l, ctx, "Stop "+id+" "+verb, func() error { return p.l.s.runs.stop(id, verb, by, note) })
}

type simSpaces struct{ l *simLife }

func (p simSpaces) Prepare(ctx context.Context, is board.Issue, runID string, _ bool) (string, error) {
	return asked(p.l, ctx, "Prepare "+short(is.ID), true, func() (string, error) {
		switch p.l.s.space {
		case 1:
			return "", errors.New("no space left on device")
		case 2:
			return "", &WorkspaceBusyError{Dir: "/work", By: "somebody"}
		case 3:
			p.l.s.card(is.ID).total++ // its dispatcher may die before it hears of it
			return "", fmt.Errorf("before_run: %w", ErrHook)
		}
		return "/work/" + is.ID, nil
	})
}

func (p simSpaces) Returned(context.Context, board.Issue, string) {}

func (p simSpaces) Release(context.Context, board.Issue, string, bool, bool) error { return nil }

type simJournal struct{ l *simLife }

func (p simJournal) Put(ctx context.Context, e JournalEntry) error {
	return told(p.l, ctx, "Put "+short(e.IssueID)+" "+e.Phase, func() error {
		if p.l.s.mut.lateJournal && e.Phase == PhaseLaunching {
			e.Phase, e.RunID = PhaseClaiming, ""
		}
		return p.l.s.journal.Put(bg, e)
	})
}

func (p simJournal) Remove(ctx context.Context, id, owner, marker string) error {
	return told(p.l, ctx, "Remove "+short(id), func() error { return p.l.s.journal.Remove(bg, id, owner, marker) })
}

func (p simJournal) Entries(ctx context.Context) ([]JournalEntry, error) {
	return asked(p.l, ctx, "Entries", false, func() ([]JournalEntry, error) {
		entries, err := p.l.s.journal.Entries(bg)
		if p.l.s.mut.selfish {
			entries = slices.DeleteFunc(entries, func(e JournalEntry) bool {
				return e.Owner != p.l.d.opts.Owner && !p.l.s.journal.dead[e.Owner]
			})
		}
		return entries, err
	})
}

func (p simJournal) Adopt(ctx context.Context, owner string) ([]JournalEntry, error) {
	return asked(p.l, ctx, "Adopt", true, func() ([]JournalEntry, error) {
		switch {
		case p.l.s.mut.noAdopt:
			return nil, nil
		case p.l.s.mut.adoptAll:
			for _, l := range p.l.s.lives {
				p.l.s.journal.bury(l.d.opts.Owner)
			}
			delete(p.l.s.journal.dead, owner)
		}
		return p.l.s.journal.Adopt(bg, owner)
	})
}

type simLedger struct{ l *simLife }

func (p simLedger) Load(ctx context.Context) (map[string]RetryEntry, error) {
	return asked(p.l, ctx, "Load", false, func() (map[string]RetryEntry, error) {
		all := maps.Clone(p.l.s.ledger)
		for id, e := range all {
			if p.l.s.mut.twice {
				e.LastRunID, e.LastOutcome = "", 0
				all[id] = e
			}
		}
		return all, nil
	})
}

func (p simLedger) Save(ctx context.Context, entries map[string]RetryEntry) error {
	return told(p.l, ctx, "Save", func() error {
		for id, e := range entries {
			if p.l.s.mut.forgetful {
				break
			}
			if p.l.s.ledger[id] = e; e == (RetryEntry{}) {
				delete(p.l.s.ledger, id)
			}
		}
		p.l.s.checkLedger()
		return nil
	})
}

// short names a card in a trace.
func short(id string) string { return "card-" + board.ShortID(id)[7:] }
