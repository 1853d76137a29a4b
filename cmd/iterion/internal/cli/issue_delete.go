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
		Long: "Delete cards for good. A card that is claimed, or that a run works on, is refused; --force\n" +
			"cancels the run, waits for its end, and deletes it all the same. Asks first on a terminal.",
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
		if o.force {
			break
		}
		if err := f.checkIdle(is); err != nil {
			return nil, &ExitError{Code: ExitConflict, Err: err, Hint: "--force cancels its run and deletes it all the same"}
		}
	}
	if o.yes || o.force || !f.IO.InTTY {
		return cards, nil
	}
	return cards, f.confirm(ctx, fmt.Sprintf("Delete %s for good?", deletionText(cards)))
}

// checkIdle refuses a card that somebody holds or that a run works on: one that
// was started by hand leaves no claim.
func (f *Factory) checkIdle(is board.Issue) error {
	if is.Claim != "" {
		return fmt.Errorf("issue %s is claimed: %s", board.ShortID(is.ID), holdText(f, is))
	}
	runs, err := f.Runs()
	if err != nil {
		return err
	}
	return cardIsFree(runs, is.ID)
}

func deletionText(cards []board.Issue) string {
	if len(cards) == 1 {
		return shortTitle(cards[0].Title)
	}
	return fmt.Sprintf("%d cards", len(cards))
}

// deleteIssue cancels before it deletes, and looks again after that: a run may
// have been launched in between, and from then on none can be.
func deleteIssue(ctx context.Context, f *Factory, b board.Store, is board.Issue, force bool) error {
	steps := []func() error{
		func() error { return f.cancelRuns(ctx, is) },
		func() error { return b.Delete(ctx, is.ID, force, f.Cause()) },
		func() error { return f.cancelRuns(ctx, is) },
	}
	if !force {
		steps = steps[1:2]
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("delete issue %s: %w", board.ShortID(is.ID), err)
		}
	}
	return nil
}
