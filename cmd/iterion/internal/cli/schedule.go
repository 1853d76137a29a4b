package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"iterion/sched/cronspec"
	"iterion/sched/hostcron"
)

// schedules is what all commands on the host's schedules share.
type schedules struct {
	f        *Factory
	manifest string // as typed
}

func newSchedule(f *Factory) *cobra.Command {
	s := &schedules{f: f}
	c := group("schedule", "Start bots on a clock: the host's cron calls iterion",
		newScheduleAdd(s), newScheduleEdit(s), newScheduleRemove(s),
		newScheduleList(s), newScheduleShow(s), newScheduleNext(f),
		newScheduleEnable(s), newScheduleDisable(s),
		newScheduleInstall(s), newScheduleUninstall(s),
		newScheduleRun(s), newScheduleAudit(s), newScheduleWhy(s),
	)
	c.Long = "Start bots on a clock. A schedule binds a cron expression to a bot of a store. The schedules of\n" +
		"all stores are in one file of yours, the manifest; `iterion schedule install` writes a block of\n" +
		"lines to your crontab, and each line calls `iterion schedule run`, which decides, leaves one\n" +
		"record in the tick audit, and starts the bot.\n\n" +
		"The manifest is ~/.iterion/schedules.yaml, unless --manifest or $ITERION_SCHEDULES_FILE says\n" +
		"otherwise. Nothing but the file permissions of manifest and crontab guards them: who can write\n" +
		"one of the two can run anything as you.\n\n" +
		"A daemon has a clock of its own, which needs no crontab: see `iterion trigger`."
	c.Example = "  iterion schedule add nightly --cron '30 2 * * *' --bot tidy\n" +
		"  iterion schedule install\n" +
		"  iterion schedule audit --name nightly\n" +
		"  iterion why nightly"
	c.PersistentFlags().StringVar(&s.manifest, "manifest", "", manifestUsage)
	return c
}

const manifestUsage = "`file` of the schedules (default: $ITERION_SCHEDULES_FILE, else ~/.iterion/schedules.yaml)"

// paths names the files around the manifest in use.
func (s *schedules) paths() (hostcron.Paths, error) {
	home, err := s.f.Home()
	if err != nil {
		return hostcron.Paths{}, fmt.Errorf("find the schedules: %w", err)
	}
	env := s.f.Env(hostcron.ManifestEnv)
	cwd, err := s.f.Cwd()
	if err != nil && !filepath.IsAbs(cmp.Or(s.manifest, env, home)) {
		return hostcron.Paths{}, fmt.Errorf("find the schedules: %w", err)
	}
	return hostcron.Locate(s.manifest, env, home, cwd), nil
}

// load reads the manifest and tells of what is odd about it.
func (s *schedules) load() (*hostcron.Manifest, error) {
	p, err := s.paths()
	if err != nil {
		return nil, err
	}
	return hostcron.Load(p.Manifest, time.Local)
}

// editor changes the manifest.
func (s *schedules) editor() (hostcron.Editor, error) {
	p, err := s.paths()
	return hostcron.Editor{Paths: p, Host: time.Local, NoFsync: s.f.Global.NoFsync, Now: s.f.Now}, err
}

// cronError makes a refused expression a mistake in the command line, with the fix
// as the hint.
func cronError(err error) error {
	var bad *cronspec.Error
	if !errors.As(err, &bad) {
		return err
	}
	return &ExitError{Code: ExitUsage, Err: bad}
}
