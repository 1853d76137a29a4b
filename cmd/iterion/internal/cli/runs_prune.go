package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"iterion/native"
	"iterion/native/board"
	"iterion/native/run"
)

type runsPruneOptions struct {
	olderThan string
	keepLast  int
	statuses  []string
	dryRun    bool
}

func newRunsPrune(f *Factory) *cobra.Command {
	var o runsPruneOptions
	c := &cobra.Command{
		Use: "prune", Short: "Remove old runs with all that they left", Args: exactly(),
		Long: "Remove runs that ended long ago: their records, logs, events and folders. A run that is at\n" +
			"work, paused, pointed at by a card or still in the dispatcher's books is never removed, and one\n" +
			"that failed but can be continued (failed_resumable) only when --status names it. When the board\n" +
			"cannot be read, nothing is removed. What the runs cost stays in the ledger.",
		Example: "  iterion runs prune --dry-run\n" +
			"  iterion runs prune --older-than 30d --keep-last 0 --status failed",
		RunE: func(c *cobra.Command, _ []string) error { return runRunsPrune(c.Context(), f, o) },
	}
	fl := c.Flags()
	fl.StringVar(&o.olderThan, "older-than", "720h", "only runs that ended so long ago: a `duration` such as 720h or 30d")
	fl.IntVar(&o.keepLast, "keep-last", 100, "never one of so many newest runs")
	fl.StringArrayVarP(&o.statuses, "status", "s", nil, "only of this status, repeatable (default: finished, failed and cancelled)")
	fl.BoolVar(&o.dryRun, "dry-run", false, "only say what would be removed")
	completeFlag(c, "status", fixed(finalStatuses()...))
	return c
}

func finalStatuses() []string {
	var final []string
	for _, s := range runStatuses() {
		if run.Status(s).Final() {
			final = append(final, s)
		}
	}
	return final
}

func runRunsPrune(ctx context.Context, f *Factory, o runsPruneOptions) error {
	p, err := o.prune(f.Now())
	if err != nil {
		return err
	}
	l, err := f.Layout()
	if err != nil {
		return err
	}
	runs, err := f.Runs()
	if err != nil {
		return err
	}
	p.Kept = func(ctx context.Context) (map[string]bool, error) { return f.runsInUse(ctx, l, runs) }
	done, err := runs.Prune(ctx, p)
	if err != nil && len(done.Removed) == 0 {
		return err
	}
	if perr := printPruned(f, o, done); err == nil {
		err = perr
	}
	return err
}

func (o runsPruneOptions) prune(now time.Time) (run.Prune, error) {
	p := run.Prune{KeepLast: o.keepLast, DryRun: o.dryRun}
	age, ok := parseAge(o.olderThan)
	if !ok {
		return p, Usagef("--older-than %q: want a duration such as 720h or 30d", o.olderThan)
	}
	if o.keepLast < 0 {
		return p, Usagef("--keep-last %d: want 0 or more", o.keepLast)
	}
	var err error
	p.Before = now.Add(-age)
	if p.Statuses, err = parseStatuses(o.statuses); err != nil {
		return p, err
	}
	for _, s := range p.Statuses {
		if !s.Final() {
			return p, Usagef("--status %s: only runs that have ended are removed", s)
		}
	}
	return p, nil
}

// runsInUse returns the runs that something in the store points at. The books of
// the dispatcher are read before the board: an entry leaves them only after its
// card was written.
func (f *Factory) runsInUse(ctx context.Context, l native.Layout, runs *run.Dir) (map[string]bool, error) {
	used := map[string]bool{}
	for _, path := range []string{l.Claims(), l.Retries()} {
		if err := namedIn(path, runs, used); err != nil {
			return nil, err
		}
	}
	b, err := f.Board()
	if err != nil {
		return nil, err
	}
	found, err := listForTable(ctx, b, board.Query{})
	if err != nil {
		return nil, err
	}
	if len(found.Broken) > 0 {
		return nil, &ExitError{Code: ExitFailed, Err: &found.Broken[0],
			Hint: "a card that cannot be read may point at any run; see `iterion doctor`"}
	}
	for _, is := range found.Issues {
		if is.LastRunID != "" {
			used[is.LastRunID] = true
		}
		if is.GaveUp != nil {
			used[is.GaveUp.RunID] = true
		}
	}
	return used, nil
}

// namedIn adds the runs whose ids occur in a file, wherever in it. A file that is
// no JSON might name any run.
func namedIn(path string, runs *run.Dir, used map[string]bool) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !json.Valid(data) {
		err = errors.New("it is not JSON")
	}
	if err != nil {
		return &ExitError{Code: ExitFailed, Err: fmt.Errorf("read %s: %w", path, err),
			Hint: "it may name any run; see `iterion doctor`"}
	}
	ids, err := runs.IDs()
	for _, id := range ids {
		if bytes.Contains(data, []byte(id)) {
			used[id] = true
		}
	}
	return err
}

// prunedJSON is the result of a pruning in JSON.
type prunedJSON struct {
	DryRun     bool            `json:"dry_run"`
	Removed    []prunedRunJSON `json:"removed"`
	FreedBytes int64           `json:"freed_bytes"`
	Spared     int             `json:"spared"` // old enough, but in use
	Failed     []failedRunJSON `json:"failed"`
}

type prunedRunJSON struct {
	ID         string     `json:"id"`
	Bot        string     `json:"bot"`
	Status     run.Status `json:"status"`
	FinishedAt time.Time  `json:"finished_at,omitzero"`
	Bytes      int64      `json:"bytes"`
}

type failedRunJSON struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

func printPruned(f *Factory, o runsPruneOptions, done run.Pruned) error {
	for _, b := range done.Failed {
		f.Warn("%v", b.Err)
	}
	switch {
	case f.Global.JSON:
		if err := f.PrintJSON(newPrunedJSON(o, done)); err != nil {
			return err
		}
	case f.Global.Quiet:
		for _, r := range done.Removed {
			f.Say("%s", r.Record.ID)
		}
	default:
		sayPruned(f, o, done)
	}
	if len(done.Failed) > 0 {
		return &ExitError{Code: ExitFailed, Err: fmt.Errorf("%d runs could not be looked at or removed", len(done.Failed))}
	}
	return nil
}

func newPrunedJSON(o runsPruneOptions, done run.Pruned) prunedJSON {
	j := prunedJSON{DryRun: o.dryRun, FreedBytes: done.Freed, Spared: done.Spared,
		Removed: []prunedRunJSON{}, Failed: []failedRunJSON{}}
	for _, r := range done.Removed {
		j.Removed = append(j.Removed, prunedRunJSON{r.Record.ID, r.Record.Bot, r.Record.Status, r.Record.FinishedAt, r.Bytes})
	}
	for _, b := range done.Failed {
		j.Failed = append(j.Failed, failedRunJSON{b.ID, b.Err.Error()})
	}
	return j
}

func sayPruned(f *Factory, o runsPruneOptions, done run.Pruned) {
	verb, freed := "removed", "freed"
	if o.dryRun {
		verb, freed = "would remove", "would free"
	}
	for _, r := range done.Removed {
		f.Say("%s", visibleLine(fmt.Sprintf("%s run %s  %s %s  %s", verb, run.Short(r.Record.ID), r.Record.Bot, r.Record.Status, bytesText(r.Bytes))))
	}
	f.Say("%s %d runs, %s %s", verb, len(done.Removed), freed, bytesText(done.Freed))
	if done.Spared > 0 {
		f.Talk("%d more are old enough and in use: a card points at them, or somebody holds them", done.Spared)
	}
}

// bytesText is a size for people: "12.3 MiB".
func bytesText(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	size, units := float64(n), []string{"KiB", "MiB", "GiB", "TiB"}
	for size /= 1 << 10; size >= 1<<10 && len(units) > 1; size /= 1 << 10 {
		units = units[1:]
	}
	return fmt.Sprintf("%.1f %s", size, units[0])
}
