package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"iterion/daemon/control"
	"iterion/daemon/workspace"
	"iterion/native"
	"iterion/native/board"
	"iterion/native/run"
)

// Workspaces returns the folders of the cards, without asking a daemon.
func Workspaces(o Options) ([]workspace.Folder, error) {
	cfg, err := LoadConfig(o.ConfigPath, o.Cwd, o.Layout.Workspaces())
	if err != nil {
		return nil, err
	}
	return workspace.List(cfg.Workspace.Root)
}

// PruneWorkspaces removes the folders of cards that are filed for good, or gone, and
// of which no run may go on. The daemon of the workspace root does it, or this
// process where there is none.
func PruneWorkspaces(ctx context.Context, o Options, p control.Prune) (control.PruneReport, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d, err := New(o)
	if err != nil {
		return control.PruneReport{}, err
	}
	lock, err := lockRoot(d.cfg.Workspace.Root)
	var locked *LockedError
	if errors.As(err, &locked) {
		return d.askToPrune(ctx, p, locked)
	}
	if err != nil {
		return control.PruneReport{}, err
	}
	defer lock.Release()
	if d.store, err = native.Open(o.Layout, native.Options{NoFsync: o.NoFsync, Log: o.Log}); err != nil {
		return control.PruneReport{}, err
	}
	defer d.store.Close()
	d.openRuns()
	if err := d.openFolders(""); err != nil {
		return control.PruneReport{}, err
	}
	return d.prune(ctx, p)
}

// askToPrune asks the daemon that holds the root.
func (d *Daemon) askToPrune(ctx context.Context, p control.Prune, locked *LockedError) (control.PruneReport, error) {
	for _, place := range []control.Place{control.PlaceOf(d.o.Layout), control.PlaceIn(d.cfg.Workspace.Root)} {
		c, err := control.DialPlace(place)
		if errors.Is(err, control.ErrNoDaemon) {
			continue
		}
		if err != nil {
			return control.PruneReport{}, err
		}
		defer c.Close()
		if st, err := c.Status(ctx); err == nil && st.WorkspaceRoot == d.cfg.Workspace.Root {
			return c.Prune(ctx, p)
		}
	}
	return control.PruneReport{}, locked
}

// Prune removes the folders that nobody needs any more.
func (d service) Prune(ctx context.Context, p control.Prune) (control.PruneReport, error) {
	return d.prune(ctx, p)
}

func (d *Daemon) prune(ctx context.Context, p control.Prune) (control.PruneReport, error) {
	held, err := d.heldBy()
	if err != nil {
		return control.PruneReport{}, err
	}
	before := time.Now().Add(-time.Duration(p.OlderThanMS) * time.Millisecond)
	schema, err := d.store.Schema(ctx)
	if err != nil {
		return control.PruneReport{}, err
	}
	pruned, err := d.folders.Prune(func(f workspace.Folder) string {
		if why := d.needed(ctx, schema, held, f); why != "" {
			return why
		}
		if p.OlderThanMS > 0 && f.At.After(before) {
			return "it was used since " + before.UTC().Format(time.RFC3339)
		}
		return ""
	}, p.DryRun)
	report := control.PruneReport{Folders: make([]control.PrunedFolder, 0, len(pruned))}
	for _, f := range pruned {
		report.Folders = append(report.Folders, control.PrunedFolder{
			Key: f.Key, Path: f.Path, IssueID: f.IssueID, Removed: f.Removed, Kept: f.Kept,
		})
	}
	return report, err
}

// heldBy are the cards with a run that is live, waits, or may go on.
func (d *Daemon) heldBy() (map[string]string, error) {
	found, err := d.runs.List(run.Query{Statuses: []run.Status{
		run.Queued, run.Running, run.PausedHuman, run.PausedOperator, run.FailedResumable,
	}})
	if err != nil {
		return nil, fmt.Errorf("look for runs that need their folders: %w", err)
	}
	held := map[string]string{}
	for _, rec := range found.Records {
		if rec.Source.IssueID != "" {
			held[rec.Source.IssueID] = fmt.Sprintf("run %s is %s", rec.ID, rec.Status)
		}
	}
	return held, nil
}

// needed says why a folder stays, or nothing. What cannot be read conserves.
func (d *Daemon) needed(ctx context.Context, schema board.Schema, held map[string]string, f workspace.Folder) string {
	if f.IssueID == "" {
		return "nobody knows which card it belongs to"
	}
	is, err := d.store.Get(ctx, f.IssueID)
	switch {
	case errors.Is(err, board.ErrNotFound):
		return held[f.IssueID]
	case err != nil:
		return err.Error()
	case is.Claim != "":
		return "the card is claimed by " + is.Claim
	case !schema.Terminal(is.State):
		return "the card is in " + is.State
	}
	return held[f.IssueID]
}
