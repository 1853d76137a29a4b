package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"iterion/native/board"
)

type issueUpdateOptions struct {
	title, assignee, bot, parent string
	priority                     int
	body                         bodyFlags
	setLabels                    []string
	fields, botArgs              []string
	patch                        board.Patch
	flags                        *pflag.FlagSet
}

func newIssueUpdate(f *Factory) *cobra.Command {
	var o issueUpdateOptions
	c := &cobra.Command{
		Use: "update ID", Aliases: []string{"edit"}, Short: "Change a card", Args: exactly("ID"),
		Long: "Change the parts of a card that the flags name. Labels and blockers change by addition\n" +
			"and removal, so that two writers do not undo each other; --set-labels replaces them all.",
		ValidArgsFunction: f.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			switch n := ownFlags(c); {
			case n == 0:
				return Usagef("nothing to change: name at least one part, see `iterion issue update --help`")
			case n > 1 && o.body.edit:
				return Usagef("--edit excludes the other flags: the editor shows the whole card")
			}
			return runIssueUpdate(c.Context(), f, args[0], o)
		},
	}
	o.flags = c.Flags()
	o.addFlags(f, c)
	return c
}

func (o *issueUpdateOptions) addFlags(f *Factory, c *cobra.Command) {
	fl, p := c.Flags(), &o.patch
	fl.StringVarP(&o.title, "title", "t", "", "new title")
	o.body.add(fl)
	fl.Lookup("edit").Usage = "change the card in $VISUAL or $EDITOR; excludes the other flags"
	fl.IntVarP(&o.priority, "priority", "p", 0, "priority; higher is sooner")
	fl.StringVarP(&o.assignee, "assignee", "a", "", "who it is for; '' is nobody")
	fl.StringVarP(&o.bot, "bot", "b", "", "bot that works the card; '' is none")
	fl.StringVar(&o.parent, "parent", "", "`id` of the card that this one belongs to; '' is none")
	fl.StringArrayVarP(&p.AddLabels, "add-label", "l", nil, "add a label, repeatable")
	fl.StringArrayVar(&p.RemoveLabels, "remove-label", nil, "take a label off, repeatable")
	fl.Var(commaList{&o.setLabels}, "set-labels", "replace all labels with `a,b`; '' is none")
	fl.StringArrayVar(&p.AddBlockers, "add-blocker", nil, "`id` of a card that must be done first, repeatable")
	fl.StringArrayVar(&p.RemoveBlockers, "remove-blocker", nil, "`id` of a blocker to drop, repeatable")
	fl.StringArrayVar(&o.fields, "field", nil, "set a custom field as `k=v`, repeatable")
	fl.StringArrayVar(&p.ClearFields, "clear-field", nil, "empty a custom field, repeatable")
	fl.StringArrayVar(&o.botArgs, "bot-arg", nil, "set an input of the bot as `k=v`, repeatable")
	fl.StringArrayVar(&p.ClearBotArgs, "clear-bot-arg", nil, "drop an input of the bot, repeatable")
	fl.BoolVar(&p.ClearLastRun, "clear-last-run", false, "forget the last run, so that the card starts afresh; not while it is alive")
	completeFlag(c, "bot", f.completeBots)
	completeFlag(c, "add-label", f.completeLabels)
	completeFlag(c, "remove-label", f.completeLabels)
	for _, name := range []string{"parent", "add-blocker", "remove-blocker"} {
		completeFlag(c, name, f.completeIDs)
	}
}

func runIssueUpdate(ctx context.Context, f *Factory, ref string, o issueUpdateOptions) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	is, err := cardOf(ctx, b, ref)
	if err != nil {
		return err
	}
	now, err := o.update(ctx, f, b, is)
	if err != nil {
		return err
	}
	if now.UpdatedAt.Equal(is.UpdatedAt) {
		return f.printIssue(now, "unchanged:")
	}
	return f.printIssue(now, "updated:")
}

func (o *issueUpdateOptions) update(ctx context.Context, f *Factory, b board.Store, is board.Issue) (board.Issue, error) {
	if o.body.edit {
		return editIssue(ctx, f, b, is)
	}
	p, err := o.complete(ctx, f, b, is)
	if err != nil {
		return board.Issue{}, err
	}
	return b.Update(ctx, is.ID, p, f.Cause())
}

// complete checks the flags against the board and returns the patch they mean.
func (o *issueUpdateOptions) complete(ctx context.Context, f *Factory, b board.Store, is board.Issue) (board.Patch, error) {
	for _, step := range []func() error{
		func() error { return o.plain(f) },
		o.custom,
		func() error { return o.links(ctx, b) },
		func() error { return o.lastRun(ctx, f, is) },
	} {
		if err := step(); err != nil {
			return o.patch, err
		}
	}
	body, err := o.body.read(ctx, f, is.Body)
	o.patch.Body = body
	return o.patch, err
}

// ownFlags counts the flags of the command itself, not the global ones, that
// were given.
func ownFlags(c *cobra.Command) int {
	given := 0
	c.LocalNonPersistentFlags().VisitAll(func(fl *pflag.Flag) {
		if fl.Changed {
			given++
		}
	})
	return given
}

// plain sets the parts that stand for themselves.
func (o *issueUpdateOptions) plain(f *Factory) error {
	p := &o.patch
	if o.flags.Changed("title") {
		if err := checkTitle(o.title); err != nil {
			return err
		}
		p.Title = &o.title
	}
	if o.flags.Changed("priority") {
		p.Priority = &o.priority
	}
	if o.flags.Changed("assignee") {
		p.Assignee = &o.assignee
	}
	if o.flags.Changed("bot") {
		if err := f.checkBot(o.bot); err != nil {
			return err
		}
		p.Bot = &o.bot
	}
	if o.flags.Changed("set-labels") {
		if len(p.AddLabels)+len(p.RemoveLabels) > 0 {
			return Usagef("--set-labels replaces all labels: it excludes --add-label and --remove-label")
		}
		labels := nonNil(o.setLabels)
		p.SetLabels = &labels
	}
	return nil
}

// custom sets the custom fields and the bot's inputs.
func (o *issueUpdateOptions) custom() (err error) {
	p := &o.patch
	if p.SetBotArgs, err = pairs("bot-arg", o.botArgs); err != nil {
		return err
	}
	p.SetFields, err = pairs("field", o.fields)
	return err
}

// links resolves the cards that the patch points at. A blocker to drop may be
// gone from the board, so that its full id is taken as it is.
func (o *issueUpdateOptions) links(ctx context.Context, b board.Store) (err error) {
	p := &o.patch
	if p.AddBlockers, err = resolveFlag(ctx, b, "add-blocker", p.AddBlockers); err != nil {
		return err
	}
	for i, ref := range p.RemoveBlockers {
		if id, err := b.Resolve(ctx, ref); err == nil {
			p.RemoveBlockers[i] = id
		} else if !strings.Contains(ref, ":") {
			return &ExitError{Code: ExitUsage, Err: fmt.Errorf("--remove-blocker %q: %w", ref, err)}
		}
	}
	if !o.flags.Changed("parent") {
		return nil
	}
	if o.parent != "" {
		ids, err := resolveFlag(ctx, b, "parent", []string{o.parent})
		if err != nil {
			return err
		}
		o.parent = ids[0]
	}
	p.ParentID = &o.parent
	return nil
}

// lastRun refuses to drop the pointer to a run that may still be alive.
func (o *issueUpdateOptions) lastRun(ctx context.Context, f *Factory, is board.Issue) error {
	if !o.patch.ClearLastRun || is.LastRunID == "" {
		return nil
	}
	return f.checkRunEnded(ctx, is.LastRunID)
}
