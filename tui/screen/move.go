package screen

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/tui/kit"
	"iterion/tui/mirror"
)

// MoveTo refiles cards, asking first where some leave a terminal column. moved is
// called when the request goes out.
func (e *Env) MoveTo(cards []*mirror.Card, to string, moved func()) tea.Cmd {
	target := e.Mirror.Column(to)
	if !e.May() || len(cards) == 0 {
		return nil
	}
	if target == nil || target.Stray {
		e.Say(kit.MarkBad, "the board has no column "+kit.Line(to))
		return nil
	}
	m := move{to: to, title: kit.Line(target.Title()), by: e.By}
	reopened := 0
	for _, c := range cards {
		if c.State == to {
			continue
		}
		from := e.Mirror.Column(c.State)
		reopen := from != nil && from.Terminal && !target.Terminal
		if reopen {
			reopened++
		}
		m.cards = append(m.cards, refiled{id: c.ID, from: c.State, reopen: reopen, back: target.Terminal && (from == nil || !from.Terminal)})
	}
	if len(m.cards) == 0 {
		return nil
	}
	do := func() tea.Cmd {
		moved()
		return e.run(m)
	}
	if reopened == 0 {
		return do()
	}
	e.Open(&kit.Confirm{Ask: reopenAsk(reopened), Yes: "reopen", Do: do, Facts: []string{
		kit.Line(cards[0].Title), "It is where cards end. Reopening files under " + m.title + ".",
	}})
	return nil
}

func reopenAsk(n int) string {
	if n == 1 {
		return "Reopen this card?"
	}
	return fmt.Sprintf("Reopen %d cards?", n)
}

// move is the refiling of some cards under one column.
type move struct {
	cards     []refiled
	to, title string
	by        string
}

// refiled is one card of a move. reopen is needed to leave its column, back to come
// back to it.
type refiled struct {
	id, from     string
	reopen, back bool
}

func (e *Env) run(m move) tea.Cmd {
	ctx, src := e.Ctx, e.Source
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, verbTime)
		defer cancel()
		done, err := m.do(ctx, src)
		out := Done{Text: m.said(done), Err: err}
		if len(done) > 0 {
			out.Undo = m.undo(done)
		}
		if err != nil && len(m.cards) > 1 {
			out.Err = fmt.Errorf("%d of %d moved: %w", len(done), len(m.cards), err)
		}
		return out
	}
}

// do moves what it can and returns that.
func (m move) do(ctx context.Context, src Source) (done []refiled, err error) {
	for _, c := range m.cards {
		_, one := src.Move(ctx, c.id, control.MoveIssue{To: m.to, Reopen: c.reopen, By: m.by})
		if one == nil {
			done = append(done, c)
		}
		err = errors.Join(err, one)
	}
	return done, err
}

func (m move) said(done []refiled) string {
	if len(done) == 1 {
		return kit.Short(done[0].id) + " is in " + m.title
	}
	return fmt.Sprintf("%d cards are in %s", len(done), m.title)
}

// undo takes a move back for the cards that are still where it put them.
func (m move) undo(done []refiled) *Undo {
	return &Undo{
		Text: "the move of " + countOf(len(done)) + " to " + m.title,
		Do: func(e *Env) tea.Cmd {
			var back []refiled
			for _, c := range done {
				if now := e.Mirror.Card(c.id); now != nil && now.State == m.to {
					back = append(back, c)
				}
			}
			if len(back) == 0 {
				e.Say(kit.MarkAsk, "nothing is taken back: "+countOf(len(done))+" moved on meanwhile")
				return nil
			}
			return e.Do(func(ctx context.Context, src Source) (string, error) {
				var err error
				for _, c := range back {
					_, one := src.Move(ctx, c.id, control.MoveIssue{To: c.from, Reopen: c.back, By: m.by})
					err = errors.Join(err, one)
				}
				return countOf(len(back)) + " moved back", err
			})
		},
	}
}

// countOf says how many cards.
func countOf(n int) string {
	if n == 1 {
		return "1 card"
	}
	return fmt.Sprintf("%d cards", n)
}

// AskMove offers every column.
func (e *Env) AskMove(cards []*mirror.Card, moved func()) {
	if !e.May() || len(cards) == 0 {
		return
	}
	p := &kit.Picker{Ask: "Move " + nameOf(cards) + " to"}
	columns := e.Mirror.Columns
	for _, col := range columns {
		if col.Stray { // these come last
			continue
		}
		here := len(cards) == 1 && col.Name == cards[0].State
		if here {
			p.At = len(p.Items)
		}
		p.Items = append(p.Items, kit.Item{Name: kit.Line(col.Title()), Note: columnNote(col, here)})
	}
	p.Pick = func(i int) tea.Cmd { return e.MoveTo(cards, columns[i].Name, moved) }
	e.Open(p)
}

// nameOf names one card by its id and several by their number.
func nameOf(cards []*mirror.Card) string {
	if len(cards) == 1 {
		return kit.Short(cards[0].ID)
	}
	return countOf(len(cards))
}
