package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"iterion/native"
	"iterion/native/board"
	"iterion/native/doctor"
)

type doctorOptions struct {
	fix     bool
	archive bool
	before  string

	until time.Time // what before says
}

func newDoctor(f *Factory) *cobra.Command {
	var o doctorOptions
	c := &cobra.Command{
		Use: "doctor", Short: "Examine the store and mend it", Args: exactly(),
		Long: "Examine the store, its locks, the host and the bots: what is wrong, where, what it means,\n" +
			"and what to do. Without --fix nothing is changed and no lock is taken.\n\n" +
			"--fix mends what can be mended under the writer lock and says what it did. It never deletes\n" +
			"content: what is in the way is moved to dispatcher/aside/<instant>/ in the store, under its own\n" +
			"path, where nothing reads it any more. A second --fix finds nothing left to mend.\n\n" +
			"--archive-events moves the events that are older than --before out of the log, to compressed\n" +
			"files beside it, dispatcher/events-<first>-<last>.jsonl.gz. Nothing else changes: their numbers\n" +
			"go on, and `iterion issue events` tells them still, from the beginning or from any place. It may\n" +
			"be done beside writers and a daemon.\n\n" +
			"--json prints {store, at, cards, events, bots, healthy, findings: [{id, severity, what, where,\n" +
			"means, remedy, fixable}]} and, with --fix, mending: {aside, did, failed}; with --archive-events,\n" +
			"archived: {events, first, last, files}.\n\n" +
			"Exit codes: 0 nothing worse than notes; 1 findings remain, or could not be mended; 4 --fix or\n" +
			"--archive-events could not have the writer lock.",
		Example: "  iterion doctor --fix\n" +
			"  iterion doctor --archive-events --before 90d",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(c.Flags().Changed("before"), f.Now()); err != nil {
				return err
			}
			return runDoctor(c.Context(), f, o)
		},
	}
	fl := c.Flags()
	fl.BoolVar(&o.fix, "fix", false, "mend what can be mended; move aside, never delete")
	fl.BoolVar(&o.archive, "archive-events", false, "move old events out of the log")
	fl.StringVar(&o.before, "before", "90d", "what is old: before this `time`, or older than this age")
	return c
}

func (o *doctorOptions) check(beforeGiven bool, now time.Time) error {
	if beforeGiven && !o.archive {
		return Usagef("--before belongs to --archive-events")
	}
	var ok bool
	if o.until, ok = parseInstant(o.before, now); !ok {
		return Usagef("--before %q: want %s", o.before, wantInstant)
	}
	return nil
}

// checkup is the result of the command, and its JSON.
type checkup struct {
	doctor.Report
	Healthy  bool             `json:"healthy"`
	Bots     int              `json:"bots"`
	Mending  *doctor.Mending  `json:"mending,omitempty"`  // with --fix
	Archived *native.Archived `json:"archived,omitempty"` // with --archive-events
}

func runDoctor(ctx context.Context, f *Factory, do doctorOptions) error {
	l, err := f.Layout()
	if err != nil {
		return err
	}
	show, clear := f.examined()
	o := doctor.Options{Layout: l, Now: f.Now(), NoFsync: f.Global.NoFsync, Progress: show}
	var c checkup
	if do.fix {
		c.Mending, err = mendStore(ctx, o)
	}
	if do.archive && err == nil {
		c.Archived, err = archiveEvents(ctx, o, do.until)
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

// archiveEvents moves the events of before until out of the log.
func archiveEvents(ctx context.Context, o doctor.Options, until time.Time) (*native.Archived, error) {
	s, err := native.Open(o.Layout, native.Options{NoFsync: o.NoFsync})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	done, err := s.ArchiveEvents(ctx, until)
	if err != nil {
		return nil, cannotWrite(fmt.Errorf("archive events: %w", err), "--archive-events")
	}
	done.Files = nonNil(done.Files)
	return &done, nil
}

// cannotWrite makes what a store that cannot be written refuses, or a log that is
// not as it should be, no mistake of the command line.
func cannotWrite(err error, what string) error {
	switch {
	case errors.Is(err, board.ErrReadOnly):
		return &ExitError{Code: ExitFailed, Err: err, Hint: "it stays as it is; " + what + " needs the right to write to it"}
	case errors.Is(err, board.ErrInvalid):
		return &ExitError{Code: ExitFailed, Err: err, Hint: "it stays as it is; `iterion doctor` says more"}
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
	if err != nil {
		err = cannotWrite(fmt.Errorf("mend the store: %w", err), "--fix")
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
