package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"iterion/bots/supervise"
	"iterion/native/run"
)

func newRuns(f *Factory) *cobra.Command {
	return group("runs", "List and read runs; answer, pause, resume, cancel and prune them",
		newRunsList(f),
		newRunsShow(f),
		newRunsLogs(f),
		newRunsEvents(f),
		newRunsAnswer(f),
		newRunsResume(f),
		newRunsPause(f),
		newRunsCancel(f),
		newRunsPrune(f),
	)
}

// runJSON is a run in JSON: the keys of run.json and what is known beside them.
type runJSON struct {
	run.Record
	// Supervised is there for a run that has not ended. A queued or running one
	// without a supervisor was orphaned by a crash.
	Supervised *bool          `json:"supervised,omitempty"`
	Output     map[string]any `json:"output,omitempty"`
	// Answers are those to the question that the run waits on, else those that its
	// bot was given last.
	Answers map[string]any `json:"answers,omitempty"`
}

func newRunJSON(runs *run.Dir, rec run.Record) runJSON {
	r := runJSON{Record: rec}
	if !rec.Status.Final() {
		// A lock that cannot be looked at does not prove death.
		held, err := runs.Locked(rec.ID)
		live := held || err != nil
		r.Supervised = &live
	}
	return r
}

// printRecord prints one run as JSON.
func (f *Factory) printRecord(runs *run.Dir, rec run.Record) error {
	r := newRunJSON(runs, rec)
	out, err := runs.Output(rec.ID)
	if err != nil {
		f.Warn("%v", err)
	}
	r.Output = out
	if r.Answers, err = runs.Answers(rec); err != nil {
		f.Warn("%v", err)
	}
	return f.PrintJSON(r)
}

// findRun opens the runs and resolves what the user typed.
func (f *Factory) findRun(ref string) (*run.Dir, string, error) {
	runs, err := f.Runs()
	if err != nil {
		return nil, "", err
	}
	id, err := runs.Resolve(ref)
	if err != nil {
		return nil, "", fmt.Errorf("find run: %w", err)
	}
	return runs, id, nil
}

// findSettled is findRun for who asks something of a run: one that lost its
// supervisor has nobody who would listen, and is settled first.
func (f *Factory) findSettled(ctx context.Context, ref string) (*run.Dir, run.Record, error) {
	runs, id, err := f.findRun(ref)
	if err != nil {
		return nil, run.Record{}, err
	}
	rec, err := supervise.Recover(ctx, runs, id)
	return runs, rec, err
}

// completeRuns offers the ends of the ids: their beginnings are all alike.
func (f *Factory) completeRuns(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	return f.completeRunsOf()
}

func (f *Factory) completeRunsOf(statuses ...run.Status) ([]cobra.Completion, cobra.ShellCompDirective) {
	runs, err := f.Runs()
	if err != nil {
		return nil, noFiles
	}
	found, err := runs.List(run.Query{Statuses: statuses, Limit: 100})
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, r := range found.Records {
		out = append(out, cobra.CompletionWithDesc(run.Short(r.ID), r.Bot+" "+string(r.Status)))
	}
	return out, noFiles | cobra.ShellCompDirectiveKeepOrder
}

func progressText(p *run.Progress) string {
	if p == nil {
		return ""
	}
	s := strings.TrimSpace(p.Text)
	if p.Percent != nil {
		s = strconv.FormatFloat(*p.Percent, 'f', 0, 64) + "% " + s
	}
	return s
}

// tookText is how long a run took, or has been at it.
func tookText(r run.Record, now time.Time) string {
	if r.StartedAt.IsZero() {
		return ""
	}
	end := r.FinishedAt
	if end.IsZero() {
		end = now
	}
	return short(end.Sub(r.StartedAt))
}
