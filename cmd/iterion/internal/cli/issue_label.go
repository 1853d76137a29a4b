package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

func newIssueLabels(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "labels [ID]", Short: "List the labels of the board with their cards counted, or those of one card", Args: atMostOne,
		Long: "List the labels in use, the most used first, with the number of cards that bear them;\n" +
			"or the labels of one card. --json prints [{\"label\", \"cards\"}], or the labels alone.",
		ValidArgsFunction: f.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return runLabelsOf(c.Context(), f, args[0])
			}
			return runLabelList(c.Context(), f)
		},
	}
}

func newIssueLabel(f *Factory) *cobra.Command {
	return group("label", "List, rename, merge and delete labels on all cards at once",
		newLabelList(f), newLabelRename(f), newLabelMerge(f), newLabelDelete(f))
}

func newLabelList(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the labels with their cards counted", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error { return runLabelList(c.Context(), f) },
	}
}

func newLabelRename(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "rename LABEL NEW", Short: "Give a label a new name on every card", Args: exactly("LABEL", "NEW"),
		Long:              "Give a label a new name, which no card bears yet, on every card. It fires no trigger.",
		ValidArgsFunction: firstLabel(f),
		RunE: func(c *cobra.Command, args []string) error {
			return runRelabel(c.Context(), f, board.RenameLabel(args[0], args[1]), "renamed on")
		},
	}
}

func newLabelMerge(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "merge LABEL INTO", Short: "Let a label become another that is in use", Args: exactly("LABEL", "INTO"),
		Long:              "Let a label become another that is in use, on every card. It fires no trigger.",
		ValidArgsFunction: bothLabels(f),
		RunE: func(c *cobra.Command, args []string) error {
			return runRelabel(c.Context(), f, board.MergeLabel(args[0], args[1]), "merged on")
		},
	}
}

func newLabelDelete(f *Factory) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete LABEL", Aliases: []string{"rm"}, Short: "Take a label off every card", Args: exactly("LABEL"),
		Long:              "Take a label off every card. Asks first on a terminal.",
		ValidArgsFunction: firstLabel(f),
		RunE: func(c *cobra.Command, args []string) error {
			if f.IO.InTTY && !yes {
				if err := f.confirm(c.Context(), fmt.Sprintf("Take the label %q off every card?", args[0])); err != nil {
					return err
				}
			}
			return runRelabel(c.Context(), f, board.DeleteLabel(args[0]), "taken off")
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func runRelabel(ctx context.Context, f *Factory, e board.LabelEdit, did string) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	touched, err := b.Relabel(ctx, e, f.Cause())
	if err != nil {
		return err
	}
	if err := warnBroken(ctx, f, b); err != nil {
		return err
	}
	return f.printTouched(touched, e.From+": "+did)
}

// warnBroken names the cards that cannot be read: they may bear the label still.
func warnBroken(ctx context.Context, f *Factory, b board.Store) error {
	found, err := b.List(ctx, board.Query{Limit: 1})
	if err != nil {
		return fmt.Errorf("list issues: %w", err)
	}
	for i := range found.Broken {
		f.Warn("%v", &found.Broken[i])
	}
	return nil
}

func cardCount(n int) string {
	if n == 1 {
		return "1 card"
	}
	return fmt.Sprintf("%d cards", n)
}

func runLabelList(ctx context.Context, f *Factory) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	labels, broken, err := countLabels(ctx, b)
	if err != nil {
		return err
	}
	for i := range broken {
		f.Warn("%v", &broken[i])
	}
	switch {
	case f.Global.JSON:
		return f.PrintJSON(labels)
	case f.Global.Quiet:
		for _, l := range labels {
			f.Say("%s", l.Label)
		}
		return nil
	case len(labels) == 0:
		f.Talk("no labels")
		return nil
	}
	t := Table{Head: []string{"CARDS", "LABEL"}}
	for _, l := range labels {
		t.Row(fmt.Sprintf("%5d", l.Cards), l.Label)
	}
	t.Print(f)
	return nil
}

// countLabels reads nothing of the cards but their labels.
func countLabels(ctx context.Context, b board.Store) ([]board.LabelCount, []board.UnreadableError, error) {
	count := map[string]int{}
	broken, err := eachPart(ctx, b, func(is *struct{ Labels []string }) {
		for _, l := range is.Labels {
			count[l]++
		}
	})
	if err != nil {
		return nil, nil, fmt.Errorf("count labels: %w", err)
	}
	return board.SortLabels(count), broken, nil
}

// eachPart calls fn with what T takes of each card.
func eachPart[T any](ctx context.Context, b board.Store, fn func(*T)) ([]board.UnreadableError, error) {
	return eachFile(ctx, b, board.Query{}, func(card []byte) error {
		var part T
		if err := json.Unmarshal(card, &part); err != nil {
			return err
		}
		fn(&part)
		return nil
	})
}

func runLabelsOf(ctx context.Context, f *Factory, ref string) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	cards, err := cardsOf(ctx, b, []string{ref})
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(nonNil(cards[0].Labels))
	}
	for _, l := range cards[0].Labels {
		f.Say("%s", visibleLine(l))
	}
	return nil
}
