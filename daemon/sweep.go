package daemon

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"time"

	"iterion/bots/supervise"
	"iterion/daemon/dispatch"
	"iterion/daemon/watchdog"
	"iterion/native/board"
	"iterion/native/run"
)

// reaperEnv switches the watchdog on without a config file.
const reaperEnv = "ITERION_BOARD_CLAIM_REAPER"

// reaps reports whether the operator wants expired claims to be taken over.
func (d *Daemon) reaps() bool {
	v := os.Getenv(reaperEnv)
	on, err := strconv.ParseBool(v)
	return d.configNow().Watchdog.Enabled || v == "on" || err == nil && on
}

func (d *Daemon) newWatchdog(ports dispatch.Options) *watchdog.Watchdog {
	return watchdog.New(watchdog.Options{
		Board: d.store, Owner: ports.Owner, Log: d.log,
		Oracle: oracle{runs: ports.Runs, dir: d.runs, journal: ports.Journal, owner: ports.Owner,
			retries: &ledger{path: d.o.Layout.Retries()}},
		Settings: func() watchdog.Settings {
			a := d.configNow().Agent
			return watchdog.Settings{
				// Processes are ended on the word of the store's files, which must be trusted for that.
				Enabled: d.reaps() && d.gate.open.Load(),
				Running: a.RunningState, Completed: a.CompletedState, Failed: a.FailedState, Lease: d.o.Lease,
			}
		},
	})
}

// sweep runs the watchdog as soon as this daemon owns the store's singletons and has
// taken its own cards up again.
func (d *Daemon) sweep(ctx context.Context) error {
	for !d.singleton.Load() || !d.disp.Snapshot().Ready {
		if sleep(ctx, time.Second/4); ctx.Err() != nil {
			return nil
		}
	}
	if d.reaps() {
		d.log.Info("the watchdog takes over cards whose holders have died")
	}
	return d.watchdog.Run(ctx)
}

// oracle tells the watchdog what the store's files say about the work on a card.
type oracle struct {
	runs    dispatch.Runs
	dir     *run.Dir
	journal dispatch.Journal
	retries *ledger // only read
	owner   string  // of this daemon
}

var _ watchdog.Oracle = oracle{}

// Recorded finds the run that counts, see watchdog.Oracle.
func (o oracle) Recorded(ctx context.Context, is board.Issue, from board.Fence) (watchdog.Finding, error) {
	var f watchdog.Finding
	entry, err := o.noted(ctx, is.ID, from)
	if err != nil {
		return f, err
	}
	f.Tended, f.Source = entry.Owner != "" && entry.Owner == o.owner, entry.SourceState
	if err := o.findRun(ctx, is, entry.RunID, &f); err != nil {
		return f, err
	}
	retries, err := o.retries.Load(ctx)
	if err != nil {
		return f, err
	}
	r := retries[is.ID]
	f.Attempts, f.Armed = r.Attempts, r.DueAt.After(time.Now())
	return f, nil
}

// noted returns what the card's holder wrote down, if it did.
func (o oracle) noted(ctx context.Context, id string, from board.Fence) (dispatch.JournalEntry, error) {
	entries, err := o.journal.Entries(ctx)
	if err != nil {
		return dispatch.JournalEntry{}, err
	}
	i := slices.IndexFunc(entries, func(e dispatch.JournalEntry) bool {
		return e.IssueID == id && e.Marker == from.Marker && (e.Epoch == from.Epoch || e.Epoch == 0)
	})
	if i < 0 {
		return dispatch.JournalEntry{}, nil
	}
	return entries[i], nil
}

// findRun fills in the run: one that has not ended, else the noted one, else the
// card's last. A noted run that there is not was never launched.
func (o oracle) findRun(ctx context.Context, is board.Issue, noted string, f *watchdog.Finding) error {
	live, err := o.runs.LiveByIssue(ctx, is.ID)
	if err != nil {
		return err
	}
	if len(live) > 0 {
		o.take(f, live[len(live)-1])
		return nil
	}
	for _, id := range []string{noted, is.LastRunID} {
		if id == "" {
			continue
		}
		view, err := o.runs.Inspect(ctx, id)
		switch {
		case err == nil:
			o.take(f, view)
			return nil
		case !errors.Is(err, dispatch.ErrRunGone):
			return err
		}
	}
	f.RunID, f.Gone = is.LastRunID, is.LastRunID != ""
	return nil
}

func (oracle) take(f *watchdog.Finding, v dispatch.RunView) {
	f.RunID, f.Record, f.Live = v.Record.ID, v.Record, v.Supervised
}

// Promote gives a run that lost its supervisor its true end.
func (o oracle) Promote(ctx context.Context, id string) error {
	_, err := supervise.Recover(ctx, o.dir, id)
	return err
}
