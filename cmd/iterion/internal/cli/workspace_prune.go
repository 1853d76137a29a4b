package cli

import (
	"context"

	"github.com/spf13/cobra"

	"iterion/daemon"
	"iterion/daemon/control"
)

type workspacePruneOptions struct {
	config    string
	olderThan string
	dryRun    bool
}

func newWorkspacePrune(f *Factory) *cobra.Command {
	var o workspacePruneOptions
	c := &cobra.Command{
		Use: "prune", Short: "Remove the folders that nobody needs any more", Args: exactly(),
		Long: "Remove the folders of cards that are in a terminal column, or gone. A folder stays while its\n" +
			"card is claimed, while a run of the card is at work, paused or can be continued, and while any\n" +
			"process uses it. The daemon of the folders does it, or this command where none runs.",
		Example: "  iterion workspace prune --dry-run\n  iterion workspace prune --older-than 30d",
		RunE:    func(c *cobra.Command, _ []string) error { return runWorkspacePrune(c.Context(), f, o) },
	}
	fl := c.Flags()
	fl.StringVar(&o.config, "config", "", "config `file` that names the workspace root")
	fl.StringVar(&o.olderThan, "older-than", "0h", "only those not used for so long: a `duration` such as 720h or 30d")
	fl.BoolVar(&o.dryRun, "dry-run", false, "only say what would be removed")
	return c
}

func runWorkspacePrune(ctx context.Context, f *Factory, o workspacePruneOptions) error {
	age, ok := parseAge(o.olderThan)
	if !ok {
		return Usagef("--older-than %q: want a duration such as 720h or 30d", o.olderThan)
	}
	opts, err := f.daemonOptions(o.config)
	if err != nil {
		return err
	}
	report, err := daemon.PruneWorkspaces(ctx, opts, control.Prune{DryRun: o.dryRun, OlderThanMS: age.Milliseconds()})
	if err != nil && len(report.Folders) == 0 {
		return err
	}
	if f.Global.JSON {
		if perr := f.PrintJSON(nonNil(report.Folders)); err == nil {
			err = perr
		}
		return err
	}
	printPrunedFolders(f, report, o.dryRun)
	return err
}

func printPrunedFolders(f *Factory, r control.PruneReport, dry bool) {
	done := map[bool]string{true: "would remove", false: "removed"}[dry]
	for _, w := range r.Folders {
		switch {
		case w.Removed, dry && w.Kept == "":
			f.Say("%s %s", done, w.Path)
		case f.Global.Verbose:
			f.Talk("kept %s: %s", w.Path, w.Kept)
		}
	}
}
