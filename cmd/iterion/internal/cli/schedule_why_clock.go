package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"iterion/native/filelock"
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

// pending tells of decisions that have no record yet, and of what keeps any from
// being made.
func (w *scheduleLook) pending(context.Context) (string, verdict) {
	if held, err := filelock.Look(w.paths.StateLock(w.name)); err == nil && held != nil {
		return "pending", underWay(held)
	}
	n := len(w.state.Pending)
	switch {
	case w.stateErr != nil:
		return "pending", stopped(oneLine(w.stateErr.Error()), "move the file away: slots then count from the next tick on")
	case n == 0:
		return "pending", passed("nothing is left of a tick that died")
	}
	return "pending", verdict{"acts", fmt.Sprintf("a decision that began at %s has no record yet: its tick died, and the next one writes it",
		instant(w.state.Pending[n-1].At)), "`iterion schedule run " + w.name + "` or the next tick settles it"}
}

// underWay tells of the process that decides right now. The others wait for it, which
// is in vain if it is suspended.
func underWay(held *filelock.HeldError) verdict {
	h := held.Holder
	if h.PID == 0 {
		return verdict{"acts", "a decision is under way in another process; the next one waits for it", ""}
	}
	text := fmt.Sprintf("a decision is under way in process %d, since %s", h.PID, instant(h.Since))
	if !held.Stopped {
		return verdict{"acts", text + "; the next one waits for it", ""}
	}
	return stopped(text+", which is suspended: nothing can be decided meanwhile",
		fmt.Sprintf("`kill -CONT %d` lets it go on, `kill -KILL %d` ends it", h.PID, h.PID))
}

func (w *scheduleLook) next(context.Context) (string, verdict) {
	spec, err := w.row.Spec(time.Local)
	if err != nil {
		return "next", stopped(oneLine(err.Error()), "`iterion schedule edit "+w.name+" --cron EXPR`")
	}
	at := spec.Next(w.now)
	return "next", passed(fmt.Sprintf("%s, in %s (%s)", at.Format(inZoneLayout), roughly(at.Sub(w.now)), spec.Explain()))
}
