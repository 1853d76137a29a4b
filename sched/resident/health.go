package resident

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// Health is the scheduler as a whole.
type Health struct {
	LastTick time.Time `json:"last_tick,omitzero"` // when it last looked at what is due
	Armed    int       `json:"armed"`              // schedules with a next slot
	Held     int       `json:"held"`               // intentions that wait
	Deciding int       `json:"deciding,omitempty"` // slots that are being decided
	Next     time.Time `json:"next,omitzero"`      // the soonest slot of all
	NextID   string    `json:"next_id,omitempty"`  // whose it is
	HeldWhy  string    `json:"held_why,omitempty"` // of the oldest one
	// Problems are for people: files that cannot be read or written, schedules that
	// cannot be armed or decided.
	Problems []string `json:"problems,omitempty"`
	// Decisions counts those of this scheduler's life.
	Decisions map[gate.Decision]int64 `json:"decisions,omitempty"`
}

// Row is one schedule as it stands.
type Row struct {
	ID       string             `json:"id"`
	Bot      string             `json:"bot"`
	Kind     trigger.Invocation `json:"kind"`
	Clock    string             `json:"clock"` // expression or interval
	Overlap  gate.Overlap       `json:"overlap"`
	Enabled  bool               `json:"enabled"`
	Origin   string             `json:"origin"`
	ArmedAt  time.Time          `json:"armed_at,omitzero"`
	Next     time.Time          `json:"next,omitzero"`
	Deciding bool               `json:"deciding,omitempty"`
	Due      *Intent            `json:"due,omitempty"` // that is not dealt with; see its Held
	Last     *gate.Record       `json:"last,omitempty"`
	// Blocking is the run that was in the way at the last decision.
	Blocking  string `json:"blocking_run_id,omitempty"`
	LastError string `json:"last_error,omitempty"`
	// Problem says why it is not armed, or why a due slot cannot be decided.
	Problem string `json:"problem,omitempty"`
}

// Health returns the newest published state. It never waits.
func (s *Scheduler) Health() Health { return *s.health.Load() }

// List returns all clock subscriptions, those that are not in force among them, by id.
func (s *Scheduler) List(ctx context.Context) ([]Row, error) {
	var rows []Row
	err := s.ask(ctx, func(s *Scheduler) { rows = s.st.list(s.now()) })
	return rows, err
}

func (s *Scheduler) publish() {
	h, was := s.st.healthNow(s.now()), s.health.Load()
	s.health.Store(&h)
	if s.o.Changed == nil {
		return
	}
	now := h
	now.LastTick = was.LastTick
	if !reflect.DeepEqual(now, *was) {
		s.o.Changed()
	}
}

func (s *state) healthNow(now time.Time) Health {
	h := Health{LastTick: s.lastTick, Decisions: maps.Clone(s.counts)}
	h.Problems = nonEmpty(append([]string{s.calendarErr, s.writeErr, s.rowsErr}, s.problems...))
	var oldest time.Time
	for id, r := range s.rows {
		if r.busy {
			h.Deciding++
		}
		if r.clock != nil {
			h.Armed++
			if r.next.After(now) && (h.Next.IsZero() || r.next.Before(h.Next)) { // else it is due, or held
				h.Next, h.NextID = r.next.UTC(), id
			}
		}
		if in := s.calendar[id].Intent; in != nil && in.Held != nil {
			h.Held++
			if oldest.IsZero() || in.Slot.Before(oldest) {
				oldest, h.HeldWhy = in.Slot, in.Held.Reason
			}
		}
		if p := s.problemOf(r, now); p != "" && r.problem == "" { // the others' are told with the subscriptions
			h.Problems = append(h.Problems, "schedule "+id+": "+p)
		}
	}
	slices.Sort(h.Problems)
	return h
}

// problemOf says what keeps a row from firing.
func (s *state) problemOf(r *row, now time.Time) string {
	e := s.calendar[r.sub.ID]
	switch {
	case r.problem != "":
		return r.problem
	case r.lastErr != "":
		return r.lastErr
	case r.clock != nil && e.Through.After(now.Add(onTime)):
		return "the machine's clock stands before " + instant(e.Through) +
			", up to which the slots are dealt with; it fires again behind that, or at once when it is switched off and on"
	}
	return ""
}

func (s *state) list(now time.Time) []Row {
	rows := make([]Row, 0, len(s.rows))
	for id, r := range s.rows {
		if !r.listed {
			continue
		}
		row := describe(r.sub, s.calendar[id])
		row.Deciding, row.Next, row.Problem = r.busy, r.next.UTC(), s.problemOf(r, now)
		switch {
		case r.clock == nil:
			row.Next = time.Time{}
		case !r.next.After(now): // that one is due, or held
			row.Next = r.clock.next(now).UTC()
		}
		rows = append(rows, row)
	}
	sortRows(rows)
	return rows
}

func sortRows(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.ID, b.ID) })
}

// Describe is a subscription of which nothing else is known.
func Describe(sub trigger.Subscription) Row { return describe(sub, Entry{}) }

// describe joins a subscription with its calendar.
func describe(sub trigger.Subscription, e Entry) Row {
	row := Row{
		ID: sub.ID, Bot: sub.BotID, Kind: sub.Invocation, Clock: clockText(sub), Overlap: sub.Policy().Filled().Overlap,
		Enabled: sub.Enabled, Origin: sub.Origin, ArmedAt: e.ArmedAt, Due: e.Intent, Last: e.Last, LastError: e.LastError,
		Problem: sub.Problem,
	}
	if e.Last != nil {
		row.Blocking = e.Last.BlockingRunID
	}
	return row
}

// Offline returns the clock subscriptions as a scheduler would find them that started
// at now.
func Offline(c Calendar, in Rows, host *time.Location, now time.Time) ([]Row, Health) {
	s := newState()
	s.calendar = maps.Clone(c)
	s.learnRows(understand(in, host), now)
	return s.list(now), s.healthNow(now)
}

func nonEmpty(all []string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}
