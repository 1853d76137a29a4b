package cli

import (
	"context"
	"maps"
	"os"
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
	in, err := o.read(f, args, schema)
	if err != nil {
		return err
	}
	im := &importing{f: f, b: b, rules: board.Rules{Schema: schema, By: f.Cause(), Now: f.Now(), Lookup: getter(ctx, b)}}
	if err := im.check(ctx, in.Items); err != nil {
		return err
	}
	err = im.file(ctx, in.Items)
	im.missing()
	for _, why := range slices.Sorted(maps.Keys(in.Skipped)) {
		f.Talk("left out: %d × %s", in.Skipped[why], why)
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

// read reads the whole input: nothing is filed before all of it was looked at.
func (o issueImportOptions) read(f *Factory, args []string, schema board.Schema) (exchange.Result, error) {
	columns, err := pairs("map", o.columns)
	if err != nil {
		return exchange.Result{}, err
	}
	opts := exchange.Options{Schema: schema, Columns: columns, Project: o.project}
	if exchange.TakesFolder(o.from) {
		dir := append(args, ".")[0]
		return inputError(dir)(exchange.ReadFolder(o.from, dir, opts))
	}
	if len(args) == 0 && f.IO.InTTY {
		return exchange.Result{}, Usagef("name a file, or - for standard input")
	}
	name, in := append(args, "-")[0], f.IO.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return exchange.Result{}, Usagef("read import: %w", err)
		}
		defer file.Close()
		in = file
	}
	if o.from == "" {
		return inputError(name)(exchange.ReadLines(in))
	}
	return inputError(name)(exchange.Read(o.from, in, opts))
}

// inputError makes an input that is not what it should be an error of the
// command line.
func inputError(name string) func(exchange.Result, error) (exchange.Result, error) {
	return func(r exchange.Result, err error) (exchange.Result, error) {
		if err != nil {
			return r, Usagef("import %s: %w", name, err)
		}
		if len(r.Items) == 0 && len(r.Skipped) == 0 {
			return r, Usagef("import %s: there is no card in it", name)
		}
		return r, nil
	}
}
