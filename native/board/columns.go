package board

import "slices"

// State returns the column of that name.
func (s Schema) State(name string) (State, bool) {
	i := s.stateIndex(name)
	if i < 0 {
		return State{}, false
	}
	return s.States[i], true
}

// CheckState refuses, as ErrInvalid, a column that the board does not have, and
// names those that it has.
func (s Schema) CheckState(name string) error {
	if s.stateIndex(name) >= 0 {
		return nil
	}
	return unknownName("state", name, s.StateNames())
}

// StateNames returns the names of the columns in order.
func (s Schema) StateNames() []string {
	names := make([]string, len(s.States))
	for i, st := range s.States {
		names[i] = st.Name
	}
	return names
}

// Initial returns the column of a card that names none: the first.
func (s Schema) Initial() string {
	if len(s.States) == 0 {
		return ""
	}
	return s.States[0].Name
}

// Terminal reports whether the column is a sink. A column that the board does
// not have is none.
func (s Schema) Terminal(name string) bool {
	st, _ := s.State(name)
	return st.Terminal
}

// Eligible reports whether the dispatcher may start cards from the column.
func (s Schema) Eligible(name string) bool {
	st, _ := s.State(name)
	return st.Eligible
}

// EligibleNames returns the columns that the dispatcher may start cards from.
func (s Schema) EligibleNames() []string {
	var names []string
	for _, st := range s.States {
		if st.Eligible {
			names = append(names, st.Name)
		}
	}
	return names
}

// Field returns the custom field of that name.
func (s Schema) Field(name string) (Field, bool) {
	i := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return s.Fields[i], true
}

func (s Schema) stateIndex(name string) int {
	return slices.IndexFunc(s.States, func(st State) bool { return st.Name == name })
}
