package trigger

// empty reports whether the match says nothing.
func (m Match) empty() bool {
	return len(m.Sources)+len(m.Kinds)+len(m.Actions)+len(m.Repos)+len(m.Authors)+len(m.States)+len(m.AllLabels) == 0
}
