package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

type issueCommentOptions struct {
	ref, text, author string
	body              bodyFlags
}

func newIssueComment(f *Factory) *cobra.Command {
	var o issueCommentOptions
	c := &cobra.Command{
		Use: "comment ID [TEXT]", Short: "Add a remark to a card", Args: atLeastOne("ID"),
		ValidArgsFunction: f.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			o.ref, o.text = args[0], strings.Join(args[1:], " ")
			return runIssueComment(c.Context(), f, o)
		},
	}
	o.body.add(c.Flags())
	c.Flags().StringVar(&o.author, "author", "", "who says it (default: you or, inside a bot, the bot)")
	return c
}

func runIssueComment(ctx context.Context, f *Factory, o issueCommentOptions) error {
	b, err := f.Board()
	if err != nil {
		return err
	}
	id, err := b.Resolve(ctx, o.ref)
	if err != nil {
		return err
	}
	text, err := o.read(ctx, f)
	if err != nil {
		return err
	}
	c, err := b.Comment(ctx, id, o.by(f), text, f.Cause())
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(c)
	}
	if f.Global.Quiet {
		f.Say("%s", c.ID)
		return nil
	}
	f.Say("commented on %s", id)
	return nil
}

func (o *issueCommentOptions) read(ctx context.Context, f *Factory) (string, error) {
	body, err := o.body.read(ctx, f, "")
	if err != nil {
		return "", err
	}
	if body != nil && o.text != "" {
		return "", Usagef("the text was given twice: as an argument and by a flag")
	}
	if body != nil {
		o.text = *body
	}
	if strings.TrimSpace(o.text) == "" {
		return "", Usagef("the comment is blank: give TEXT, --body or --body-file")
	}
	return o.text, nil
}

func (o *issueCommentOptions) by(f *Factory) string {
	if o.author != "" {
		return o.author
	}
	if bot := f.Env("ITERION_BOT"); bot != "" && f.Env("ITERION_RUN_ID") != "" {
		return bot
	}
	return f.Actor()
}
