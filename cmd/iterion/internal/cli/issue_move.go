package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

func newIssueMove(f *Factory) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: "move ID… --to STATE", Short: "File cards under another column", Args: atLeastOne("ID"),
		Long: "File cards under another column. Of several cards each is reported; one that may not\n" +
			"go keeps none of the others back, and the exit code is that of the worst failure.\n" +
			"A card leaves a terminal column by `iterion issue reopen` only.",
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
	b, schema, err := f.BoardAndSchema(ctx)
	if err != nil {
		return err
	}
	if err := schema.CheckState(to); err != nil {
		return err
	}
	return f.moveAll(ctx, b, refs, to)
}

// moveChunk bounds the cards of one verb, so that other writers get their turn.
const moveChunk = 200

// moveAll refiles the cards that may go and reports each of them.
func (f *Factory) moveAll(ctx context.Context, b board.Store, refs []string, to string) error {
	var failed failures
	var moved []board.Moved
	ids := resolveEach(ctx, b, refs, &failed)
	for chunk := range slices.Chunk(ids, moveChunk) {
		done, err := b.MoveAll(ctx, chunk, to, f.Cause())
		if err != nil {
			failed.add(fmt.Errorf("move %d issues to %s: %w", len(ids)-len(moved), to, err))
			break
		}
		moved = append(moved, done...)
	}
	return f.reportMoved(moved, failed, len(refs))
}

func cardsOf(ctx context.Context, b board.Store, refs []string) ([]board.Issue, error) {
	ids, err := resolveAll(ctx, b, refs)
	if err != nil {
		return nil, err
	}
	cards := make([]board.Issue, len(ids))
	for i, id := range ids {
		if cards[i], err = b.Get(ctx, id); err != nil {
			return nil, err
		}
	}
	return cards, nil
}

func cardOf(ctx context.Context, b board.Store, ref string) (board.Issue, error) {
	cards, err := cardsOf(ctx, b, []string{ref})
	if err != nil {
		return board.Issue{}, err
	}
	return cards[0], nil
}

// reportMoved prints where each card came from and went to, and why the others
// stayed.
func (f *Factory) reportMoved(moved []board.Moved, failed failures, asked int) error {
	now, from := []board.Issue{}, map[string]string{}
	for _, m := range moved {
		failed.add(m.Err)
		if m.Err == nil {
			now, from[m.Issue.ID] = append(now, m.Issue), m.From
		}
	}
	var perr error
	if asked > 1 || len(now) > 0 {
		perr = f.printIssues(now, func(is board.Issue) string {
			if from[is.ID] == is.State {
				return "already in " + is.State + ":"
			}
			return "moved " + from[is.ID] + " -> " + is.State + ":"
		}, asked == 1)
	}
	return errors.Join(perr, failed.end(f, asked))
}
