package cli

import (
	"cmp"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"iterion/sched/cronspec"
)

// schedules is what all commands on the host's schedules share.
type schedules struct {
	f        *Factory
	manifest string // as typed
}

func newSchedule(f *Factory) *cobra.Command {
	s := &schedules{f: f}
	c := group("schedule", "Start bots on a clock: the host's cron calls iterion",
		newScheduleNext(f),
		newScheduleAudit(s),
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
	c.PersistentFlags().StringVar(&s.manifest, "manifest", "", "`file` of the schedules (default: $ITERION_SCHEDULES_FILE, else ~/.iterion/schedules.yaml)")
	return c
}

// manifestPath returns where the schedules are, as an absolute path.
func (s *schedules) manifestPath() (string, error) {
	path := cmp.Or(s.manifest, s.f.Env("ITERION_SCHEDULES_FILE"))
	if path == "" {
		return s.defaultManifest()
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	cwd, err := s.f.Cwd()
	if err != nil {
		return "", err
	}
	return filepath.Join(cwd, path), nil
}

func (s *schedules) defaultManifest() (string, error) {
	home, err := s.f.Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".iterion", "schedules.yaml"), nil
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
