package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

type issueListOptions struct {
	view               string
	query              board.Query
	claimed, unclaimed bool
}

func newIssueList(f *Factory) *cobra.Command {
	var o issueListOptions
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List cards", Args: exactly(),
		Long: "List cards. --json prints one array of cards with the keys of the card files;\n" +
			"no match is [] and exit 0. A card file that cannot be read is named on standard error.\n" +
			"--view takes filters, order and groups from a view of the board; the other flags narrow\n" +
			"it further, and --assignee, --bot and --sort replace the view's.",
		RunE: func(c *cobra.Command, _ []string) error { return runIssueList(c.Context(), f, o) },
	}
	fl := c.Flags()
	fl.StringArrayVarP(&o.query.States, "state", "s", nil, "only this column, repeatable")
	fl.StringArrayVarP(&o.query.Labels, "label", "l", nil, "only with this label, repeatable: all must be there")
	labelsAlias(fl, &o.query.Labels)
	fl.StringVarP(&o.query.Assignee, "assignee", "a", "", "only of this assignee")
	fl.StringVarP(&o.query.Bot, "bot", "b", "", "only of this bot")
	fl.BoolVar(&o.claimed, "claimed", false, "only cards that somebody holds")
	fl.BoolVar(&o.unclaimed, "unclaimed", false, "only cards that nobody holds")
	fl.StringVarP(&o.query.Search, "search", "S", "", "words that must all be in id, title, body or labels")
	fl.StringVar(&o.query.Sort, "sort", "", "order: priority, created, updated, title or state; a leading - reverses")
	fl.IntVarP(&o.query.Limit, "limit", "n", 0, "at most so many")
	fl.StringVar(&o.view, "view", "", "saved view of the board, by `name`")
	completeFlag(c, "state", f.completeStates)
	completeFlag(c, "label", f.completeLabels)
	completeFlag(c, "bot", f.completeBots)
	completeFlag(c, "sort", fixed("priority", "-priority", "created", "-created", "updated", "-updated", "title", "-title", "state", "-state"))
	completeFlag(c, "view", f.completeViews)
	return c
}

func runIssueList(ctx context.Context, f *Factory, o issueListOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	b, err := f.Board()
	if err != nil {
		return err
	}
	if err := checkQueryStates(ctx, f, b, o.query.States); err != nil {
		return err
	}
	view, err := o.useView(ctx, b)
	if err != nil {
		return err
	}
	keepSmall() // a table holds all its cards at once, and so does who has to make the index
	if files, ok := b.(board.FileLister); ok && f.Global.JSON {
		return printFiles(ctx, f, files, o.query)
	}
	found, err := listForTable(ctx, b, o.query)
	if err != nil {
		return fmt.Errorf("list issues: %w", err)
	}
	for i := range found.Broken {
		f.Warn("%v", &found.Broken[i])
	}
	if f.Global.JSON {
		return f.PrintJSON(nonNil(found.Issues))
	}
	return printIssueGroups(f, found.Issues, view.GroupBy)
}

func (o *issueListOptions) check() error {
	if o.claimed && o.unclaimed {
		return Usagef("--claimed and --unclaimed exclude each other")
	}
	if o.claimed || o.unclaimed {
		o.query.Claimed = &o.claimed
	}
	if o.query.Limit < 0 {
		return Usagef("--limit %d: want 0 (all) or more", o.query.Limit)
	}
	return o.query.Check()
}

// checkQueryStates refuses unknown columns. A board that cannot be read is no
// reason to hide its cards, but is told.
func checkQueryStates(ctx context.Context, f *Factory, b board.Store, states []string) error {
	schema, err := b.Schema(ctx)
	if err != nil {
		f.Warn("%v", err)
		return nil
	}
	for _, s := range states {
		if err := schema.CheckState(s); err != nil {
			return err
		}
	}
	return nil
}

func printIssueTable(f *Factory, issues []board.Issue) error {
	if f.Global.Quiet {
		for _, is := range issues {
			f.Say("%s", is.ID)
		}
		return nil
	}
	if len(issues) == 0 {
		f.Talk("no cards")
		return nil
	}
	t := Table{Head: []string{"ID", "STATE", "PRIO", "BOT", "CLAIM", "TITLE"}}
	for _, is := range issues {
		t.Row(board.ShortID(is.ID), is.State, priority(is), is.Bot, claimText(f, is), is.Title)
	}
	t.Print(f)
	return nil
}

func priority(is board.Issue) string {
	if is.Priority == 0 {
		return ""
	}
	return strconv.Itoa(is.Priority)
}

// claimText names the holder of a card, and says so when the lease ran out.
func claimText(f *Factory, is board.Issue) string {
	if is.Claim != "" && !is.ClaimLeaseUntil.IsZero() && is.ClaimLeaseUntil.Before(f.Now()) {
		return is.Claim + " (lapsed)"
	}
	return is.Claim
}

// nonNil makes an empty list [] in JSON.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
