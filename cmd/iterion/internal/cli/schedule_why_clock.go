package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"iterion/native/run"
	"iterion/sched/gate"
)

// tickLate is how late a tick of cron may come before it is missed here: cron calls
// at the beginning of a minute, and the call takes its time.
const tickLate = 2 * time.Minute

// cron says whether the host's cron has called when it should have.
func (w *scheduleLook) cron(context.Context) (string, verdict) {
	const remedy = "see whether cron runs (`systemctl status cron`, `pgrep -a cron`) and what it says (`journalctl -u cron`, /var/log/syslog)"
	spec, err := w.row.Spec(time.Local)
	if err != nil || w.row.Disabled || !w.tab.has(w.name) {
		return "cron", passed("is not asked to call")
	}
	if w.stateErr != nil {
		return "cron", stopped(oneLine(w.stateErr.Error()), "move the file away: slots then count from the next tick on")
	}
	since := later(w.state.ArmedAt, w.state.Slot)
	if since.IsZero() {
		since = w.tab.note.At
	}
	if slot, ok := spec.Last(since, w.now.Add(-tickLate)); ok && !since.IsZero() {
		return "cron", stopped(fmt.Sprintf("has not called since %s, and %s was due; what it prints is in %s",
			instant(since), instant(slot), w.paths.Log(w.name)), remedy)
	}
	if !w.state.Slot.IsZero() && w.state.DecidedAt.After(w.now.Add(-2*24*time.Hour)) {
		return "cron", passed("called for the slot of " + instant(w.state.Slot))
	}
	if seen, sure := cronSeen("/proc"); sure && !seen {
		return "cron", stopped("no process of a cron daemon is seen", remedy)
	}
	return "cron", passed("no slot was due yet that it should have called for")
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// cronNames are what the daemons call themselves.
var cronNames = []string{"cron", "crond", "fcron", "dcron", "bcron-sched"}

// cronSeen looks for a cron daemon among the processes. sure is false where those of
// others cannot be seen.
func cronSeen(proc string) (seen, sure bool) {
	if runtime.GOOS != "linux" {
		return false, false
	}
	if _, err := os.Stat(filepath.Join(proc, "1", "comm")); err != nil {
		return false, false
	}
	names, err := filepath.Glob(filepath.Join(proc, "[0-9]*", "comm"))
	if err != nil {
		return false, false
	}
	for _, path := range names {
		comm, err := os.ReadFile(path)
		if err == nil && slices.Contains(cronNames, strings.TrimSpace(string(comm))) {
			return true, true
		}
	}
	return false, true
}

// overlap says what the policy would say now.
func (w *scheduleLook) overlap(ctx context.Context) (string, verdict) {
	return w.inPlace("overlap", func() verdict {
		host, err := w.place.host()
		if err != nil {
			return stopped(err.Error(), "")
		}
		live, err := host.Live(ctx, w.name)
		if err != nil {
			return stopped("the runs of the schedule cannot be listed: "+err.Error(), w.place.command("doctor"))
		}
		j := gate.Judge(w.row.Policy, live, w.now)
		if j.Fire {
			return passed(orElse(j.Reason, "no run of it is live"))
		}
		return skipped(j.Reason, w.blocked(j.Blocking))
	})
}

// blocked says how to watch and how to end a run that is in the way.
func (w *scheduleLook) blocked(id string) string {
	short := run.Short(id)
	return w.place.command("runs logs -f "+short) + " watches it, " + w.place.command("runs cancel "+short) + " ends it"
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (w *scheduleLook) guard(context.Context) (string, verdict) {
	p := w.row.Policy.Filled()
	if p.Guard == "" {
		return "guard", passed("it has none")
	}
	return "guard", passed(fmt.Sprintf("is asked at each tick, within %s: %s", spanText(p.GuardTimeout), oneLine(p.Guard)))
}

// pending tells of decisions that have no record yet.
func (w *scheduleLook) pending(context.Context) (string, verdict) {
	n := len(w.state.Pending)
	if n == 0 {
		return "pending", passed("nothing is left of a tick that died")
	}
	p := w.state.Pending[n-1]
	return "pending", verdict{"acts", fmt.Sprintf("a decision that began at %s has no record yet; if its tick died, the next one writes it",
		instant(p.At)), "`iterion schedule run " + w.name + "` or the next tick settles it"}
}

// last tells of the last decision and what to do about it.
func (w *scheduleLook) last(context.Context) (string, verdict) {
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

func (w *scheduleLook) lastVerdict(r gate.Record) verdict {
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
		return skipped(said+tailText(r), "try it by hand: `iterion schedule run "+w.name+" --dry-run --run-guard`")
	}
	return skipped(said, "see the rows above; `iterion schedule run "+w.name+" --dry-run` asks them again")
}

// becameOf says how a run is now.
func (w *scheduleLook) becameOf(id string) string {
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

func (w *scheduleLook) missed(context.Context) (string, verdict) {
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

func (w *scheduleLook) next(context.Context) (string, verdict) {
	spec, err := w.row.Spec(time.Local)
	if err != nil {
		return "next", stopped(oneLine(err.Error()), "`iterion schedule edit "+w.name+" --cron EXPR`")
	}
	at := spec.Next(w.now)
	return "next", passed(fmt.Sprintf("%s, in %s (%s)", at.Format(inZoneLayout), roughly(at.Sub(w.now)), spec.Explain()))
}
