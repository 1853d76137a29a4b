package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"iterion/bots/supervise"
	"iterion/daemon/dispatch"
	"iterion/native/run"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
)

// runScheduleDry prints what would be decided. It writes nothing, and takes no lock.
func runScheduleDry(ctx context.Context, s *schedules, o scheduleRunOptions, name string) error {
	w, err := s.look(ctx, name)
	if err != nil {
		return err
	}
	if o.tick {
		s.takePath(w.paths)
	}
	rules := []rule{w.manifest, w.store, w.bot, w.paused, w.capped, w.overlap, w.guard}
	if o.tick {
		rules = append([]rule{w.manifest, w.enabled, w.due}, rules[1:]...)
	}
	rows := w.rows(ctx, rules...)
	if o.runGuard && !refused(rows) {
		rows[len(rows)-1] = w.askGuard(ctx, len(rows))
	}
	rows = append(rows, w.decision(rows, o))
	return printVerdicts(s.f, rows)
}

func refused(rows []dispatch.Verdict) bool {
	for _, r := range rows {
		if r.Answer == dispatch.AnswerStop || r.Answer == dispatch.AnswerSkip {
			return true
		}
	}
	return false
}

// due says which slot a tick would decide now.
func (w *scheduleLook) due(context.Context) (string, verdict) {
	spec, err := w.row.Spec(time.Local)
	switch {
	case err != nil:
		return "due", stopped(oneLine(err.Error()), "")
	case w.stateErr != nil:
		return "due", stopped(oneLine(w.stateErr.Error()), "")
	}
	since := later(later(w.state.ArmedAt, w.state.Slot), w.now.Add(-hostcron.Window))
	slot, ok := spec.Last(since, w.now)
	if !ok {
		return "due", skipped("no undecided slot in the last "+spanText(hostcron.Window)+"; the next is "+instant(spec.Next(w.now)), "")
	}
	return "due", passed("the slot of " + instant(slot))
}

// askGuard runs the guard, and nothing behind it.
func (w *scheduleLook) askGuard(ctx context.Context, number int) dispatch.Verdict {
	v := dispatch.Verdict{Row: number, Guard: "guard", Answer: dispatch.AnswerPass, Reason: "it has none"}
	if w.row.Policy.Guard == "" {
		return v
	}
	host, err := w.place.host()
	if err != nil {
		v.Answer, v.Reason = dispatch.AnswerStop, err.Error()
		return v
	}
	said := 0
	rec := gate.Decide(ctx, gate.Request{
		Tick: gate.Tick{Surface: gate.HostCron, ScheduleID: w.name, ScheduleName: w.name, BotID: w.row.Bot,
			Cron: w.row.Cron, At: w.now, RunID: run.NewID()},
		Policy: w.row.Policy, Vars: w.row.Vars, Workdir: w.place.workdir,
		Env: append(supervise.AllowedEnv(os.Environ()), "ITERION_STORE_DIR="+w.place.layout.Root),
	}, gate.Ports{
		Live: host.Live,
		Launch: func(_ context.Context, _ string, vars map[string]string) error {
			said = len(vars[w.row.Policy.Filled().GuardVar])
			return nil
		},
	})
	if rec.Decision == gate.Fired {
		v.Reason = fmt.Sprintf("exit 0 after %s; the bot gets %d bytes in the var %s", short(rec.GuardDuration), said, w.row.Policy.Filled().GuardVar)
		return v
	}
	v.Answer, v.Reason = dispatch.AnswerSkip, string(rec.Decision)+": "+tickReason(manual(rec))+tailText(rec)
	return v
}

// manual leaves out of a record what who asked for it knows.
func manual(r gate.Record) gate.Record {
	r.Slot = r.At
	return r
}

// decision is what the rows come to.
func (w *scheduleLook) decision(rows []dispatch.Verdict, o scheduleRunOptions) dispatch.Verdict {
	v := dispatch.Verdict{Row: len(rows) + 1, Guard: "decision", Answer: dispatch.AnswerPass, Reason: string(gate.Fired)}
	for _, r := range rows {
		if r.Answer != dispatch.AnswerStop && r.Answer != dispatch.AnswerSkip {
			continue
		}
		v.Answer = r.Answer
		switch r.Guard {
		case "enabled", "due":
			v.Reason = "nothing: it leaves no record"
		case "overlap":
			v.Reason = string(gate.SkippedOverlap)
		case "guard":
			v.Reason = "as the guard says"
		default:
			v.Reason = string(gate.LaunchFailed)
		}
		if r.Guard == "overlap" && r.Answer == dispatch.AnswerStop {
			v.Reason = string(gate.LaunchFailed)
		}
		return v
	}
	if w.row.Policy.Guard != "" && !o.runGuard {
		v.Reason += ", if the guard lets it (--run-guard asks it)"
	}
	return v
}
