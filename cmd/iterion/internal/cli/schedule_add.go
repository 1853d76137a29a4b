package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"iterion/sched/cronspec"
	"iterion/sched/hostcron"
)

func newScheduleAdd(s *schedules) *cobra.Command {
	var o scheduleFlags
	var replace bool
	c := &cobra.Command{
		Use: "add NAME --cron EXPR --bot BOT", Short: "Write down a schedule", Args: exactly("NAME"),
		Long: "Write down a schedule. Everything is checked first: the expression, the bot in its store, the\n" +
			"bot's vars, the policy. Then it says what the expression means and when it is due next, in the\n" +
			"schedule's zone and in UTC. It takes effect once `iterion schedule install` has put it in your\n" +
			"crontab.\n\n" +
			"The store is --store-dir, else the one around this folder; it is written down with the schedule.\n" +
			"A schedule of that name is left as it is (exit 4), unless --replace says otherwise.\n\n" +
			"The guard is a shell command that runs in the working folder before each start. Exit 0 lets the\n" +
			"bot start, with what the guard printed in the var guard_output; any other exit keeps it from\n" +
			"starting, and is no failure. Secrets do not belong here: the manifest is a plain file.",
		Example: "  iterion schedule add nightly --cron '30 2 * * *' --bot tidy --var prompt='tidy up'\n" +
			"  iterion schedule add standup --cron '0 9 * * mon-fri' --tz Europe/Berlin --bot report\n" +
			"  iterion schedule add review --cron '*/10 * * * *' --bot review --guard 'git fetch -q && git log ..@{u} --oneline | grep .'",
		RunE: func(c *cobra.Command, args []string) error {
			return runScheduleAdd(c.Context(), s, &o, c.Flags(), args[0], replace)
		},
	}
	o.register(s.f, c)
	c.Flags().BoolVar(&replace, "replace", false, "put it in the place of the schedule of that name, if there is one")
	return c
}

func runScheduleAdd(ctx context.Context, s *schedules, o *scheduleFlags, fl *pflag.FlagSet, name string, replace bool) error {
	for _, must := range []string{"cron", "bot"} {
		if !fl.Changed(must) {
			return Usagef("schedule add: --%s is missing", must)
		}
	}
	l, err := s.f.Layout()
	if err != nil {
		return err
	}
	row := hostcron.Schedule{Name: name, StoreDir: l.Root}
	if err := o.apply(s.f, fl, &row); err != nil {
		return err
	}
	spec, err := s.checkRow(row)
	if err != nil {
		return err
	}
	edit, err := s.editor()
	if err != nil {
		return err
	}
	verb := "added"
	err = edit.Add(ctx, row)
	if errors.Is(err, hostcron.ErrExists) && replace {
		verb = "replaced"
		_, err = edit.Update(ctx, name, func(old *hostcron.Schedule) error { *old = row; return nil })
	}
	if errors.Is(err, hostcron.ErrExists) {
		return &ExitError{Code: ExitConflict, Err: err,
			Hint: "`iterion schedule edit " + quoted(name) + "` changes it; --replace puts this one in its place"}
	}
	if err != nil {
		return err
	}
	return s.written(ctx, name, verb, spec)
}

// checkRow refuses a schedule that could not work, before anything is written.
func (s *schedules) checkRow(row hostcron.Schedule) (cronspec.Spec, error) {
	spec, err := row.Spec(time.Local)
	if err != nil {
		return spec, cronError(err)
	}
	if wrong := row.Check(time.Local); len(wrong) > 0 {
		return spec, &hostcron.Error{Problems: wrong}
	}
	p, err := s.f.placeOf(row)
	if err != nil {
		return spec, err
	}
	if !isDir(p.workdir) {
		return spec, Usagef("workdir %s: there is no such folder", p.workdir)
	}
	return spec, p.checkBot(row)
}

// checkBot wants the schedule's bot in its store, and the vars that it needs.
func (p place) checkBot(row hostcron.Schedule) error {
	b, err := p.f.launchable(row.Bot)
	if err != nil {
		return err
	}
	vars := maps.Clone(row.Vars)
	if row.Policy.Guard != "" {
		if vars == nil {
			vars = map[string]string{}
		}
		vars[row.Policy.Filled().GuardVar] = "-" // what it will be is not known yet
		_, err = b.Manifest.FitVars(vars)
		if err == nil {
			err = b.Manifest.CheckNames(row.Vars)
		}
	} else {
		_, err = b.Manifest.ResolveVars(vars)
	}
	return err
}

// written tells what a change of the manifest came to, and what is left to do.
func (s *schedules) written(ctx context.Context, name, verb string, spec cronspec.Spec) error {
	v, err := s.view(ctx, name)
	if err != nil {
		return err
	}
	switch {
	case s.f.Global.JSON:
		err = s.f.PrintJSON(v)
	case s.f.Global.Quiet:
		s.f.Say("%s", name)
	default:
		s.f.Say("%s", spec.Explain())
		s.f.Say("")
		sayDue(s.f, spec, v.Next)
		s.f.Say("")
		s.f.Say("%s schedule %s", verb, name)
	}
	if text := zoneText(spec.Zone(), time.Local, hostcron.SystemZone(), s.f.Now()); text != "" {
		s.f.Warn("%s", text)
	}
	s.mentionTrust(ctx, v)
	s.mentionInstall(ctx)
	return err
}

// zoneText warns of a schedule in the host's zone where TZ makes that another one
// here than it is for cron: the instants that are shown are not those that come.
func zoneText(zone, here, cron *time.Location, now time.Time) string {
	if zone != here || sameClock(here, cron, now) {
		return ""
	}
	return fmt.Sprintf("this shell keeps another time (%s) than cron (%s), and cron's decides about a schedule without a zone: name the one that you mean, as in --tz %s",
		zoneName(here, now), zoneName(cron, now), cmp.Or(strings.TrimPrefix(here.String(), "Local"), "ZONE"))
}

// sameClock reports whether two zones show the same time all through the next year.
func sameClock(a, b *time.Location, now time.Time) bool {
	for week := range 53 {
		at := now.AddDate(0, 0, 7*week)
		_, x := at.In(a).Zone()
		if _, y := at.In(b).Zone(); x != y {
			return false
		}
	}
	return true
}

func (s *schedules) mentionTrust(ctx context.Context, v scheduleJSON) {
	if p, err := s.f.placeOf(v.row.Schedule); err == nil {
		if err := p.checkTrust(ctx); err != nil {
			s.f.Warn("%v", err)
		}
	}
}

// mentionInstall says what to do when the crontab does not have what the manifest
// asks for.
func (s *schedules) mentionInstall(ctx context.Context) {
	switch in := s.crontab(ctx); {
	case in.err != nil && !errors.Is(in.err, hostcron.ErrNoCrontab):
		s.f.Warn("%v", in.err)
	case in.current:
	case in.present:
		s.f.Talk("`iterion schedule install` brings your crontab up to date with it")
	default:
		s.f.Talk("`iterion schedule install` puts it in your crontab, and it begins")
	}
}
