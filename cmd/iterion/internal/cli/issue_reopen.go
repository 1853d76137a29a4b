package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

func newIssueReopen(f *Factory) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: "reopen ID…", Short: "Take cards out of a terminal column", Args: atLeastOne("ID"),
		Long: "Take cards out of a terminal column, into `backlog` unless --to names another. Of\n" +
			"several cards each is reported; the exit code is that of the worst failure.",
		ValidArgsFunction: f.completeIDs,
		RunE:              func(c *cobra.Command, args []string) error { return runIssueReopen(c.Context(), f, args, to) },
	}
	c.Flags().StringVar(&to, "to", "", "working column (default: backlog)")
	completeFlag(c, "to", f.completeStates)
	return c
}

func runIssueReopen(ctx context.Context, f *Factory, refs []string, to string) error {
	b, schema, err := f.BoardAndSchema(ctx)
	if err != nil {
		return err
	}
	if to, err = pickState(schema, to, board.StateBacklog, false); err != nil {
		return err
	}
	var failed failures
	var moved []board.Moved
	for _, id := range resolveEach(ctx, b, refs, &failed) {
		m, err := f.reopen(ctx, b, schema, id, to)
		failed.add(err)
		if err == nil {
			moved = append(moved, m)
		}
	}
	return f.reportMoved(moved, failed, len(refs))
}

func (f *Factory) reopen(ctx context.Context, b board.Store, schema board.Schema, id, to string) (board.Moved, error) {
	is, err := b.Get(ctx, id)
	if err != nil {
		return board.Moved{}, fmt.Errorf("read issue %s: %w", board.ShortID(id), err)
	}
	if !schema.Terminal(is.State) {
		return board.Moved{}, Conflictf("issue %s is not closed: it is in %s; `iterion issue move` refiles it", board.ShortID(id), is.State)
	}
	now, err := b.Reopen(ctx, id, to, f.Cause())
	return board.Moved{From: is.State, Issue: now}, err
}
