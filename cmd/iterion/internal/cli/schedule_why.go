package cli

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"iterion/daemon/dispatch"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
)

func newScheduleWhy(s *schedules) *cobra.Command {
	return &cobra.Command{
		Use: "why NAME", Short: "Say why a schedule fires or does not, row by row", Args: exactly("NAME"),
		Long: "Print everything that decides whether a schedule fires, in order, each with its answer as it\n" +
			"stands: pass, skip (this tick), stop (every tick until somebody acts), acts. What to do about an\n" +
			"answer follows. It changes nothing and runs no guard. `iterion why NAME` does the same.",
		ValidArgsFunction: s.completeNames,
		RunE: func(c *cobra.Command, args []string) error {
			rows, err := s.why(c.Context(), args[0])
			if err != nil {
				return err
			}
			return printVerdicts(s.f, rows)
		},
	}
}

// printVerdicts prints rows, and what to do about them.
func printVerdicts(f *Factory, rows []dispatch.Verdict) error {
	if f.Global.JSON {
		return f.PrintJSON(nonNil(rows))
	}
	t := Table{Head: []string{"#", "RULE", "ANSWER", "REASON"}}
	for _, r := range rows {
		t.Row(strconv.Itoa(r.Row), r.Guard, r.Answer, r.Reason)
	}
	t.Print(f)
	sayRemedies(f, rows)
	return nil
}

// why returns every row that decides about a schedule of the host.
func (s *schedules) why(ctx context.Context, name string) ([]dispatch.Verdict, error) {
	w, err := s.look(ctx, name)
	if err != nil {
		return nil, err
	}
	return w.rows(ctx,
		w.manifest, w.enabled, w.crontab, w.cron, w.store, w.bot, w.paused, w.capped, w.overlap, w.guard,
		w.pending, w.last, w.missed, w.next), nil
}

// scheduleLook is what is known of a schedule of the host's cron.
type scheduleLook struct {
	clockLook
	paths    hostcron.Paths
	row      hostcron.Row
	state    hostcron.State
	stateErr error
	tab      crontabView
}

func (s *schedules) look(ctx context.Context, name string) (*scheduleLook, error) {
	m, err := s.load()
	if err != nil {
		return nil, err
	}
	w := &scheduleLook{clockLook: clockLook{
		s: s, name: name, now: s.f.Now().Round(0), edit: "`iterion schedule edit " + name,
		tryGuard: "try it by hand: `iterion schedule run " + name + " --dry-run --run-guard`",
	}}
	if w.row, err = m.Find(name); err != nil {
		return nil, err
	}
	if w.paths, err = s.paths(); err != nil {
		return nil, err
	}
	w.bound = w.row.Schedule
	w.state, _, w.stateErr = hostcron.ReadState(w.paths, name)
	w.tab = s.crontab(ctx)
	w.place, w.placeErr = s.f.placeOf(w.row.Schedule)
	w.readAudit(w.paths, gate.HostCron)
	return w, nil
}

func (w *scheduleLook) manifest(context.Context) (string, verdict) {
	if err := w.row.Err(); err != nil {
		return "manifest", stopped(oneLine(err.Error()), "mend the row in "+w.paths.Manifest+", or `iterion schedule edit "+w.name+"`")
	}
	return "manifest", passed("line " + strconv.Itoa(w.row.Line) + " of " + w.paths.Manifest)
}

func (w *scheduleLook) enabled(context.Context) (string, verdict) {
	if w.row.Disabled {
		return "enabled", stopped("it is disabled", "`iterion schedule enable "+w.name+"`")
	}
	return "enabled", passed("it is enabled")
}

func (w *scheduleLook) crontab(context.Context) (string, verdict) {
	const install = "`iterion schedule install`"
	switch t := w.tab; {
	case errors.Is(t.err, hostcron.ErrNoCrontab):
		return "crontab", stopped(t.err.Error(), "install cron, then "+install+"; or let a daemon keep the clock: `iterion trigger`")
	case t.err != nil:
		return "crontab", skipped(oneLine(t.err.Error()), "look at it with `crontab -l`")
	case w.row.Disabled:
		return "crontab", passed("not asked for while it is disabled")
	case !t.has(w.name):
		return "crontab", stopped("your crontab has no line for it", install)
	case !t.current:
		return "crontab", skipped("your crontab has a line for it, but is not what the manifest asks for now", install)
	}
	return "crontab", passed("your crontab has a line for it, written " + instant(w.tab.note.At))
}
