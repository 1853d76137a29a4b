package mirror

import (
	"slices"
	"strings"
	"time"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/run"
)

// Runs returns the known runs, newest first. The slice is the mirror's own.
func (m *Mirror) Runs() []*run.Record { return m.runs }

// Run returns one run, nil when it is not known.
func (m *Mirror) Run(id string) *run.Record { return m.runByID[id] }

// Live returns what the dispatcher says of a card that occupies a slot, else nil.
func (m *Mirror) Live(card string) *dispatch.Running { return m.live[card] }

// Waiting counts the eligible cards that were not started and are not on their
// way to another try.
func (m *Mirror) Waiting() int {
	n := 0
	for id := range m.queued {
		if m.retries[id] == nil {
			n++
		}
	}
	return n
}

// LiveRuns counts the runs that are queued or running, whoever launched them.
func (m *Mirror) LiveRuns() int {
	n := 0
	for _, r := range m.runs {
		if Active(r) {
			n++
		}
	}
	return max(n, len(m.live))
}

// Active reports whether a run holds a process or is about to.
func Active(r *run.Record) bool { return r.Status == run.Queued || r.Status == run.Running }

// CardRun returns the run that a card is on now or was on last: its id, and its
// record where it is known.
func (m *Mirror) CardRun(c *Card) (id string, r *run.Record) {
	id = c.LastRunID
	if l := m.live[c.ID]; l != nil && l.RunID != "" {
		id = l.RunID
	}
	return id, m.runByID[id]
}

func (m *Mirror) applyRuns(runs []run.Record) {
	for i := range runs {
		r := &runs[i]
		if m.runByID[r.ID] != nil {
			j := slices.IndexFunc(m.runs, func(o *run.Record) bool { return o.ID == r.ID })
			m.runs = slices.Delete(m.runs, j, j+1)
		}
		m.runByID[r.ID] = r
		at, _ := slices.BinarySearchFunc(m.runs, r, newestFirst)
		m.runs = slices.Insert(m.runs, at, r)
	}
	for len(m.runs) > 2*control.RunsMax { // a long sitting must not grow without end
		last := m.runs[len(m.runs)-1]
		delete(m.runByID, last.ID)
		m.runs = m.runs[:len(m.runs)-1]
	}
}

func newestFirst(a, b *run.Record) int {
	if d := b.CreatedAt.Compare(a.CreatedAt); d != 0 {
		return d
	}
	return strings.Compare(b.ID, a.ID)
}

func (m *Mirror) applyStatus(s control.Status) {
	m.Status = s
	d := &m.Status.Dispatch
	m.live = index(d.Running, func(r *dispatch.Running) string { return r.IssueID })
	m.queued = index(d.Queue, func(q *dispatch.Queued) string { return q.IssueID })
	m.retries = index(d.Retries, func(r *dispatch.Retry) string { return r.IssueID })
	m.held = index(d.Held, func(h *dispatch.Hold) string { return h.IssueID })
	m.parked = index(d.Parked, func(h *dispatch.Hold) string { return h.IssueID })
}

func index[T any](list []T, id func(*T) string) map[string]*T {
	out := make(map[string]*T, len(list))
	for i := range list {
		out[id(&list[i])] = &list[i]
	}
	return out
}

// arrived is when the card came into its column.
func (c *Card) arrived() time.Time {
	if c.StateAt.IsZero() {
		return c.UpdatedAt
	}
	return c.StateAt
}
