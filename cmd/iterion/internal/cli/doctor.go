package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"iterion/native"
	"iterion/native/board"
	"iterion/native/doctor"
)

func newDoctor(f *Factory) *cobra.Command {
	var fix bool
	c := &cobra.Command{
		Use: "doctor", Short: "Examine the store and mend it", Args: exactly(),
		Long: "Examine the store, its locks, the host and the bots: what is wrong, where, what it means,\n" +
			"and what to do. Without --fix nothing is changed and no lock is taken.\n\n" +
			"--fix mends what can be mended under the writer lock and says what it did. It never deletes\n" +
			"content: what is in the way is moved to dispatcher/aside/<instant>/ in the store, under its own\n" +
			"path, where nothing reads it any more. A second --fix finds nothing left to mend.\n\n" +
			"--json prints {store, at, cards, events, bots, healthy, findings: [{id, severity, what, where,\n" +
			"means, remedy, fixable}]} and, with --fix, mending: {aside, did, failed}.\n\n" +
			"Exit codes: 0 nothing worse than notes; 1 findings remain, or could not be mended; 4 --fix\n" +
			"could not have the writer lock.",
		RunE: func(c *cobra.Command, _ []string) error { return runDoctor(c.Context(), f, fix) },
	}
	c.Flags().BoolVar(&fix, "fix", false, "mend what can be mended; move aside, never delete")
	return c
}

// checkup is the result of the command, and its JSON.
type checkup struct {
	doctor.Report
	Healthy bool            `json:"healthy"`
	Bots    int             `json:"bots"`
	Mending *doctor.Mending `json:"mending,omitempty"` // with --fix
}

func runDoctor(ctx context.Context, f *Factory, fix bool) error {
	l, err := f.Layout()
	if err != nil {
		return err
	}
	show, clear := f.examined()
	o := doctor.Options{Layout: l, Now: f.Now(), NoFsync: f.Global.NoFsync, Progress: show}
	var c checkup
	if fix {
		c.Mending, err = mendStore(ctx, o)
	}
	c.Report, c.Bots, err = f.examine(ctx, o, err)
	clear()
	if c.Store == "" {
		return err
	}
	c.Healthy = c.Report.Healthy()
	if perr := printCheckup(f, c); perr != nil {
		return perr
	}
	if err == nil && (!c.Healthy || c.Mending != nil && len(c.Mending.Failed) > 0) {
		err = &ExitError{Code: ExitFailed}
	}
	return err
}

// mendStore examines the store and mends what it found.
func mendStore(ctx context.Context, o doctor.Options) (*doctor.Mending, error) {
	rep, err := doctor.Examine(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("examine the store: %w", err)
	}
	m, err := doctor.Fix(ctx, o, rep)
	if errors.Is(err, board.ErrReadOnly) {
		err = &ExitError{Code: ExitFailed, Err: fmt.Errorf("mend the store: %w", err),
			Hint: "it stays as it is; --fix needs the right to write to it"}
	} else if err != nil {
		err = fmt.Errorf("mend the store: %w", err)
	}
	return &m, err
}

// examine looks at the store and at what the command line knows of: trust and
// bots. failed is an error from before, which is kept.
func (f *Factory) examine(ctx context.Context, o doctor.Options, failed error) (doctor.Report, int, error) {
	o.Now = f.Now()
	rep, err := doctor.Examine(ctx, o)
	if err != nil {
		return doctor.Report{}, 0, errors.Join(failed, fmt.Errorf("examine the store: %w", err))
	}
	found, n := f.examineBots(o.Layout)
	rep.Findings = append(rep.Findings, found...)
	rep.Findings = append(rep.Findings, f.examineTrust(o.Layout)...)
	doctor.Sort(rep.Findings)
	return rep, n, failed
}

func (f *Factory) examineTrust(l native.Layout) []doctor.Finding {
	ok, err := f.trusted(l)
	switch {
	case err != nil:
		return []doctor.Finding{{ID: "trust-unreadable", Severity: doctor.Error, Where: "~/.iterion/trusted.json",
			What:   err.Error(),
			Means:  "nobody knows whether the store may run anything on this host, so nothing runs",
			Remedy: "mend the file or move it away, then `iterion trust`"}}
	case !ok:
		return []doctor.Finding{{ID: "store-untrusted", Severity: doctor.Note, Where: l.Root,
			What:   "the store was never trusted on this host",
			Means:  "a daemon starts paused, and no bot runs",
			Remedy: "look at its cards and bots, then `iterion trust`"}}
	}
	return nil
}
