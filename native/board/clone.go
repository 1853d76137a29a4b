package board

import (
	"maps"
	"slices"
)

// Clone returns a copy of the card that shares nothing that can be changed.
func (i Issue) Clone() Issue {
	i.Labels = slices.Clone(i.Labels)
	i.Blockers = slices.Clone(i.Blockers)
	i.Fields = maps.Clone(i.Fields)
	i.BotArgs = maps.Clone(i.BotArgs)
	i.Runs = slices.Clone(i.Runs)
	i.Comments = slices.Clone(i.Comments)
	i.External = i.External.clone()
	i.Extra = maps.Clone(i.Extra)
	if i.GaveUp != nil {
		g := *i.GaveUp
		i.GaveUp = &g
	}
	if i.LaunchRefusal != nil {
		l := *i.LaunchRefusal
		i.LaunchRefusal = &l
	}
	return i
}

func (e *External) clone() *External {
	if e == nil {
		return nil
	}
	c := *e
	if e.Project != nil {
		p := *e.Project
		c.Project = &p
	}
	return &c
}

// Clone returns a copy of the board that shares nothing that can be changed.
func (s Schema) Clone() Schema {
	s.States = slices.Clone(s.States)
	s.Fields = slices.Clone(s.Fields)
	for n := range s.Fields {
		s.Fields[n].EnumValues = slices.Clone(s.Fields[n].EnumValues)
	}
	s.Views = slices.Clone(s.Views)
	for n := range s.Views {
		s.Views[n].Labels = slices.Clone(s.Views[n].Labels)
	}
	s.Extra = maps.Clone(s.Extra)
	return s
}
