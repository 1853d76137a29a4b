package board

import "slices"

// DefaultSchema returns the board of a new store.
func DefaultSchema() Schema {
	return Schema{
		States: []State{
			{Name: StateInbox, Display: "Inbox"},
			{Name: StateBacklog, Display: "Backlog"},
			{Name: StateReady, Display: "Ready", Eligible: true},
			{Name: StateWaitingDeps, Display: "Waiting for deps"},
			{Name: StateInProgress, Display: "In progress", Eligible: true},
			{Name: StateAwaitingInput, Display: "Awaiting input"},
			{Name: StateReview, Display: "Review"},
			{Name: StateDone, Display: "Done", Terminal: true},
			{Name: StateBlocked, Display: "Blocked", Terminal: true},
		},
		Fields: []Field{},
		Views:  []View{},
	}
}

// Upgrade adds the columns that older boards lack, and reports whether there
// were any: inbox before a board that has a backlog or ready, waiting_deps after
// ready (else backlog), awaiting_input after in_progress. A board of columns of
// its own has none of these anchors and stays as it is.
func Upgrade(s Schema) (Schema, bool) {
	up := s
	up.States = slices.Clone(s.States)
	queue := up.stateIndex(StateReady)
	if queue < 0 {
		queue = up.stateIndex(StateBacklog)
	}
	if queue >= 0 {
		up.insert(queue+1, StateWaitingDeps)
		up.insert(0, StateInbox)
	}
	if at := up.stateIndex(StateInProgress); at >= 0 {
		up.insert(at+1, StateAwaitingInput)
	}
	return up, len(up.States) != len(s.States)
}

// insert adds a column of the default board unless there is one of its name.
func (s *Schema) insert(at int, name string) {
	if s.stateIndex(name) < 0 {
		st, _ := DefaultSchema().State(name)
		s.States = slices.Insert(s.States, at, st)
	}
}
