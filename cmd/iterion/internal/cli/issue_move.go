package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

func newIssueMove(f *Factory) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: "move ID… --to STATE", Short: "File cards under another column", Args: atLeastOne("ID"),
		Long: "File cards under another column. All ids and the column are checked before the first\n" +
			"card is moved. A card leaves a terminal column by `iterion issue reopen` only.",
		ValidArgsFunction: f.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			if to == "" {
				return Usagef("%s: --to is missing: name the column", c.CommandPath())
			}
			return runIssueMove(c.Context(), f, args, to)
		},
	}
	c.Flags().StringVar(&to, "to", "", "the new column (required)")
	completeFlag(c, "to", f.completeStates)
	return c
}

func runIssueMove(ctx context.Context, f *Factory, refs []string, to string) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	cards, err := movable(ctx, b, refs, to)
	if err != nil {
		return err
	}
	moved, err := moveAll(ctx, cards, func(is board.Issue) (board.Issue, error) { return b.Move(ctx, is.ID, to, f.Cause()) })
	return errors.Join(f.reportMoved(cards, moved), err)
}

// movable returns the cards as they stand, or why one of them cannot go there.
func movable(ctx context.Context, b board.Store, refs []string, to string) ([]board.Issue, error) {
	schema, err := b.Schema(ctx)
	if err != nil {
		return nil, err
	}
	if err := schema.CheckState(to); err != nil {
		return nil, err
	}
	cards, err := cardsOf(ctx, b, refs)
	if err != nil {
		return nil, err
	}
	for _, is := range cards {
		if schema.Terminal(is.State) && !schema.Terminal(to) {
			return nil, fmt.Errorf("move issue %s from %s to %s: %w", board.ShortID(is.ID), is.State, to, board.ErrTerminal)
		}
	}
	return cards, nil
}

func cardsOf(ctx context.Context, b board.Store, refs []string) ([]board.Issue, error) {
	ids, err := resolveAll(ctx, b, refs)
	if err != nil {
		return nil, err
	}
	cards := make([]board.Issue, len(ids))
	for i, id := range ids {
		if cards[i], err = b.Get(ctx, id); err != nil {
			return nil, fmt.Errorf("read issue %s: %w", board.ShortID(id), err)
		}
	}
	return cards, nil
}

// moveAll does verb for each card and stops at the first that is refused; those
// before it stay done.
func moveAll(ctx context.Context, cards []board.Issue, verb func(board.Issue) (board.Issue, error)) ([]board.Issue, error) {
	var done []board.Issue
	for _, is := range cards {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		now, err := verb(is)
		if err != nil {
			return done, fmt.Errorf("issue %s: %w", board.ShortID(is.ID), err)
		}
		done = append(done, now)
	}
	return done, nil
}

// reportMoved prints where each card came from and went to.
func (f *Factory) reportMoved(was, now []board.Issue) error {
	from := map[string]string{}
	for _, is := range was {
		from[is.ID] = is.State
	}
	return f.printIssues(nonNil(now), func(is board.Issue) string {
		if from[is.ID] == is.State {
			return "already in " + is.State + ":"
		}
		return "moved " + from[is.ID] + " -> " + is.State + ":"
	}, len(was) == 1 && len(now) == 1)
}
