package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"iterion/bots/manifest"
	"iterion/bots/supervise"
	"iterion/native/filelock"
	"iterion/native/run"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
	"iterion/sched/localrun"
)

type scheduleRunOptions struct {
	tick     bool
	dry      bool
	runGuard bool
	strict   bool
	noWait   bool
}

func newScheduleRun(s *schedules) *cobra.Command {
	var o scheduleRunOptions
	c := &cobra.Command{
		Use: "run NAME", Short: "Take a schedule through its gate now, and start its bot if that says so", Args: exactly("NAME"),
		Long: "Take a schedule through its gate now: is an earlier run in the way, what does the guard say; and\n" +
			"start its bot if nothing speaks against it. The decision is one record in the audit. Then it waits\n" +
			"for the end of the run; the run does not need it, and goes on when this command is killed.\n\n" +
			"--tick is for cron: it decides the newest slot of the last ten minutes that nobody decided, and\n" +
			"where none is due it does nothing, leaves no record and says nothing. It takes the PATH that\n" +
			"`iterion schedule install` wrote down, for cron's own is short.\n\n" +
			"NAME may also be the id of a schedule that the store's daemon keeps: the daemon then decides.\n\n" +
			"While the store is paused (`iterion daemon pause`) or not trusted, and while the day's spending is\n" +
			"at its cap, nothing starts: launch_failed, with the reason and what lifts it.\n\n" +
			"--dry-run prints what would be decided, row by row. It starts nothing and leaves no record. The\n" +
			"guard is not run either, for it may do things; --run-guard runs it.\n\n" +
			"--json prints {schedule, record, missed, settled, disabled, run}.\n\n" +
			"Exit codes: 0 for every decision alike, also for launch_failed unless --strict makes that a 1;\n" +
			"3 no such schedule; 2 its row, or the manifest, cannot be read. Nothing but the permissions of\n" +
			"the manifest guards what is run here.",
		Example: "  iterion schedule run nightly\n" +
			"  iterion schedule run nightly --dry-run\n" +
			"  iterion schedule run nightly --no-wait --json",
		ValidArgsFunction: s.completeNames,
		RunE: func(c *cobra.Command, args []string) error {
			if o.runGuard && !o.dry {
				return Usagef("--run-guard belongs to --dry-run; without it the guard is run anyway")
			}
			if o.dry {
				return runScheduleDry(c.Context(), s, o, args[0])
			}
			return runScheduleRun(c.Context(), s, o, args[0])
		},
	}
	fl := c.Flags()
	fl.BoolVar(&o.tick, "tick", false, "as cron calls it: decide the slot that is due, if one is")
	fl.BoolVar(&o.dry, "dry-run", false, "say what would be decided; start nothing, leave no record")
	fl.BoolVar(&o.runGuard, "run-guard", false, "with --dry-run: run the guard, too")
	fl.BoolVar(&o.strict, "strict", false, "exit 1 when the run could not be started")
	fl.BoolVar(&o.noWait, "no-wait", false, "do not wait for the end of the run")
	return c
}

func runScheduleRun(ctx context.Context, s *schedules, o scheduleRunOptions, name string) error {
	clock, err := s.clock(name)
	if err != nil {
		return err
	}
	decide := clock.RunNow
	if o.tick {
		decide = clock.Tick
		s.takePath(clock.Paths)
	} else if err := s.mayRunByHand(name); errors.Is(err, hostcron.ErrUnknown) {
		decide = func(ctx context.Context) (hostcron.Outcome, error) { return s.runResident(ctx, name, err) }
	} else if err != nil {
		return err
	}
	out, err := decide(ctx)
	if err != nil {
		return s.tickError(name, err)
	}
	return s.tellOutcome(ctx, o, out)
}

// tellOutcome prints what was decided, and waits for the run that was started.
func (s *schedules) tellOutcome(ctx context.Context, o scheduleRunOptions, out hostcron.Outcome) error {
	if !s.f.Global.JSON {
		s.sayOutcome(o, out)
	}
	rec, err := s.seeRun(ctx, o, out)
	if s.f.Global.JSON {
		if err := s.printOutcome(out, rec); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if r := out.Record; o.strict && r != nil && r.Decision == gate.LaunchFailed {
		return &ExitError{Code: ExitFailed}
	}
	return nil
}

// clock decides the slots of one schedule.
func (s *schedules) clock(name string) (hostcron.Clock, error) {
	p, err := s.paths()
	return hostcron.Clock{
		Paths: p, Name: name, Host: time.Local, Audit: s.openAudit(p), NewRunID: run.NewID,
		Prepare: s.prepare, RunExists: s.f.runKnown,
		Waiting: func(h *filelock.HeldError) { s.f.Talk("schedule %s is being decided: %v; waiting", name, h) },
		NoFsync: s.f.Global.NoFsync, Now: s.f.Now,
	}, err
}

// takePath gives the bots of a tick the PATH that they were installed with.
func (s *schedules) takePath(p hostcron.Paths) {
	note, known, err := hostcron.ReadInstalled(p)
	if err != nil {
		s.f.Warn("%v", err)
	}
	if known && note.Path != "" {
		_ = os.Setenv("PATH", note.Path)
	}
}

// mayRunByHand refuses a person what would only leave a record of its failure: a
// store that is not trusted.
func (s *schedules) mayRunByHand(name string) error {
	m, err := s.load()
	if err != nil {
		return err
	}
	row, err := m.Find(name)
	if err != nil {
		return err
	}
	if row.Err() != nil {
		return row.Err()
	}
	p, err := s.f.placeOf(row.Schedule)
	if err != nil {
		return err
	}
	return p.f.RequireTrust(p.layout)
}

// prepare opens a schedule's store for a decision.
func (s *schedules) prepare(ctx context.Context, row hostcron.Schedule) (hostcron.Job, error) {
	p, err := s.f.placeOf(row)
	if err != nil {
		return hostcron.Job{}, err
	}
	job := hostcron.Job{
		StoreDir: p.layout.Root, Lock: p.layout.ScheduleLock(row.Name), Vars: row.Vars, Workdir: p.workdir,
		Env: append(supervise.AllowedEnv(os.Environ()), "ITERION_STORE_DIR="+p.layout.Root),
	}
	if err := p.mayLaunch(ctx); err != nil {
		return job, err
	}
	host, err := p.host()
	if err != nil {
		return job, err
	}
	job.Ports = gate.Ports{
		Live: host.Live,
		Launch: func(ctx context.Context, runID string, vars map[string]string) error {
			_, err := host.Launch(ctx, p.launch(row, runID, vars))
			return err
		},
		Now: s.f.Now,
	}
	return job, nil
}

func (p place) launch(row hostcron.Schedule, runID string, vars map[string]string) localrun.Launch {
	return localrun.Launch{
		RunID: runID, BotID: row.Bot, Name: cmp.Or(row.Description, "schedule "+row.Name),
		Source: run.Source{Kind: run.SourceSchedule, ScheduleID: row.Name, ScheduleName: row.Name},
		Vars:   vars, Workdir: p.workdir, Timeout: row.Timeout, By: p.f.Actor(),
		Env:   map[string]string{"ITERION_SCHEDULE": row.Name},
		Retry: retryOf(row.Retry),
	}
}

func retryOf(r hostcron.Retry) manifest.Retry {
	out := manifest.Retry{UsageWindow: r.UsageWindow}
	if r.MaxAttempts != nil {
		out.MaxAttempts = *r.MaxAttempts
	}
	if r.MaxWait != nil {
		out.MaxWait = *r.MaxWait
	}
	if r.Jitter != nil {
		out.Jitter = *r.Jitter
	}
	return out
}

// tickError adds what to do about a tick that came to no decision.
func (s *schedules) tickError(name string, err error) error {
	code, hint := Exit(err)
	if hint == "" {
		hint = "`iterion schedule why " + quoted(name) + "` says more"
	}
	if code == ExitNotFound || isConflict(err) {
		return err
	}
	if !strings.HasPrefix(err.Error(), "schedule "+name+": ") {
		err = fmt.Errorf("schedule %s: %w", name, err)
	}
	return &ExitError{Code: code, Err: err, Hint: hint}
}
