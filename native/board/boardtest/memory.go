package boardtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"iterion/native/board"
)

// Memory is a board.Store in memory.
type Memory struct {
	// Before, when set, is asked before each verb; its error is the verb's, and
	// nothing happens. The verb bears the name of the Store's method, and the id
	// is empty for verbs of the whole board. Set it before the store is shared.
	Before func(verb, id string) error
	// After, when set, is asked after each verb that wrote something; its error
	// is the verb's although the write stands, as with board.ErrAmbiguous.
	After func(verb, id string) error

	mu     sync.Mutex
	schema board.Schema
	cards  map[string]board.Issue
	events []board.Event
}

var _ board.Store = (*Memory)(nil)

// NewMemory returns an empty board with the default schema.
func NewMemory() *Memory {
	return &Memory{schema: board.DefaultSchema(), cards: map[string]board.Issue{}}
}

// enter begins a verb: it locks the board unless ctx or the Before hook says no.
func (m *Memory) enter(ctx context.Context, verb, id string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s %s: %w", verb, id, err)
	}
	if m.Before != nil {
		if err := m.Before(verb, id); err != nil {
			return err
		}
	}
	m.mu.Lock()
	return nil
}

func (m *Memory) rules(by board.Cause) board.Rules {
	return board.Rules{Schema: m.schema, By: by, Now: time.Now(), Lookup: m.card}
}

func (m *Memory) card(id string) (board.Issue, error) {
	i, ok := m.cards[id]
	if !ok {
		return board.Issue{}, fmt.Errorf("issue %s: %w", id, board.ErrNotFound)
	}
	return i, nil
}

// judge is a verb's question to the rules, with the card as it stands.
type judge func(r board.Rules, i board.Issue) (board.Change, error)

// change runs a verb on one card.
func (m *Memory) change(ctx context.Context, verb, id string, by board.Cause, ask judge) (board.Issue, error) {
	if err := m.enter(ctx, verb, id); err != nil {
		return board.Issue{}, err
	}
	c, err := m.commit(id, by, ask)
	m.mu.Unlock()
	if err == nil && c.Write && m.After != nil {
		err = m.After(verb, id)
	}
	if err != nil {
		return board.Issue{}, err
	}
	return c.Issue.Clone(), nil
}

func (m *Memory) commit(id string, by board.Cause, ask judge) (board.Change, error) {
	i, err := m.card(id)
	if err != nil {
		return board.Change{}, err
	}
	r := m.rules(by)
	c, err := ask(r, i.Clone())
	if err != nil {
		return board.Change{}, err
	}
	m.applyAll(r, c)
	return c, nil
}

// applyAll makes a change together with what it brings about for other cards.
func (m *Memory) applyAll(r board.Rules, c board.Change) {
	m.apply(c)
	if c.Closes() {
		for _, follow := range r.Unblock(c.Issue, m.dependents(c.Issue.ID)) {
			m.apply(follow)
		}
	}
}

// apply makes a change and its event one.
func (m *Memory) apply(c board.Change) {
	switch {
	case c.Gone:
		delete(m.cards, c.Issue.ID)
	case c.Write:
		m.cards[c.Issue.ID] = c.Issue.Clone()
	}
	m.append(c.Event)
}

func (m *Memory) append(e *board.Event) {
	if e != nil {
		e.Seq = int64(len(m.events))
		m.events = append(m.events, *e)
	}
}

func (m *Memory) dependents(id string) []board.Issue {
	return board.Dependents(m.all(), id)
}

// all returns the cards in the order of their ids.
func (m *Memory) all() []board.Issue {
	out := make([]board.Issue, 0, len(m.cards))
	for _, id := range slices.Sorted(maps.Keys(m.cards)) {
		out = append(out, m.cards[id].Clone())
	}
	return out
}
