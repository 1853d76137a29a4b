package board

import (
	"fmt"
	"slices"
)

// View returns the saved view of that name, or an ErrInvalid that names those
// there are.
func (s Schema) View(name string) (View, error) {
	if n := slices.IndexFunc(s.Views, func(v View) bool { return v.Name == name }); n >= 0 {
		return s.Views[n], nil
	}
	return View{}, unknownName("view", name, s.ViewNames())
}

// ViewNames returns the names of the saved views in order.
func (s Schema) ViewNames() []string {
	names := make([]string, len(s.Views))
	for i, v := range s.Views {
		names[i] = v.Name
	}
	return names
}

// Query returns what the view selects, and in which order.
func (v View) Query() Query {
	return Query{Search: v.Search, Labels: slices.Clone(v.Labels), Assignee: v.Assignee, Bot: v.Bot, Sort: v.Sort}
}

// GroupKeys are what a view may group by.
func GroupKeys() []string { return []string{"state", "bot", "label", "assignee", "priority"} }

// checkViews refuses views that could not be shown. Only a board that is being
// set is held to it: one that was written elsewhere stays readable.
func (s Schema) checkViews() error {
	for _, v := range s.Views {
		if v.GroupBy != "" && !slices.Contains(GroupKeys(), v.GroupBy) {
			return fmt.Errorf("view %s: %w", v.Name, unknownName("group_by", v.GroupBy, GroupKeys()))
		}
		if _, err := cleanLabels(v.Labels); err != nil {
			return fmt.Errorf("view %s: %w", v.Name, err)
		}
	}
	return nil
}
