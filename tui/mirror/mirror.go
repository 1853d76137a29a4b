package mirror

import (
	"slices"
	"strings"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

// rebuildAt is the number of changed cards from which sorting a column anew is
// cheaper than moving its cards one by one.
const rebuildAt = 256

// Mirror is what is known. The zero value knows nothing; New makes one.
type Mirror struct {
	// Ready: the board has come, so an empty one is empty.
	Ready bool
	// Version grows with every Apply.
	Version int
	Status  control.Status
	Broken  []control.Broken
	Columns []*Column // in board order; columns that only cards know come last
	Views   []board.View
	Fields  []board.Field // custom ones

	states  []board.State
	columns map[string]*Column
	cards   map[string]*Card
	runs    []*run.Record // newest first
	runByID map[string]*run.Record

	live    map[string]*dispatch.Running // by card
	queued  map[string]*dispatch.Queued
	retries map[string]*dispatch.Retry
	held    map[string]*dispatch.Hold
	parked  map[string]*dispatch.Hold
}

// Card is one card and the text that filters look into.
type Card struct {
	control.Card
	Text string // case-folded
}

// Column is one state with its cards in display order: what the dispatcher would
// start first on top; in terminal columns what arrived last.
type Column struct {
	board.State
	Cards []*Card
	// Stray: the board does not have this state.
	Stray bool
	// Seen: the column has held a card since the mirror was made.
	Seen bool
	// Changed is the Version of the mirror in which Cards changed last.
	Changed int
}

// Title is what people call the column.
func (c *Column) Title() string {
	if c.Display != "" {
		return c.Display
	}
	return c.Name
}

// New makes an empty mirror.
func New() *Mirror {
	return &Mirror{
		columns: map[string]*Column{}, cards: map[string]*Card{}, runByID: map[string]*run.Record{},
		live: map[string]*dispatch.Running{}, queued: map[string]*dispatch.Queued{},
		retries: map[string]*dispatch.Retry{}, held: map[string]*dispatch.Hold{}, parked: map[string]*dispatch.Hold{},
	}
}

// Apply folds a frame in. A full one without a schema comes from a daemon that
// has not read the board yet: what is known stays until the board comes whole.
func (m *Mirror) Apply(f control.Frame) {
	m.Version++
	f.Full = f.Full && f.Schema != nil
	if f.Full {
		m.cards, m.runs, m.runByID = map[string]*Card{}, nil, map[string]*run.Record{}
		m.Broken = f.Broken
	} else if f.Broken != nil {
		m.Broken = f.Broken
	}
	if f.Schema != nil {
		m.states, m.Ready = f.Schema.States, true
		m.Views, m.Fields = f.Schema.Views, f.Schema.Fields
	}
	if f.Full || f.Schema != nil || len(f.Cards)+len(f.Gone) >= rebuildAt {
		m.rebuild(f)
	} else {
		m.patch(f)
	}
	m.applyRuns(f.Runs)
	if f.Status != nil {
		m.applyStatus(*f.Status)
	}
}

// Card returns one card, nil when there is none of that id.
func (m *Mirror) Card(id string) *Card { return m.cards[id] }

// Len is the number of cards.
func (m *Mirror) Len() int { return len(m.cards) }

// Column returns a column by its state's name, nil when there is none.
func (m *Mirror) Column(state string) *Column { return m.columns[state] }

func (m *Mirror) rebuild(f control.Frame) {
	for _, id := range f.Gone {
		delete(m.cards, id)
	}
	for i := range f.Cards {
		m.cards[f.Cards[i].ID] = newCard(f.Cards[i])
	}
	old := m.columns
	m.Columns, m.columns = nil, map[string]*Column{}
	for _, s := range m.states {
		m.addColumn(&Column{State: s}, old)
	}
	for _, c := range m.cards {
		col := m.home(c.State)
		col.Cards = append(col.Cards, c)
	}
	for _, col := range m.Columns {
		slices.SortFunc(col.Cards, col.compare)
		col.Seen, col.Changed = col.Seen || len(col.Cards) > 0, m.Version
	}
}

func (m *Mirror) addColumn(c *Column, old map[string]*Column) {
	if o := old[c.Name]; o != nil {
		c.Seen = o.Seen
	}
	m.Columns, m.columns[c.Name] = append(m.Columns, c), c
}

// home returns the column of a state, making one for a state that the board
// does not have: such a card must not be invisible.
func (m *Mirror) home(state string) *Column {
	if c := m.columns[state]; c != nil {
		return c
	}
	c := &Column{State: board.State{Name: state}, Stray: true}
	m.addColumn(c, nil)
	return c
}

func (m *Mirror) patch(f control.Frame) {
	for _, id := range f.Gone {
		m.remove(id)
	}
	for i := range f.Cards {
		m.remove(f.Cards[i].ID)
		m.insert(newCard(f.Cards[i]))
	}
}

func (m *Mirror) remove(id string) {
	c := m.cards[id]
	if c == nil {
		return
	}
	delete(m.cards, id)
	col := m.columns[c.State]
	if i, ok := slices.BinarySearchFunc(col.Cards, c, col.compare); ok {
		col.Cards, col.Changed = slices.Delete(col.Cards, i, i+1), m.Version
	}
}

func (m *Mirror) insert(c *Card) {
	m.cards[c.ID] = c
	col := m.home(c.State)
	i, _ := slices.BinarySearchFunc(col.Cards, c, col.compare)
	col.Cards, col.Seen, col.Changed = slices.Insert(col.Cards, i, c), true, m.Version
}

// compare orders the cards of a column; no two cards are equal.
func (c *Column) compare(a, b *Card) int {
	if c.Terminal {
		if d := b.arrived().Compare(a.arrived()); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	}
	return board.DispatchOrder(&a.Issue, &b.Issue)
}

func newCard(c control.Card) *Card {
	text := strings.Join([]string{c.ID, c.Title, c.Bot, c.Assignee, strings.Join(c.Labels, " ")}, "\n")
	return &Card{Card: c, Text: strings.ToLower(text)}
}

// Index finds c in list, which is Cards or a subsequence of it; -1 when it is
// not there.
func (c *Column) Index(list []*Card, card *Card) int {
	if card == nil {
		return -1
	}
	if i, ok := slices.BinarySearchFunc(list, card, c.compare); ok {
		return i
	}
	return -1
}

// Match reports whether every word, each case-folded, is found in the card.
func (c *Card) Match(words []string) bool {
	for _, w := range words {
		if !strings.Contains(c.Text, w) {
			return false
		}
	}
	return true
}

// Dependents are the cards that name a card among their blockers, in board order.
func (m *Mirror) Dependents(id string) []*Card {
	var out []*Card
	for _, col := range m.Columns {
		for _, c := range col.Cards {
			if slices.Contains(c.Blockers, id) {
				out = append(out, c)
			}
		}
	}
	return out
}
