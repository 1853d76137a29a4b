package trigger

import (
	"context"
	"maps"
	"sync"
	"time"
)

// MemoryInbox is an Inbox in memory, for tests and simulations.
type MemoryInbox struct {
	mu        sync.Mutex
	posted    []Posted
	next      int64
	told      map[string]string
	baselined bool
}

var _ Inbox = (*MemoryInbox)(nil)

// NewMemoryInbox returns an empty inbox.
func NewMemoryInbox() *MemoryInbox { return &MemoryInbox{told: map[string]string{}} }

// Put implements Inbox.
func (m *MemoryInbox) Put(ctx context.Context, events ...Event) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := map[string]bool{}
	for _, p := range m.posted[max(0, len(m.posted)-InboxLookback):] {
		ids[p.Event.ID] = true
	}
	fresh, err := Unseen(events, ids)
	if err != nil {
		return 0, err
	}
	for _, e := range fresh {
		m.posted = append(m.posted, Posted{Seq: m.next, At: time.Now().UTC(), Event: e.Clone()})
		m.next++
		if e.RunID != "" {
			m.told[e.RunID] = e.ID
		}
	}
	return len(fresh), nil
}

// Unseen returns the events that are not among ids, each once, and adds them there.
// One without an id is ErrNoEventID.
func Unseen(events []Event, ids map[string]bool) ([]Event, error) {
	var fresh []Event
	for _, e := range events {
		if e.ID == "" {
			return nil, ErrNoEventID
		}
		if !ids[e.ID] {
			ids[e.ID] = true
			fresh = append(fresh, e)
		}
	}
	return fresh, nil
}

// Events implements Inbox.
func (m *MemoryInbox) Events(ctx context.Context, after int64, limit int) ([]Posted, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Posted
	for _, p := range m.posted {
		if p.Seq > after && (limit == 0 || len(out) < limit) {
			p.Event = p.Event.Clone()
			out = append(out, p)
		}
	}
	return out, ctx.Err()
}

// Tip implements Inbox.
func (m *MemoryInbox) Tip(ctx context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.next - 1, ctx.Err()
}

// Told implements Inbox.
func (m *MemoryInbox) Told(ctx context.Context) (map[string]string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.told), m.baselined, ctx.Err()
}

// Baseline implements Inbox.
func (m *MemoryInbox) Baseline(ctx context.Context, last map[string]string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.told, last)
	m.baselined = true
	return nil
}

// Trim implements Inbox.
func (m *MemoryInbox) Trim(ctx context.Context, upto int64, keep func(string) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for n < len(m.posted) && m.posted[n].Seq <= upto {
		n++
	}
	m.posted = append([]Posted(nil), m.posted[n:]...)
	maps.DeleteFunc(m.told, func(id, _ string) bool { return !keep(id) })
	return nil
}
