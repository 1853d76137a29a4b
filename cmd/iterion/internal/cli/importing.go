package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"iterion/native/board"
	"iterion/native/exchange"
)

// importing is one import on its way.
type importing struct {
	f     *Factory
	b     board.Store
	rules board.Rules

	count  map[board.Outcome]int
	done   []board.Issue // created and updated
	did    []board.Outcome
	failed failures
	asked  int
	same   map[string]bool // ids of the cards that say the same already
}

// check names everything that is wrong with the input. Nothing was filed yet.
func (m *importing) check(ctx context.Context, items []exchange.Item) error {
	var bad failures
	m.same = map[string]bool{}
	seen := map[string]string{}
	for _, i := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		same, err := m.judge(i)
		if same {
			m.same[i.Record.Issue.ID] = true
		}
		if first, twice := seen[i.Record.Issue.ID]; err == nil && twice {
			err = fmt.Errorf("%w: the same id is in %s", board.ErrInvalid, first)
		}
		seen[i.Record.Issue.ID] = i.Where
		if err != nil {
			bad.add(fmt.Errorf("%s: %w", i.Where, err))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	err := bad.end(m.f, 0)
	m.f.Talk("nothing was imported: %d of %d records are wrong", len(bad), len(items))
	return err
}

// judge says what is wrong with a record whatever becomes of the others, and
// whether the card says the same already. What the store may refuse today and
// take tomorrow, such as a claimed card, is not wrong.
func (m *importing) judge(i exchange.Item) (same bool, err error) {
	if i.Err != nil {
		return false, i.Err
	}
	if err := board.CheckID(i.Record.Issue.ID); err != nil {
		return false, err
	}
	var was *board.Issue
	if is, err := m.rules.Lookup(i.Record.Issue.ID); err == nil {
		was = &is
	} else if !errors.Is(err, board.ErrNotFound) {
		return false, nil
	}
	_, did, err := m.rules.Import(was, i.Record)
	if errors.Is(err, board.ErrInvalid) {
		return false, err
	}
	return err == nil && did == board.ImportUnchanged, nil
}

// file files the records; its error is an interruption.
func (m *importing) file(ctx context.Context, items []exchange.Item) error {
	m.count, m.asked = map[board.Outcome]int{}, len(items)
	p := m.f.progress("importing", len(items))
	defer p.clear()
	for n, i := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.at(n)
		if m.same[i.Record.Issue.ID] {
			m.count[board.ImportUnchanged]++
			continue
		}
		is, did, err := m.b.Import(ctx, i.Record, m.f.Cause())
		if errors.Is(err, context.Canceled) {
			return err
		}
		if err != nil {
			m.failed.add(fmt.Errorf("%s: %w", i.Where, err))
			continue
		}
		m.count[did]++
		items[n].Record = board.Record{} // a large input need not be held whole
		if did != board.ImportUnchanged {
			m.done, m.did = append(m.done, m.brief(is)), append(m.did, did)
		}
	}
	return nil
}

// brief is what the report needs of a card.
func (m *importing) brief(is board.Issue) board.Issue {
	if m.f.Global.JSON {
		return is
	}
	return board.Issue{ID: is.ID, Title: is.Title, State: is.State, Blockers: is.Blockers, ParentID: is.ParentID}
}

// missing warns of cards that the imported ones point at and that there are not.
func (m *importing) missing() {
	warned := map[string]bool{}
	for _, i := range m.done {
		for _, id := range append(slices.Clone(i.Blockers), i.ParentID) {
			if id == "" || warned[id] {
				continue
			}
			if _, err := m.rules.Lookup(id); errors.Is(err, board.ErrNotFound) {
				warned[id] = true
				m.f.Warn("%s points at %s, which is not on the board", board.ShortID(i.ID), id)
			}
		}
	}
}

// report prints what was filed, and says at the end how much of it.
func (m *importing) report(interrupted error) error {
	if err := m.print(); err != nil {
		return err
	}
	err := m.failed.end(m.f, 0)
	m.f.Talk("%d created, %d updated, %d unchanged, %d failed of %d",
		m.count[board.ImportCreated], m.count[board.ImportUpdated], m.count[board.ImportUnchanged], len(m.failed), m.asked)
	if interrupted != nil {
		return interrupted
	}
	return err
}

func (m *importing) print() error {
	if m.f.Global.JSON {
		return m.f.PrintJSON(nonNil(m.done))
	}
	for n, is := range m.done {
		if m.f.Global.Quiet {
			m.f.Say("%s", is.ID)
		} else {
			m.f.Say("%s %s in %s: %s", m.did[n], shortTitle(is.Title), is.State, is.ID)
		}
	}
	return nil
}

// progress shows on a terminal how far a command is that takes more than a
// second.
func (f *Factory) progress(what string, of int) *progress {
	p := &progress{what: what, of: of, next: time.Now().Add(time.Second)}
	if f.IO.ErrTTY && !f.Global.Quiet && f.Env("TERM") != "dumb" {
		p.line = &footer{w: f.IO.Err, width: f.IO.width}
	}
	return p
}

type progress struct {
	what string
	of   int
	line *footer   // nil: nobody would see it
	next time.Time // when it is drawn again
}

func (p *progress) at(n int) {
	if now := time.Now(); p.line != nil && now.After(p.next) {
		p.next = now.Add(100 * time.Millisecond)
		p.line.draw(fmt.Sprintf("%s %d of %d (%d %%)", p.what, n, p.of, 100*n/p.of))
	}
}

func (p *progress) clear() { p.line.clear() }
