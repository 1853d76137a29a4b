package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

type issueClaimOptions struct {
	as    string
	lease time.Duration
}

func newIssueClaim(f *Factory) *cobra.Command {
	var o issueClaimOptions
	c := &cobra.Command{
		Use: "claim ID", Short: "Take a card for yourself", Args: exactly("ID"),
		Long: "Take a card, so that the dispatcher leaves it alone. Nothing renews a person's claim:\n" +
			"when the lease is over the card stays yours, but shows as lapsed. Claiming again extends it.",
		ValidArgsFunction: f.completeIDs,
		RunE:              func(c *cobra.Command, args []string) error { return runIssueClaim(c.Context(), f, args[0], o) },
	}
	c.Flags().StringVar(&o.as, "as", "", "`name` to claim under (default: you)")
	c.Flags().DurationVar(&o.lease, "lease", 2*time.Hour, "how long")
	return c
}

func runIssueClaim(ctx context.Context, f *Factory, ref string, o issueClaimOptions) error {
	if o.lease <= 0 {
		return Usagef("--lease %s: want more than 0", o.lease)
	}
	as, err := f.claimName(o.as)
	if err != nil {
		return err
	}
	b, err := f.Board()
	if err != nil {
		return err
	}
	id, err := b.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	is, err := b.Claim(ctx, id, as, o.lease, f.Cause())
	if err != nil {
		return claimError(f, id, err)
	}
	f.Talk("epoch %d, lease until %s", is.ClaimEpoch, instant(is.ClaimLeaseUntil))
	return f.printIssue(is, "claimed as "+is.Claim+":")
}

func (f *Factory) claimName(as string) (string, error) {
	if as == "" {
		as = f.Actor()
	}
	if as = strings.TrimSpace(as); as == "" {
		return "", Usagef("--as: the name is blank")
	}
	return as, nil
}

// claimError says who holds the card, since when, and how to end that.
func claimError(f *Factory, id string, err error) error {
	var held *board.ClaimedError
	if !errors.As(err, &held) {
		return err
	}
	return &ExitError{
		Code: ExitConflict,
		Err:  fmt.Errorf("issue %s is claimed: %s, since %s", board.ShortID(id), holdText(f, held.Issue), instant(held.Issue.ClaimedAt)),
		Hint: "`iterion issue release " + board.ShortID(id) + " --force` takes it away from them",
	}
}
