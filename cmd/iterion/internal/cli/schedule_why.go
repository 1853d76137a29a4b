package cli

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"iterion/daemon/dispatch"
	"iterion/sched/audit"
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

// scheduleLook is what is known of one schedule. It is looked at once, so that the
// rows agree with each other.
type scheduleLook struct {
	s        *schedules
	name     string
	now      time.Time
	paths    hostcron.Paths
	row      hostcron.Row
	state    hostcron.State
	known    bool // there is a state
	stateErr error
	tab      crontabView
	place    place
	placeErr error
	records  []gate.Record // the newest, oldest first
	auditErr error
}

// lookBack is how many records are looked at.
const lookBack = 50

func (s *schedules) look(ctx context.Context, name string) (*scheduleLook, error) {
	m, err := s.load()
	if err != nil {
		return nil, err
	}
	w := &scheduleLook{s: s, name: name, now: s.f.Now().Round(0)}
	if w.row, err = m.Find(name); err != nil {
		return nil, err
	}
	if w.paths, err = s.paths(); err != nil {
		return nil, err
	}
	w.state, w.known, w.stateErr = hostcron.ReadState(w.paths, name)
	w.tab = s.crontab(ctx)
	w.place, w.placeErr = s.f.placeOf(w.row.Schedule)
	_, w.auditErr = s.openAudit(w.paths).Read(audit.Filter{ID: name, Surface: gate.HostCron, Tail: lookBack}, func(r gate.Record) error {
		w.records = append(w.records, r)
		return nil
	})
	return w, nil
}

// verdict is the answer of one row.
type verdict struct{ answer, reason, remedy string }

func passed(reason string) verdict          { return verdict{dispatch.AnswerPass, reason, ""} }
func stopped(reason, remedy string) verdict { return verdict{dispatch.AnswerStop, reason, remedy} }
func skipped(reason, remedy string) verdict { return verdict{dispatch.AnswerSkip, reason, remedy} }

// rule is one row: its name, and its answer.
type rule func(ctx context.Context) (name string, v verdict)

func (w *scheduleLook) rows(ctx context.Context, rules ...rule) []dispatch.Verdict {
	out := make([]dispatch.Verdict, len(rules))
	for i, r := range rules {
		name, v := r(ctx)
		out[i] = dispatch.Verdict{Row: i + 1, Guard: name, Answer: v.answer, Reason: v.reason, Remedy: v.remedy}
	}
	return out
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

func (w *scheduleLook) store(ctx context.Context) (string, verdict) {
	switch {
	case w.placeErr != nil:
		return "store", stopped(w.placeErr.Error(), "`iterion schedule edit "+w.name+" --store-dir DIR`")
	case !isDir(w.place.workdir):
		return "store", stopped("the working folder "+w.place.workdir+" is gone", "make it, or `iterion schedule edit "+w.name+" --workdir DIR`")
	}
	if err := w.place.checkTrust(ctx); err != nil {
		return "store", stopped(err.Error(), w.place.command("trust"))
	}
	return "store", passed(w.place.layout.Root + " is trusted")
}

// inPlace answers where there is no store to look at.
func (w *scheduleLook) inPlace(name string, answer func() verdict) (string, verdict) {
	if w.placeErr != nil {
		return name, skipped("not known without a store", "")
	}
	return name, answer()
}

func (w *scheduleLook) bot(context.Context) (string, verdict) {
	return w.inPlace("bot", func() verdict {
		if err := w.place.checkBot(w.row.Schedule); err != nil {
			return stopped(oneLine(err.Error()), w.place.command("bot list")+" shows the bots, "+w.place.command("bot show "+quoted(w.row.Bot))+" what one wants to be told")
		}
		return passed("bot " + w.row.Bot + " can be started")
	})
}

func (w *scheduleLook) paused(ctx context.Context) (string, verdict) {
	return w.inPlace("paused", func() verdict {
		if err := w.place.checkPause(ctx); err != nil {
			return stopped(oneLine(err.Error()), w.place.command("daemon unpause"))
		}
		return passed("the store is not paused")
	})
}

func (w *scheduleLook) capped(ctx context.Context) (string, verdict) {
	return w.inPlace("spend cap", func() verdict {
		if err := w.place.checkCap(ctx); err != nil {
			return stopped(oneLine(err.Error()), w.place.command("spend override --note WHY"))
		}
		return passed("the day's spending allows it")
	})
}
