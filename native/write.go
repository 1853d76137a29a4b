package native

import (
	"context"
	"fmt"
	"slices"
	"time"

	"iterion/native/board"
)

// judge is a verb's question to the rules, with the card as it stands.
type judge func(w *writer, r board.Rules, i board.Issue) (board.Change, error)

// change runs a verb on one card.
func (s *Store) change(ctx context.Context, id string, by board.Cause, ask judge) (board.Issue, error) {
	return s.changeUnder(ctx, id, func(w *writer) (board.Rules, error) { return w.rules(by) }, ask)
}

// changeCard runs a verb that asks nothing of the board's columns and fields. It
// works while board.json cannot be read: a holder keeps its claim, and people
// can still comment.
func (s *Store) changeCard(ctx context.Context, id string, by board.Cause, ask judge) (board.Issue, error) {
	return s.changeUnder(ctx, id, func(w *writer) (board.Rules, error) { return w.cardRules(by), nil }, ask)
}

func (s *Store) changeUnder(ctx context.Context, id string, rules func(*writer) (board.Rules, error), ask judge) (board.Issue, error) {
	var after board.Issue
	err := s.write(ctx, func(w *writer) error {
		i, err := s.cards.read(id)
		if err != nil {
			return err
		}
		r, err := rules(w)
		if err != nil {
			return err
		}
		c, err := ask(w, r, i)
		if err != nil {
			return err
		}
		after = c.Issue
		return w.applyAll(r, c)
	})
	if err != nil {
		return board.Issue{}, err
	}
	return after, nil
}

func (w *writer) rules(by board.Cause) (board.Rules, error) {
	schema, err := w.s.schema.read()
	r := w.cardRules(by)
	r.Schema = schema
	return r, err
}

func (w *writer) cardRules(by board.Cause) board.Rules {
	return board.Rules{By: by, Now: time.Now(), Lookup: w.s.cards.read}
}

// applyAll writes a change together with what it brings about for other cards.
func (w *writer) applyAll(r board.Rules, c board.Change) error {
	verb := []board.Change{c}
	frees, err := w.frees(c)
	if err != nil {
		return err
	}
	if frees {
		dependents, err := w.dependents(c.Issue.ID)
		if err != nil {
			return err
		}
		verb = append(verb, r.Unblock(c.Issue, dependents)...)
	}
	return w.apply(verb)
}

// frees reports whether the change may free others.
func (w *writer) frees(c board.Change) (bool, error) {
	if !c.Closes() {
		return false, nil
	}
	if c.Event.Type != board.EventIssueCreated {
		return true, nil
	}
	if c.Issue.ID == w.fresh {
		return false, nil
	}
	return w.awaited(c.Issue.ID)
}

// dependents returns the cards that id is a blocker of. Which they are is known
// by each card's own file, so that this costs a look at all of them.
func (w *writer) dependents(id string) ([]board.Issue, error) {
	found, err := w.s.cards.pick(func(f *board.Facts) bool { return slices.Contains(f.Blockers, id) })
	return found.Issues, err
}

func (w *writer) create(draft board.Issue, by board.Cause) (board.Change, error) {
	if err := board.CheckID(draft.ID); err != nil {
		return board.Change{}, fmt.Errorf("create issue: %w", err)
	}
	if taken, err := exists(w.s.l.IssueFile(draft.ID)); err != nil {
		return board.Change{}, fmt.Errorf("create issue: %w", err)
	} else if taken {
		return board.Change{}, fmt.Errorf("create issue %s: %w", draft.ID, board.ErrExists)
	}
	r, err := w.rules(by)
	if err != nil {
		return board.Change{}, err
	}
	c, err := r.Create(draft)
	if err != nil {
		return board.Change{}, err
	}
	return c, w.applyAll(r, c)
}

// setSchema replaces the board that was by next.
func (w *writer) setSchema(was, next board.Schema, held map[string]int, by board.Cause) error {
	r := board.Rules{Schema: was, By: by, Now: time.Now()}
	c, err := r.SetSchema(next, held)
	if err != nil || c.Event == nil {
		return err
	}
	data, err := board.EncodeSchema(c.Schema)
	if err != nil {
		return err
	}
	return w.commit(change{id: boardName, data: data, event: *c.Event})
}

// held counts the cards in each column, for a board that is to become next. A
// card that cannot be read may be in any column, so that none may go.
func (w *writer) held(was, next board.Schema) (map[string]int, error) {
	held, broken, err := w.s.cards.held()
	if err != nil {
		return nil, err
	}
	for _, name := range was.StateNames() {
		if _, stays := next.State(name); !stays && len(broken) > 0 {
			return nil, fmt.Errorf("set board: %w: state %s cannot go while a card may be in it: %w", board.ErrInvalid, name, &broken[0])
		}
	}
	return held, nil
}
