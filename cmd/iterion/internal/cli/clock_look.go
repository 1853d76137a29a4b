package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"iterion/daemon/dispatch"
	"iterion/native/run"
	"iterion/sched/audit"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
)

// clockLook is what is known of one schedule, whoever keeps its clock. It is looked
// at once, so that the rows agree with each other.
type clockLook struct {
	s        *schedules
	name     string
	now      time.Time
	bound    hostcron.Schedule // bot, vars and policy
	place    place
	placeErr error
	records  []gate.Record // the newest, oldest first
	auditErr error

	edit     string // the beginning of a command that changes it, with its first backtick
	tryGuard string // how its guard is tried by hand
}

// lookBack is how many records are looked at.
const lookBack = 50

func (w *clockLook) readAudit(p hostcron.Paths, on gate.Surface) {
	_, w.auditErr = w.s.openAudit(p).Read(audit.Filter{ID: w.name, Surface: on, Tail: lookBack}, func(r gate.Record) error {
		w.records = append(w.records, r)
		return nil
	})
}

// verdict is the answer of one row.
type verdict struct{ answer, reason, remedy string }

func passed(reason string) verdict          { return verdict{dispatch.AnswerPass, reason, ""} }
func stopped(reason, remedy string) verdict { return verdict{dispatch.AnswerStop, reason, remedy} }
func skipped(reason, remedy string) verdict { return verdict{dispatch.AnswerSkip, reason, remedy} }

// rule is one row: its name, and its answer.
type rule func(ctx context.Context) (name string, v verdict)

func (w *clockLook) rows(ctx context.Context, rules ...rule) []dispatch.Verdict {
	out := make([]dispatch.Verdict, len(rules))
	for i, r := range rules {
		name, v := r(ctx)
		out[i] = dispatch.Verdict{Row: i + 1, Guard: name, Answer: v.answer, Reason: v.reason, Remedy: v.remedy}
	}
	return out
}

func (w *clockLook) store(ctx context.Context) (string, verdict) {
	switch {
	case w.placeErr != nil:
		return "store", stopped(w.placeErr.Error(), w.edit+" --store-dir DIR`")
	case !isDir(w.place.workdir):
		return "store", stopped("the working folder "+w.place.workdir+" is gone", "make it, or "+w.edit+" --workdir DIR`")
	}
	if err := w.place.checkTrust(ctx); err != nil {
		return "store", stopped(err.Error(), w.place.command("trust"))
	}
	return "store", passed(w.place.layout.Root + " is trusted")
}

// inPlace answers where there is no store to look at.
func (w *clockLook) inPlace(name string, answer func() verdict) (string, verdict) {
	if w.placeErr != nil {
		return name, skipped("not known without a store", "")
	}
	return name, answer()
}

func (w *clockLook) bot(context.Context) (string, verdict) {
	return w.inPlace("bot", func() verdict {
		if err := w.place.checkBot(w.bound); err != nil {
			return stopped(oneLine(err.Error()), w.place.command("bot list")+" shows the bots, "+w.place.command("bot show "+quoted(w.bound.Bot))+" what one wants to be told")
		}
		return passed("bot " + w.bound.Bot + " can be started")
	})
}

func (w *clockLook) paused(ctx context.Context) (string, verdict) {
	return w.inPlace("paused", func() verdict {
		if err := w.place.checkPause(ctx); err != nil {
			return stopped(oneLine(err.Error()), w.place.command("daemon unpause"))
		}
		return passed("the store is not paused")
	})
}

func (w *clockLook) capped(ctx context.Context) (string, verdict) {
	return w.inPlace("spend cap", func() verdict {
		if err := w.place.checkCap(ctx); err != nil {
			return stopped(oneLine(err.Error()), w.place.command("spend override --note WHY"))
		}
		return passed("the day's spending allows it")
	})
}

// overlap says what the policy would say now.
func (w *clockLook) overlap(ctx context.Context) (string, verdict) {
	return w.inPlace("overlap", func() verdict {
		host, err := w.place.host()
		if err != nil {
			return stopped(err.Error(), "")
		}
		live, err := host.Live(ctx, w.name)
		if err != nil {
			return stopped("the runs of the schedule cannot be listed: "+err.Error(), w.place.command("doctor"))
		}
		j := gate.Judge(w.bound.Policy, live, w.now)
		if j.Fire {
			return passed(orElse(j.Reason, "no run of it is live"))
		}
		return skipped(j.Reason, w.blocked(j.Blocking))
	})
}

// blocked says how to watch and how to end a run that is in the way.
func (w *clockLook) blocked(id string) string {
	short := run.Short(id)
	return w.place.command("runs logs -f "+short) + " watches it, " + w.place.command("runs cancel "+short) + " ends it"
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (w *clockLook) guard(context.Context) (string, verdict) {
	p := w.bound.Policy.Filled()
	if p.Guard == "" {
		return "guard", passed("it has none")
	}
	return "guard", passed(fmt.Sprintf("is asked at each tick, within %s: %s", spanText(p.GuardTimeout), oneLine(p.Guard)))
}

// last tells of the last decision and what to do about it.
func (w *clockLook) last(context.Context) (string, verdict) {
	if w.auditErr != nil {
		return "last tick", skipped(oneLine(w.auditErr.Error()), "")
	}
	for _, r := range slices.Backward(w.records) {
		if r.Decision != gate.Missed {
			return "last tick", w.lastVerdict(r)
		}
	}
	return "last tick", passed("no tick has left a record yet")
}

func (w *clockLook) lastVerdict(r gate.Record) verdict {
	said := string(r.Decision) + " at " + instant(r.At)
	if why := tickReason(r); why != "" {
		said += ": " + why
	}
	switch r.Decision {
	case gate.Fired:
		return passed(said + w.becameOf(r.RunID))
	case gate.SkippedOverlap:
		if w.placeErr != nil {
			return skipped(said, "")
		}
		return skipped(said+w.becameOf(r.BlockingRunID), w.blocked(r.BlockingRunID))
	case gate.GuardBlocked, gate.GuardError:
		return skipped(said+tailText(r), w.tryGuard)
	}
	return skipped(said, "see the rows above: they are as things stand now")
}

// becameOf says how a run is now.
func (w *clockLook) becameOf(id string) string {
	if id == "" || w.placeErr != nil {
		return ""
	}
	rec, err := w.s.f.runsOf(w.place.layout.Root).Get(id)
	if err != nil {
		return ", run " + run.Short(id) + " is not there any more"
	}
	return ", run " + run.Short(id) + " is " + statusWords(rec)
}

// tailText is the last line that a guard printed.
func tailText(r gate.Record) string {
	for _, tail := range []string{r.StderrTail, r.StdoutTail} {
		if lines := strings.Split(strings.TrimSpace(tail), "\n"); lines[len(lines)-1] != "" {
			return "; it printed: " + lines[len(lines)-1]
		}
	}
	return ""
}

// missedFor is how long slots that passed undecided are worth a word.
const missedFor = 7 * 24 * time.Hour

func (w *clockLook) missed(context.Context) (string, verdict) {
	n := 0
	var newest gate.Record
	for _, r := range w.records {
		if r.Decision == gate.Missed && r.At.After(w.now.Add(-missedFor)) {
			n++
			newest = r
		}
	}
	if n == 0 {
		return "missed", passed("no slot passed undecided in the last 7 days")
	}
	return "missed", passed(strconv.Itoa(n) + " " + plural(n, "span", "spans") + " in the last 7 days, the last: " + oneLine(newest.Reason))
}
