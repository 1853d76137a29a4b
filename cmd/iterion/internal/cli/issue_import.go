package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"iterion/native/board"
	"iterion/native/exchange"
)

type issueImportOptions struct {
	from    string
	columns []string
	project string
}

func newIssueImport(f *Factory) *cobra.Command {
	var o issueImportOptions
	c := &cobra.Command{
		Use: "import [FILE]", Short: "File cards from JSON lines, or from another tool's export", Args: atMostOne,
		Long: `File cards from JSON lines as "iterion issue export" writes them, from a file or standard
input. Each goes under its own id: the same again changes nothing, a difference is one
change of the card. Claims are neither imported nor touched; a card that somebody holds
keeps its column and its runs. Comments and runs are added, never taken away. When
anything in the input is wrong, all of it is named and nothing is filed; a card that
is refused later (claimed, in a terminal column) is named and keeps no other back.

--from reads another tool's own export, under ids that stay the same each time. What
the tool says nothing of stays; labels, blockers and comments are added; the column
follows the tool's state when that changes.
  backlog-md    a folder: the project's, its backlog folder, or one of task files
  github-json   gh issue list --state all --limit 1000 --json number,title,body,state,
                stateReason,labels,assignees,author,url,createdAt,comments
  taskwarrior   task export
Open records go to the board's first column or one of the same name that the dispatcher
starts nothing from; closed ones to done; --map says otherwise.`,
		Example: "  iterion issue export | ssh host iterion issue import -\n" +
			"  task export | iterion issue import --from taskwarrior --map started=in_progress",
		RunE: func(c *cobra.Command, args []string) error { return runIssueImport(c.Context(), f, args, o) },
	}
	fl := c.Flags()
	fl.StringVar(&o.from, "from", "", "the `tool` whose export it is: "+strings.Join(exchange.Tools(), ", "))
	fl.StringArrayVar(&o.columns, "map", nil, "column for a state of the tool as `STATE=COLUMN`, repeatable")
	fl.StringVar(&o.project, "project", "", "`name` that tells apart sources whose ids repeat")
	completeFlag(c, "from", fixed(exchange.Tools()...))
	return c
}

func runIssueImport(ctx context.Context, f *Factory, args []string, o issueImportOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	b, schema, err := f.BoardAndSchema(ctx)
	if err != nil {
		return err
	}
	in, err := o.open(f, args, schema)
	if err != nil {
		return err
	}
	defer in.close()
	im := &importing{f: f, b: b, in: in, rules: board.Rules{Schema: schema, By: f.Cause(), Now: f.Now(), Lookup: getter(ctx, b)}}
	if err := im.check(ctx); err != nil {
		return err
	}
	err = im.file(ctx)
	im.missing()
	for _, why := range slices.Sorted(maps.Keys(in.skipped)) {
		f.Talk("left out: %d × %s", in.skipped[why], why)
	}
	return im.report(err)
}

func getter(ctx context.Context, b board.Store) func(string) (board.Issue, error) {
	return func(id string) (board.Issue, error) { return b.Get(ctx, id) }
}

func (o issueImportOptions) check() error {
	if o.from == "" && len(o.columns)+len(o.project) > 0 {
		return Usagef("--map and --project belong to --from")
	}
	if o.from != "" && !slices.Contains(exchange.Tools(), o.from) {
		return Usagef("--from: unknown tool %q%s (valid: %s)", o.from, didYouMean(o.from, exchange.Tools()), strings.Join(exchange.Tools(), ", "))
	}
	return nil
}
