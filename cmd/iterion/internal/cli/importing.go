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

// importing is one import on its way. It goes through its input twice, one card
// at a time, and holds no more of it than what is asked again.
type importing struct {
	f     *Factory
	b     board.Store
	rules board.Rules
	in    *importSource

	judged map[string]judged // by id
	ids    []string          // in the order of the input
	links  []*importLinks

	count  map[board.Outcome]int
	told   importReport
	points []pointer
	failed failures
}

// judged is what was found out about a record before anything is filed.
type judged struct {
	where string
	same  bool // the card says the same already
}

// pointer is a card that an imported one points at.
type pointer struct{ from, to string }

// file files the records; its error is an interruption or one of the input.
func (m *importing) file(ctx context.Context) error {
	m.count = map[board.Outcome]int{}
	p := m.f.progress("importing", len(m.ids))
	if m.f.Global.JSON {
		p.line = nil // cards are printed meanwhile
	}
	defer p.clear()
	n := 0
	var held []exchange.Item // by a cycle that one of the later records may open
	err := m.in.each(func(i exchange.Item) error {
		p.at(n)
		n++
		if m.judged[i.Record.Issue.ID].same {
			m.count[board.ImportUnchanged]++
			return ctx.Err()
		}
		err := m.fileOne(ctx, i)
		if isCycle(err) {
			held = append(held, i)
			err = nil
		}
		return err
	})
	for again := true; again && err == nil && len(held) > 0; {
		held, again, err = m.fileHeld(ctx, held)
	}
	return err
}

// fileHeld tries again what a cycle kept out; those that it keeps out still are
// returned, or have failed when there is no use in another round.
func (m *importing) fileHeld(ctx context.Context, items []exchange.Item) (held []exchange.Item, again bool, err error) {
	var cycles failures
	for _, i := range items {
		switch err := m.fileOne(ctx, i); {
		case isCycle(err):
			held = append(held, i)
			cycles.add(fmt.Errorf("%s: %w", i.Where, err))
		case err != nil:
			return nil, false, err
		}
	}
	if again = len(held) < len(items); !again {
		m.failed = append(m.failed, cycles...)
	}
	return held, again, nil
}

// fileOne files a record. Its error is an interruption, or a cycle; another
// refusal is a failure of this one record.
func (m *importing) fileOne(ctx context.Context, i exchange.Item) error {
	if err := errors.Join(ctx.Err(), i.Err); err != nil {
		return err // the input has changed since it was looked at
	}
	is, did, err := m.b.Import(ctx, i.Record, m.f.Cause())
	switch {
	case errors.Is(err, context.Canceled), isCycle(err):
		return err
	case err != nil:
		m.failed.add(fmt.Errorf("%s: %w", i.Where, err))
		return nil
	}
	m.count[did]++
	if did == board.ImportUnchanged {
		return nil
	}
	for _, to := range append(slices.Clone(is.Blockers), is.ParentID) {
		if to != "" {
			m.points = append(m.points, pointer{is.ID, to})
		}
	}
	return m.told.add(m.f, is, did)
}

// missing warns of cards that the imported ones point at and that there are not.
func (m *importing) missing() {
	asked := map[string]bool{}
	for _, p := range m.points {
		if asked[p.to] {
			continue
		}
		asked[p.to] = true
		if _, err := m.rules.Lookup(p.to); errors.Is(err, board.ErrNotFound) {
			m.f.Warn("%s points at %s, which is not on the board", board.ShortID(p.from), p.to)
		}
	}
}

// report prints what was filed, and says at the end how much of it.
func (m *importing) report(interrupted error) error {
	m.told.end(m.f)
	err := m.failed.end(m.f, 0)
	m.f.Talk("%d created, %d updated, %d unchanged, %d failed of %d",
		m.count[board.ImportCreated], m.count[board.ImportUpdated], m.count[board.ImportUnchanged], len(m.failed), len(m.ids))
	if interrupted != nil {
		return interrupted
	}
	return err
}

// importReport is what is printed of the cards that were filed: a line each at
// the end, or the cards themselves as they come.
type importReport struct {
	lines []string
	array *indentedArray
}

func (r *importReport) add(f *Factory, is board.Issue, did board.Outcome) error {
	switch {
	case f.Global.JSON:
		card, err := board.EncodeIssue(is)
		if err != nil {
			return err
		}
		r.begin(f)
		r.array.add(card)
	case f.Global.Quiet:
		r.lines = append(r.lines, is.ID)
	default:
		r.lines = append(r.lines, fmt.Sprintf("%s %s in %s: %s", did, shortTitle(is.Title), is.State, is.ID))
	}
	return nil
}

func (r *importReport) begin(f *Factory) {
	if r.array == nil {
		r.array = newIndentedArray(f.IO.Out)
	}
}

func (r *importReport) end(f *Factory) {
	if f.Global.JSON {
		r.begin(f)
		r.array.end()
	}
	for _, l := range r.lines {
		f.Say("%s", l)
	}
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
