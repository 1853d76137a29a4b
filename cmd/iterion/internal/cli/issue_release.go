package cli

import (
	"context"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

type issueReleaseOptions struct {
	as    string
	force bool
}

func newIssueRelease(f *Factory) *cobra.Command {
	var o issueReleaseOptions
	c := &cobra.Command{
		Use: "release ID", Short: "Give a claimed card back", Args: exactly("ID"),
		Long: "Give a card back that you hold. --force gives it back whoever holds it; a bot that\n" +
			"works on it loses its claim and is stopped by its daemon.",
		ValidArgsFunction: f.completeIDs,
		RunE:              func(c *cobra.Command, args []string) error { return runIssueRelease(c.Context(), f, args[0], o) },
	}
	c.Flags().StringVar(&o.as, "as", "", "`name` it was claimed under (default: you)")
	c.Flags().BoolVar(&o.force, "force", false, "whoever holds it")
	return c
}

func runIssueRelease(ctx context.Context, f *Factory, ref string, o issueReleaseOptions) error {
	as, err := f.claimName(o.as)
	if err != nil {
		return err
	}
	b, err := f.Board()
	if err != nil {
		return err
	}
	held, err := cardOf(ctx, b, ref)
	if err != nil {
		return err
	}
	if held.Claim == "" {
		return Conflictf("issue %s is not claimed", board.ShortID(held.ID))
	}
	if !o.force && held.Claim != as {
		return claimError(f, held.ID, &board.ClaimedError{Issue: held})
	}
	is, err := release(ctx, f, b, held, o.force)
	if err != nil {
		return err
	}
	return f.printIssue(is, "released from "+held.Claim+":")
}

func release(ctx context.Context, f *Factory, b board.Store, held board.Issue, force bool) (board.Issue, error) {
	if force {
		return b.ForceRelease(ctx, held.ID, f.Cause())
	}
	return b.Release(ctx, held.ID, held.Fence(), f.Cause())
}
