package cli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"iterion/native/board"
)

// useView adds a saved view to what the flags ask for.
func (o *issueListOptions) useView(ctx context.Context, b board.Store) (board.View, error) {
	if o.view == "" {
		return board.View{}, nil
	}
	schema, err := b.Schema(ctx)
	if err != nil {
		return board.View{}, err
	}
	view, err := schema.View(o.view)
	if err != nil {
		return board.View{}, err
	}
	v := view.Query()
	o.query.Labels = append(v.Labels, o.query.Labels...)
	o.query.Search = strings.TrimSpace(v.Search + " " + o.query.Search)
	o.query.Assignee = cmp.Or(o.query.Assignee, v.Assignee)
	o.query.Bot = cmp.Or(o.query.Bot, v.Bot)
	o.query.Sort = cmp.Or(o.query.Sort, v.Sort)
	return view, o.query.Check()
}

// printIssueGroups prints one table, or one for each group in the order in which
// the groups first turn up. A card with several labels is in several groups.
func printIssueGroups(f *Factory, issues []board.Issue, by string) error {
	if !slices.Contains(board.GroupKeys(), by) || f.Global.Quiet || len(issues) == 0 {
		return printIssueTable(f, issues)
	}
	var order []string
	groups := map[string][]board.Issue{}
	for _, is := range issues {
		for _, key := range groupsOf(is, by) {
			if _, seen := groups[key]; !seen {
				order = append(order, key)
			}
			groups[key] = append(groups[key], is)
		}
	}
	for n, key := range order {
		if n > 0 {
			f.Say("")
		}
		f.Say("%s: %s (%d)", by, visibleLine(cmp.Or(key, "none")), len(groups[key]))
		if err := printIssueTable(f, groups[key]); err != nil {
			return err
		}
	}
	return nil
}

func groupsOf(is board.Issue, by string) []string {
	switch by {
	case "state":
		return []string{is.State}
	case "bot":
		return []string{is.Bot}
	case "assignee":
		return []string{is.Assignee}
	case "priority":
		return []string{strconv.Itoa(is.Priority)}
	}
	if len(is.Labels) == 0 {
		return []string{""}
	}
	return is.Labels
}
