package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"iterion/native/board"
	"iterion/native/run"
)

type runsListOptions struct {
	statuses []string
	bot      string
	issue    string
	since    string
	limit    int
}

func newRunsList(f *Factory) *cobra.Command {
	var o runsListOptions
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List runs, newest first", Args: exactly(),
		Long: "List runs, newest first. The ids shown are the ends of the full ones; every command takes\n" +
			"them. A run that waits for a person is marked with a *. --json prints one array with the keys of\n" +
			"run.json; no match is [] and exit 0.",
		Example: "  iterion runs list --status paused\n" +
			"  iterion runs list --bot claude --since 2d --status failed --status failed_resumable",
		RunE: func(c *cobra.Command, _ []string) error { return runRunsList(c.Context(), f, o) },
	}
	fl := c.Flags()
	fl.StringArrayVarP(&o.statuses, "status", "s", nil, "only of this status, repeatable; paused is both kinds")
	fl.StringVarP(&o.bot, "bot", "b", "", "only of this bot")
	fl.StringVar(&o.issue, "issue", "", "only of the card with this `id`")
	fl.StringVar(&o.since, "since", "", "only those made from this `time` on: 2026-11-30, 2026-11-30T09:00:00Z, or 90m, 2h, 7d ago")
	fl.IntVarP(&o.limit, "limit", "n", 0, "at most so many")
	completeFlag(c, "status", fixed(append(runStatuses(), anyPaused)...))
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

// anyPaused selects both statuses of a paused run.
const anyPaused = "paused"

func parseStatuses(words []string) ([]run.Status, error) {
	var statuses []run.Status
	for _, s := range words {
		switch {
		case s == anyPaused:
			statuses = append(statuses, run.PausedHuman, run.PausedOperator)
		case slices.Contains(runStatuses(), s):
			statuses = append(statuses, run.Status(s))
		default:
			return nil, &ExitError{Code: ExitUsage, Hint: "the statuses: " + strings.Join(runStatuses(), ", "),
				Err: fmt.Errorf("--status: unknown status %q%s", s, didYouMean(s, runStatuses()))}
		}
	}
	return statuses, nil
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
	statuses, err := parseStatuses(o.statuses)
	if err != nil {
		return q, err
	}
	q.Statuses = statuses
	if o.since != "" {
		at, ok := parseInstant(o.since, f.Now())
		if !ok {
			return q, Usagef("--since %q: want %s", o.since, wantInstant)
		}
		q.Since = at
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
	waiting := false
	for _, r := range records {
		status := liveStatus(runs, r)
		if r.Status.Paused() {
			status = "* " + status
			waiting = true
		}
		t.Row(run.Short(r.ID), status, r.Bot, board.ShortID(r.Source.IssueID), instant(r.CreatedAt),
			tookText(r, f.Now()), lastWord(r))
	}
	t.Print(f)
	if waiting {
		f.Talk("* waits for a person: `iterion runs show RUN` tells what for")
	}
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

// lastWord is what matters most about a run now.
func lastWord(r run.Record) string {
	switch {
	case r.Status == run.PausedHuman && r.Awaiting != nil:
		return "asks: " + askedText(r.Awaiting.Questions)
	case r.Error != "":
		return r.Error
	case r.PauseReason != "":
		return r.PauseReason
	}
	return progressText(r.Progress)
}

// askedText is a question on one line.
func askedText(questions json.RawMessage) string {
	form, err := run.ParseForm(questions)
	switch {
	case err != nil:
		return "a question that cannot be read"
	case form.Question != "":
		return oneLine(form.Question)
	}
	titles := make([]string, len(form.Fields))
	for i, field := range form.Fields {
		titles[i] = field.Title()
	}
	return oneLine(strings.Join(titles, ", "))
}
