package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"iterion/native/board"
	"iterion/native/run"
)

type runsListOptions struct {
	statuses []string
	bot      string
	issue    string
	limit    int
}

func newRunsList(f *Factory) *cobra.Command {
	var o runsListOptions
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List runs, newest first", Args: exactly(),
		Long: "List runs, newest first. The ids shown are the ends of the full ones; every command takes\n" +
			"them. --json prints one array with the keys of run.json; no match is [] and exit 0.",
		RunE: func(c *cobra.Command, _ []string) error { return runRunsList(c.Context(), f, o) },
	}
	fl := c.Flags()
	fl.StringArrayVarP(&o.statuses, "status", "s", nil, "only of this status, repeatable")
	fl.StringVarP(&o.bot, "bot", "b", "", "only of this bot")
	fl.StringVar(&o.issue, "issue", "", "only of the card with this `id`")
	fl.IntVarP(&o.limit, "limit", "n", 0, "at most so many")
	completeFlag(c, "status", fixed(runStatuses()...))
	completeFlag(c, "bot", f.completeBots)
	completeFlag(c, "issue", f.completeIDs)
	return c
}

func runStatuses() []string {
	return []string{
		string(run.Queued), string(run.Running), string(run.PausedHuman), string(run.PausedOperator),
		string(run.Finished), string(run.Failed), string(run.FailedResumable), string(run.Cancelled),
	}
}

func runRunsList(ctx context.Context, f *Factory, o runsListOptions) error {
	q, err := o.query(ctx, f)
	if err != nil {
		return err
	}
	runs, err := f.Runs()
	if err != nil {
		return err
	}
	found, err := runs.List(q)
	if err != nil {
		return err
	}
	for _, b := range found.Broken {
		f.Warn("%v", b.Err)
	}
	if f.Global.JSON {
		list := make([]runJSON, len(found.Records))
		for i, rec := range found.Records {
			list[i] = newRunJSON(runs, rec)
		}
		return f.PrintJSON(list)
	}
	printRuns(f, runs, found.Records)
	return nil
}

func (o runsListOptions) query(ctx context.Context, f *Factory) (run.Query, error) {
	q := run.Query{Bot: o.bot, Limit: o.limit}
	if o.limit < 0 {
		return q, Usagef("--limit %d: want 0 (all) or more", o.limit)
	}
	for _, s := range o.statuses {
		if !slices.Contains(runStatuses(), s) {
			return q, Usagef("--status: unknown status %q%s", s, didYouMean(s, runStatuses()))
		}
		q.Statuses = append(q.Statuses, run.Status(s))
	}
	if o.bot != "" {
		q.Bot = f.slugOf(o.bot)
	}
	if o.issue == "" {
		return q, nil
	}
	b, err := f.Board()
	if err != nil {
		return q, err
	}
	if q.IssueID, err = b.Resolve(ctx, o.issue); err != nil {
		return q, err
	}
	return q, nil
}

// slugOf writes a bot's name as its runs carry it; a bot that is gone may still
// have runs.
func (f *Factory) slugOf(name string) string {
	reg, err := f.Bots()
	if err != nil {
		return name
	}
	b, err := reg.Resolve(name)
	if err != nil {
		return name
	}
	return b.Slug()
}

func printRuns(f *Factory, runs *run.Dir, records []run.Record) {
	if f.Global.Quiet {
		for _, r := range records {
			f.Say("%s", r.ID)
		}
		return
	}
	if len(records) == 0 {
		f.Talk("no runs")
		return
	}
	t := Table{Head: []string{"RUN", "STATUS", "BOT", "ISSUE", "CREATED", "TOOK", "LAST"}}
	for _, r := range records {
		t.Row(run.Short(r.ID), liveStatus(runs, r), r.Bot, board.ShortID(r.Source.IssueID), instant(r.CreatedAt),
			tookText(r, f.Now()), lastWord(r))
	}
	t.Print(f)
}

// liveStatus tells a run that is at work from one whose supervisor died.
func liveStatus(runs *run.Dir, r run.Record) string {
	switch live := newRunJSON(runs, r).Supervised; {
	case live != nil && !*live && !r.Status.Paused():
		return string(r.Status) + " (orphaned)"
	case r.Doubtful():
		return string(r.Status) + " (kill unconfirmed)"
	}
	return string(r.Status)
}

func lastWord(r run.Record) string {
	if r.Error != "" {
		return r.Error
	}
	return progressText(r.Progress)
}
