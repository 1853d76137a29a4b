package trigger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Change is one step of an outbox that is kept in memory: what a Table's verbs
// return and its Apply takes in. The file twin writes each as lines of its log.
type Change struct {
	Add     []Effect         `json:"add,omitempty"`
	Set     []Mark           `json:"set,omitempty"`
	Drop    []string         `json:"drop,omitempty"` // ids
	Cursors map[string]int64 `json:"cursors,omitempty"`
}

// Empty reports whether the change changes nothing.
func (c Change) Empty() bool { return len(c.Add)+len(c.Set)+len(c.Drop)+len(c.Cursors) == 0 }

// Mark is the part of a row that changes during its life.
type Mark struct {
	ID            string      `json:"id"`
	State         EffectState `json:"state"`
	Attempts      int         `json:"attempts,omitempty"`
	ClaimID       string      `json:"claim_id,omitempty"`
	ClaimUntil    time.Time   `json:"claim_until,omitzero"`
	ConsumeMarked bool        `json:"consume_marked,omitempty"`
	NotBefore     time.Time   `json:"not_before,omitzero"`
	Held          bool        `json:"held,omitempty"`
	LastError     string      `json:"last_error,omitempty"`
	Outcome       string      `json:"outcome,omitempty"`
	UpdatedAt     time.Time   `json:"updated_at,omitzero"`
}

func (e Effect) mark() Mark {
	return Mark{
		ID: e.ID, State: e.State, Attempts: e.Attempts, ClaimID: e.ClaimID, ClaimUntil: e.ClaimUntil,
		ConsumeMarked: e.ConsumeMarked, NotBefore: e.NotBefore, Held: e.Held, LastError: e.LastError,
		Outcome: e.Outcome, UpdatedAt: e.UpdatedAt,
	}
}

func (m Mark) on(e Effect) Effect {
	e.State, e.Attempts, e.ClaimID, e.ClaimUntil = m.State, m.Attempts, m.ClaimID, m.ClaimUntil
	e.ConsumeMarked, e.NotBefore, e.Held, e.LastError = m.ConsumeMarked, m.NotBefore, m.Held, m.LastError
	e.Outcome, e.UpdatedAt = m.Outcome, m.UpdatedAt
	return e
}

// Table holds the rows and cursors of an outbox in memory, in the order in which
// the rows were made. Its verbs judge and change nothing; Apply changes. It is not
// safe for concurrent use.
type Table struct {
	rows    map[string]*tableRow
	open    []*tableRow // those that may be claimed, and some that no longer may
	made    int64
	cursors map[string]int64
	counts  map[EffectState]int
}

type tableRow struct {
	Effect
	nth    int64
	inOpen bool
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{rows: map[string]*tableRow{}, cursors: map[string]int64{}, counts: map[EffectState]int{}}
}

// Apply takes a change in. The same change again is harmless, and what it says of
// rows that are not there is passed over.
func (t *Table) Apply(c Change) {
	for _, e := range c.Add {
		if t.rows[e.ID] == nil {
			t.insert(e)
		}
	}
	for _, m := range c.Set {
		if r := t.rows[m.ID]; r != nil {
			t.replace(r, m.on(r.Effect))
		}
	}
	for _, id := range c.Drop {
		if r := t.rows[id]; r != nil {
			t.counts[r.State]--
			r.State = "" // whoever still lists it as open passes it over
			delete(t.rows, id)
		}
	}
	for feed, at := range c.Cursors {
		if was, ok := t.cursors[feed]; !ok || at > was {
			t.cursors[feed] = at
		}
	}
}

func (t *Table) insert(e Effect) {
	t.made++
	r := &tableRow{Effect: e, nth: t.made}
	t.rows[e.ID] = r
	t.counts[e.State]++
	t.list(r)
}

func (t *Table) replace(r *tableRow, e Effect) {
	t.counts[r.State]--
	t.counts[e.State]++
	r.Effect = e
	t.list(r)
}

// list puts an open row back among those that may be claimed. One that was made
// long ago and is tried again comes last there; claims sort it to its place.
func (t *Table) list(r *tableRow) {
	if r.Open() && !r.inOpen {
		r.inOpen = true
		t.open = append(t.open, r)
	}
}

// opened returns the rows that may be claimed, oldest first.
func (t *Table) opened() []*tableRow {
	kept := t.open[:0]
	for _, r := range t.open {
		if r.inOpen = r.Open(); r.inOpen {
			kept = append(kept, r)
		}
	}
	clear(t.open[len(kept):])
	t.open = kept
	if !slices.IsSortedFunc(t.open, older) {
		slices.SortFunc(t.open, older)
	}
	return t.open
}

func older(a, b *tableRow) int { return cmp.Compare(a.nth, b.nth) }

// Cursor returns the place in a feed.
func (t *Table) Cursor(feed string) (int64, bool) {
	at, ok := t.cursors[feed]
	return at, ok
}

// Cursors returns the places in all feeds.
func (t *Table) Cursors() map[string]int64 {
	out := map[string]int64{}
	for k, v := range t.cursors {
		out[k] = v
	}
	return out
}

// Add is the change that makes those of rows that are not there, and moves the
// cursor forward.
func (t *Table) Add(feed string, at int64, rows []Effect) (Change, error) {
	var c Change
	seen := map[string]bool{}
	for _, e := range rows {
		if e.ID == "" {
			return c, fmt.Errorf("add effects of %s: a row has no id", feed)
		}
		if t.rows[e.ID] == nil && !seen[e.ID] {
			seen[e.ID] = true
			if e.State == "" {
				e.State = Pending
			}
			c.Add = append(c.Add, e)
		}
	}
	if was, ok := t.cursors[feed]; feed != "" && (!ok || at > was) {
		c.Cursors = map[string]int64{feed: at}
	}
	return c, nil
}

// Claim is the change that claims at most limit due rows under ids of newID. claimed
// are the rows as they will be.
func (t *Table) Claim(now time.Time, limit int, newID func() string) (c Change, claimed []Effect) {
	for _, r := range t.opened() {
		if len(claimed) >= limit {
			break
		}
		if !r.Due(now) {
			continue
		}
		e := r.Claimed(newID(), now)
		c.Set = append(c.Set, e.mark())
		if e.State == Claimed {
			claimed = append(claimed, e)
		}
	}
	return c, claimed
}

// Held is the change that do makes of a row that is under that claim. ErrLostClaim.
func (t *Table) Held(id, claimID string, do func(Effect) Effect) (Change, Effect, error) {
	r := t.rows[id]
	if r == nil {
		return Change{}, Effect{}, fmt.Errorf("effect %s: %w", id, ErrLostClaim)
	}
	if err := r.Holds(claimID); err != nil {
		return Change{}, Effect{}, err
	}
	e := do(r.Effect)
	return Change{Set: []Mark{e.mark()}}, e, nil
}

// Wake is the change that makes at most limit (0: all) held rows due.
func (t *Table) Wake(now time.Time, limit int) Change {
	var c Change
	for _, r := range t.opened() {
		if limit > 0 && len(c.Set) >= limit {
			break
		}
		if r.State == Pending && r.Effect.Held && r.NotBefore.After(now) {
			e := r.Effect
			e.NotBefore, e.UpdatedAt = now, now
			c.Set = append(c.Set, e.mark())
		}
	}
	return c
}

// Expire is the change that ends the horizons of all claims, for who has the proof
// that whoever made them is dead.
func (t *Table) Expire(now time.Time) Change {
	var c Change
	for _, r := range t.opened() {
		if r.State == Claimed && r.ClaimUntil.After(now) {
			e := r.Effect
			e.ClaimUntil, e.UpdatedAt = now, now
			c.Set = append(c.Set, e.mark())
		}
	}
	return c
}

// NextDue returns the earliest instant at which a row can be claimed.
func (t *Table) NextDue() (at time.Time, ok bool) {
	for _, r := range t.opened() {
		if due := r.DueAt(); !ok || due.Before(at) {
			at, ok = due, true
		}
	}
	return at, ok
}

// Counts returns how many rows are in each state.
func (t *Table) Counts() map[EffectState]int {
	out := map[EffectState]int{}
	for s, n := range t.counts {
		if n > 0 {
			out[s] = n
		}
	}
	return out
}

// List returns the rows that q selects, newest first.
func (t *Table) List(q EffectQuery) []Effect {
	all := t.All()
	slices.Reverse(all)
	var out []Effect
	for _, e := range all {
		if q.Limit > 0 && len(out) >= q.Limit {
			break
		}
		if (len(q.States) == 0 || slices.Contains(q.States, e.State)) &&
			(q.SubscriptionID == "" || q.SubscriptionID == e.SubscriptionID) {
			out = append(out, e.Clone())
		}
	}
	return out
}

// All returns the rows, oldest first. They share what they point to with the table.
func (t *Table) All() []Effect {
	rows := make([]*tableRow, 0, len(t.rows))
	for _, r := range t.rows {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, older)
	out := make([]Effect, len(rows))
	for n, r := range rows {
		out[n] = r.Effect
	}
	return out
}

// Get returns one row. ErrNoEffect.
func (t *Table) Get(id string) (Effect, error) {
	r := t.rows[id]
	if r == nil {
		return Effect{}, fmt.Errorf("effect %s: %w", id, ErrNoEffect)
	}
	return r.Clone(), nil
}

// Retry is the change that tries a row again. ErrNoEffect, ErrEffectState.
func (t *Table) Retry(id string, now time.Time) (Change, Effect, error) {
	e, err := t.Get(id)
	if err == nil {
		e, err = e.Retried(now)
	}
	if err != nil {
		return Change{}, e, err
	}
	return Change{Set: []Mark{e.mark()}}, e, nil
}

// Dropped is the change that removes a row. ErrNoEffect, ErrEffectState.
func (t *Table) Dropped(id string) (Change, error) {
	e, err := t.Get(id)
	if err == nil {
		err = e.Droppable()
	}
	if err != nil {
		return Change{}, err
	}
	return Change{Drop: []string{id}}, nil
}

// Prune is the change that forgets done rows that ended before.
func (t *Table) Prune(before time.Time) Change {
	var c Change
	for id, r := range t.rows {
		if r.State == Done && r.UpdatedAt.Before(before) {
			c.Drop = append(c.Drop, id)
		}
	}
	slices.Sort(c.Drop)
	return c
}

// Clone returns a row that shares nothing with e that can be changed.
func (e Effect) Clone() Effect {
	e.Event = e.Event.Clone()
	if e.Extra != nil {
		extra := make(map[string]json.RawMessage, len(e.Extra))
		for k, v := range e.Extra {
			extra[k] = slices.Clone(v)
		}
		e.Extra = extra
	}
	return e
}

// Clone returns an event that shares neither labels nor payload with e.
func (e Event) Clone() Event {
	e.Labels = slices.Clone(e.Labels)
	if e.Payload != nil {
		e.Payload, _ = copied(e.Payload).(map[string]any)
	}
	return e
}

func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = copied(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for n, x := range v {
			out[n] = copied(x)
		}
		return out
	case map[string]string:
		out := make(map[string]string, len(v))
		for k, x := range v {
			out[k] = x
		}
		return out
	}
	return v
}
