package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

func newIssueReopen(f *Factory) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: "reopen ID…", Short: "Take cards out of a terminal column", Args: atLeastOne("ID"),
		Long:              "Take cards out of a terminal column, into `backlog` unless --to names another.",
		ValidArgsFunction: f.completeIDs,
		RunE:              func(c *cobra.Command, args []string) error { return runIssueReopen(c.Context(), f, args, to) },
	}
	c.Flags().StringVar(&to, "to", "", "working column (default: backlog)")
	completeFlag(c, "to", f.completeStates)
	return c
}

func runIssueReopen(ctx context.Context, f *Factory, refs []string, to string) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	schema, err := b.Schema(ctx)
	if err != nil {
		return err
	}
	if to, err = pickState(schema, to, board.StateBacklog, false); err != nil {
		return err
	}
	cards, err := cardsOf(ctx, b, refs)
	if err != nil {
		return err
	}
	for _, is := range cards {
		if !schema.Terminal(is.State) {
			return Conflictf("issue %s is not closed: it is in %s; `iterion issue move` refiles it", board.ShortID(is.ID), is.State)
		}
	}
	moved, err := moveAll(ctx, cards, func(is board.Issue) (board.Issue, error) { return b.Reopen(ctx, is.ID, to, f.Cause()) })
	return errors.Join(f.reportMoved(cards, moved), err)
}
