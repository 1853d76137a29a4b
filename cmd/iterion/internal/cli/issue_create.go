package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

type issueCreateOptions struct {
	title, state, assignee, bot, parent string
	body                                bodyFlags
	labels, blockers                    []string
	fields, botArgs                     []string
	priority                            int
}

func newIssueCreate(f *Factory) *cobra.Command {
	var o issueCreateOptions
	c := &cobra.Command{
		Use: "create --title T", Short: "File a card", Args: exactly(),
		Long: "File a card. The last word of the line printed is its id; with -q it is all of it.\n" +
			"--edit opens $VISUAL or $EDITOR on the whole card, with what the other flags say filled\n" +
			"in, those of the body aside; an empty or unchanged text files nothing, and one that is refused is kept in a file.",
		Example: "  iterion issue create --title 'Fix the parser' --state ready --bot my-bot\n" +
			"  git log -1 --format=%b | iterion issue create --title 'Review' --body-file -",
		RunE: func(c *cobra.Command, _ []string) error { return runIssueCreate(c.Context(), f, o) },
	}
	fl := c.Flags()
	fl.StringVarP(&o.title, "title", "t", "", "title (required)")
	o.body.add(fl)
	fl.Lookup("edit").Usage = "write the card in $VISUAL or $EDITOR"
	fl.StringVarP(&o.state, "state", "s", "", "column (default: the board's first)")
	fl.StringArrayVarP(&o.labels, "label", "l", nil, "label, repeatable")
	labelsAlias(fl, &o.labels)
	fl.IntVarP(&o.priority, "priority", "p", 0, "priority; higher is sooner")
	fl.StringVarP(&o.assignee, "assignee", "a", "", "who it is for")
	fl.StringArrayVar(&o.blockers, "blocker", nil, "`id` of a card that must be done first, repeatable")
	fl.StringArrayVar(&o.fields, "field", nil, "custom field as `k=v`, repeatable")
	fl.StringVarP(&o.bot, "bot", "b", "", "bot that works the card")
	fl.StringArrayVar(&o.botArgs, "bot-arg", nil, "input of the bot as `k=v`, repeatable")
	fl.StringVar(&o.parent, "parent", "", "`id` of the card that this one belongs to")
	completeFlag(c, "state", f.completeStates)
	completeFlag(c, "bot", f.completeBots)
	completeFlag(c, "label", f.completeLabels)
	completeFlag(c, "blocker", f.completeIDs)
	completeFlag(c, "parent", f.completeIDs)
	return c
}

func runIssueCreate(ctx context.Context, f *Factory, o issueCreateOptions) error {
	if !o.body.edit {
		if err := checkTitle(o.title); err != nil {
			return err
		}
	}
	b, err := f.Board()
	if err != nil {
		return err
	}
	is, err := o.create(ctx, f, b)
	if err != nil {
		return err
	}
	return f.printIssue(is, "created "+shortTitle(is.Title)+" in "+is.State+":")
}

func (o issueCreateOptions) create(ctx context.Context, f *Factory, b board.Store) (board.Issue, error) {
	if o.body.edit {
		return editNewIssue(ctx, f, b, o)
	}
	draft, err := o.draft(ctx, f, b)
	if err != nil {
		return board.Issue{}, err
	}
	return b.Create(ctx, draft, f.Cause())
}

// draft checks the options against the board and returns the card they mean.
func (o issueCreateOptions) draft(ctx context.Context, f *Factory, b board.Store) (board.Issue, error) {
	is := board.Issue{Title: o.title, State: o.state, Labels: o.labels, Priority: o.priority, Assignee: o.assignee, Bot: o.bot}
	schema, err := schemaOf(ctx, b)
	if err != nil {
		return is, err
	}
	if o.state != "" {
		if err := schema.CheckState(o.state); err != nil {
			return is, err
		}
	}
	if is.Fields, err = o.fieldTexts(); err != nil {
		return is, err
	}
	if is.BotArgs, err = pairs("bot-arg", o.botArgs); err != nil {
		return is, err
	}
	if err := f.checkBot(o.bot); err != nil {
		return is, err
	}
	if is.Blockers, err = resolveFlag(ctx, b, "blocker", o.blockers); err != nil {
		return is, err
	}
	if o.parent != "" {
		ids, err := resolveFlag(ctx, b, "parent", []string{o.parent})
		if err != nil {
			return is, err
		}
		is.ParentID = ids[0]
	}
	// Last, because it may open an editor or drain standard input.
	body, err := o.body.read(ctx, f, "")
	if body != nil {
		is.Body = *body
	}
	return is, err
}

// fieldTexts gives the custom fields as text; the store knows their types.
func (o issueCreateOptions) fieldTexts() (map[string]any, error) {
	text, err := pairs("field", o.fields)
	if err != nil || text == nil {
		return nil, err
	}
	fields := make(map[string]any, len(text))
	for k, v := range text {
		fields[k] = v
	}
	return fields, nil
}

// shortTitle quotes a title for a line of talk.
func shortTitle(title string) string { return fmt.Sprintf("%q", cut(title, 60)) }
