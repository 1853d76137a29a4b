package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

// completeLabels offers the labels in use, with their cards counted.
func (f *Factory) completeLabels(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	b, err := f.Board()
	if err != nil {
		return nil, noFiles
	}
	labels, _, err := countLabels(c.Context(), b)
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, l := range labels {
		out = append(out, cobra.CompletionWithDesc(visibleLine(l.Label), cardCount(l.Cards)))
	}
	return out, noFiles | cobra.ShellCompDirectiveKeepOrder
}

// firstLabel completes a label as the first argument only.
func firstLabel(f *Factory) completer { return labelArgs(f, 1) }

// bothLabels completes a label as either of two arguments.
func bothLabels(f *Factory) completer { return labelArgs(f, 2) }

func labelArgs(f *Factory, n int) completer {
	return func(c *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, noFiles
		}
		return f.completeLabels(c, args, to)
	}
}

// completeViews offers the saved views, with what they search for.
func (f *Factory) completeViews(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	b, err := f.Board()
	if err != nil {
		return nil, noFiles
	}
	schema, err := b.Schema(c.Context())
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, v := range schema.Views {
		out = append(out, cobra.CompletionWithDesc(v.Name, visibleLine(viewText(v))))
	}
	return out, noFiles
}

// viewText says in a line what a view selects.
func viewText(v board.View) string {
	s := ""
	add := func(name, value string) {
		if value != "" {
			s += fmt.Sprintf(" %s:%s", name, value)
		}
	}
	add("search", v.Search)
	for _, l := range v.Labels {
		add("label", l)
	}
	add("assignee", v.Assignee)
	add("bot", v.Bot)
	add("sort", v.Sort)
	add("group", v.GroupBy)
	if s == "" {
		return "all cards"
	}
	return s[1:]
}
