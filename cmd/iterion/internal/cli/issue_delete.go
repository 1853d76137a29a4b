package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

type issueDeleteOptions struct{ force, yes bool }

func newIssueDelete(f *Factory) *cobra.Command {
	var o issueDeleteOptions
	c := &cobra.Command{
		Use: "delete ID…", Aliases: []string{"rm"}, Short: "Delete cards for good", Args: atLeastOne("ID"),
		Long: "Delete cards for good. A claimed card is refused; --force cancels the run that works\n" +
			"on it, waits for its end, and deletes it all the same. Asks first on a terminal.",
		ValidArgsFunction: f.completeIDs,
		RunE:              func(c *cobra.Command, args []string) error { return runIssueDelete(c.Context(), f, args, o) },
	}
	c.Flags().BoolVar(&o.force, "force", false, "also when somebody holds it")
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return c
}

func runIssueDelete(ctx context.Context, f *Factory, refs []string, o issueDeleteOptions) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	cards, err := deletable(ctx, f, b, refs, o)
	if err != nil {
		return err
	}
	deleted := []board.Issue{}
	for _, is := range cards {
		if err = deleteIssue(ctx, f, b, is, o.force); err != nil {
			break
		}
		deleted = append(deleted, is)
	}
	if perr := f.printIssues(deleted, func(board.Issue) string { return "deleted" }, len(deleted) == 1); err == nil {
		err = perr
	}
	return err
}

// deletable returns the cards when every one of them may go.
func deletable(ctx context.Context, f *Factory, b board.Store, refs []string, o issueDeleteOptions) ([]board.Issue, error) {
	cards, err := cardsOf(ctx, b, refs)
	if err != nil {
		return nil, err
	}
	for _, is := range cards {
		if is.Claim != "" && !o.force {
			return nil, &ExitError{Code: ExitConflict,
				Err:  fmt.Errorf("issue %s is claimed: %s", board.ShortID(is.ID), holdText(f, is)),
				Hint: "--force cancels its run and deletes it all the same"}
		}
	}
	if o.yes || o.force || !f.IO.InTTY {
		return cards, nil
	}
	return cards, f.confirm(ctx, fmt.Sprintf("Delete %s for good?", deletionText(cards)))
}

func deletionText(cards []board.Issue) string {
	if len(cards) == 1 {
		return shortTitle(cards[0].Title)
	}
	return fmt.Sprintf("%d cards", len(cards))
}

func deleteIssue(ctx context.Context, f *Factory, b board.Store, is board.Issue, force bool) error {
	if force && is.LastRunID != "" {
		if err := f.cancelRun(ctx, is.LastRunID, "its card is being deleted"); err != nil {
			return fmt.Errorf("delete issue %s: %w", board.ShortID(is.ID), err)
		}
	}
	if err := b.Delete(ctx, is.ID, force, f.Cause()); err != nil {
		return fmt.Errorf("delete issue %s: %w", board.ShortID(is.ID), err)
	}
	return nil
}
