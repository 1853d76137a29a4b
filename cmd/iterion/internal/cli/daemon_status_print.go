package cli

import (
	"fmt"
	"strings"
	"time"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

func printStatus(f *Factory, s control.Status) {
	d := s.Dispatch
	rows := [][2]string{
		{"daemon", processText(s)},
		{"store", s.StoreDir},
		{"workspaces", s.WorkspaceRoot},
		{"config", s.ConfigPath},
		{"watcher", watcherText(s.Watcher)},
		{"watchdog", watchdogText(s)},
		{"metrics", metricsText(s)},
		{"dispatch", dispatchText(s)},
		{"slots", fmt.Sprintf("%d of %d", d.SlotsUsed, d.SlotsMax)},
		{"spend", spendText(d)},
		{"clocks", clocksText(s)},
		{"triggers", triggersText(s)},
	}
	for _, row := range rows {
		if row[1] != "" {
			f.Say("%-10s %s", row[0], row[1])
		}
	}
	printWork(f, d)
	printTroubles(f, s)
}

func processText(s control.Status) string {
	if s.Offline {
		return "none is running; this is what one would find that started now"
	}
	return fmt.Sprintf("pid %d on %s, since %s, version %s", s.PID, s.Host, instant(s.StartedAt), s.Version)
}

func watcherText(w control.Watcher) string {
	if w.Reason != "" {
		return w.Mode + ": " + w.Reason
	}
	return w.Mode
}

func watchdogText(s control.Status) string {
	if !s.Watchdog {
		return ""
	}
	return "takes over cards whose holders have died"
}

func metricsText(s control.Status) string {
	if s.Listen == "" {
		return ""
	}
	return "http://" + s.Listen + "/metrics"
}

func dispatchText(s control.Status) string {
	switch d := s.Dispatch.Desired; {
	case d.Desired == dispatch.DesiredPaused:
		text := "paused"
		if d.Reason != "" {
			text += ": " + d.Reason
		}
		if d.By != "" && !d.At.IsZero() {
			text += fmt.Sprintf(" (by %s, %s)", d.By, instant(d.At))
		}
		return text
	case s.Offline:
		return "would run"
	case !s.Dispatch.Ready:
		return "starting"
	}
	return "running"
}

func spendText(d dispatch.Snapshot) string {
	sp := d.Spend
	switch {
	case d.SpendProblem != "":
		return "unreadable, nothing starts: " + d.SpendProblem
	case sp.Day == "":
		return ""
	case sp.CapUSD == 0:
		return fmt.Sprintf("$%.2f on %s, no cap", sp.TotalUSD, sp.Day)
	}
	text := fmt.Sprintf("$%.2f of $%.2f on %s", sp.TotalUSD, sp.CapUSD, sp.Day)
	switch {
	case sp.Reached:
		text += ": the cap is reached, nothing starts"
	case sp.LiftedBy != "":
		text += ", the cap was lifted by " + sp.LiftedBy
	}
	return text
}

// clocksText tells of the daemon's own schedules.
func clocksText(s control.Status) string {
	c := s.Clocks
	if c == nil || c.Armed+c.Held == 0 {
		return ""
	}
	parts := []string{fmt.Sprintf("%d armed", c.Armed)}
	if !c.Next.IsZero() {
		parts = append(parts, fmt.Sprintf("next %s at %s", c.NextID, instant(c.Next)))
	}
	if c.Deciding > 0 {
		parts = append(parts, fmt.Sprintf("%d being decided", c.Deciding))
	}
	if c.Held > 0 {
		parts = append(parts, fmt.Sprintf("%d held (%s)", c.Held, c.HeldWhy))
	}
	if !c.LastTick.IsZero() && !s.Offline {
		parts = append(parts, "last tick "+instant(c.LastTick))
	}
	return strings.Join(parts, ", ")
}

// triggersText tells how far the daemon has come with what events owe; nothing where
// there is nothing to tell.
func triggersText(s control.Status) string {
	t := s.Triggers
	if t == nil {
		return ""
	}
	var parts []string
	for _, p := range []struct {
		n    int64
		what string
	}{
		{t.BoardLag, "events of the board to look at"}, {t.InboxLag, "events of runs and people to look at"},
		{int64(t.Working), "effects at work"}, {int64(t.Pending), "waiting"},
		{int64(t.Failed), "failed (`iterion trigger effects list`)"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// printWork lists the cards that are being worked, or wait, and why.
func printWork(f *Factory, d dispatch.Snapshot) {
	t := Table{Head: []string{"ID", "WHAT", "SINCE", "CARD", "DETAIL"}}
	for _, r := range d.Running {
		t.Row(shortOf(r.IssueID), r.Phase, age(f, r.Since), r.Title, runningText(r))
	}
	for _, q := range d.Queue {
		t.Row(shortOf(q.IssueID), "waits", "", q.Title, queuedText(q))
	}
	for _, r := range d.Retries {
		t.Row(shortOf(r.IssueID), "retry", "", r.Title, retryText(r))
	}
	for _, h := range d.Parked {
		t.Row(shortOf(h.IssueID), "parked", age(f, h.Since), h.Title, parkedText(h))
	}
	for _, h := range d.Held {
		t.Row(shortOf(h.IssueID), "held", age(f, h.Since), h.Title, h.Reason)
	}
	if len(t.rows) > 0 {
		f.Say("")
		t.Print(f)
	}
}

// shortOf is empty for a run without a card.
func shortOf(issueID string) string {
	if issueID == "" {
		return "-"
	}
	return board.ShortID(issueID)
}

func runningText(r dispatch.Running) string {
	parts := []string{r.Bot, "run " + r.RunID}
	if r.By != "" {
		parts = append(parts, "by "+r.By)
	}
	if r.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("attempt %d", r.Attempt))
	}
	if p := r.Progress; p != nil {
		if p.Percent != nil {
			parts = append(parts, fmt.Sprintf("%.0f%%", *p.Percent))
		}
		parts = append(parts, p.Text)
	}
	return strings.Join(parts, " ")
}

func queuedText(q dispatch.Queued) string {
	if q.Guard == "" {
		return q.Reason
	}
	return q.Guard + ": " + q.Reason
}

func retryText(r dispatch.Retry) string {
	if r.QuotaWaits > 0 {
		return fmt.Sprintf("due %s, wait %d for its allowance: %s", instant(r.DueAt), r.QuotaWaits, r.Reason)
	}
	return fmt.Sprintf("due %s, attempt %d: %s", instant(r.DueAt), r.Attempts+1, r.Reason)
}

func parkedText(h dispatch.Hold) string {
	switch {
	case h.Waits != "":
		return "goes on when it can: " + h.Waits
	case h.Ready:
		return "goes on: run " + h.RunID
	case h.Question != "":
		return "asks: " + h.Question + " (iterion runs answer " + run.Short(h.RunID) + ")"
	}
	return h.Reason
}

func printTroubles(f *Factory, s control.Status) {
	if s.ConfigProblem != "" {
		f.Warn("the config file is not in force, the last good one is: %s", s.ConfigProblem)
	}
	if len(s.RestartNeeded) > 0 {
		f.Warn("the config file changed what holds only after a restart: %s", strings.Join(s.RestartNeeded, ", "))
	}
	if s.Clocks != nil {
		for _, p := range s.Clocks.Problems {
			f.Warn("clocks: %s", p)
		}
	}
	if t := s.Triggers; t != nil {
		if t.LastError != "" {
			f.Warn("triggers are stuck, nothing is lost meanwhile: %s", t.LastError)
		}
		if t.Broken > 0 {
			f.Warn("triggers: %d events could not be read and were passed over, the last one: %s", t.Broken, t.LastBroken)
		}
		if t.Problems > 0 {
			f.Warn("triggers: %d subscriptions are wrong as they are written: `iterion trigger list` names them", t.Problems)
		}
	}
	for _, w := range s.Dispatch.Warnings {
		f.Warn("%s", w)
	}
	for _, p := range s.Dispatch.Errors {
		f.Warn("%s: %s", instant(p.At), p.What)
	}
}

func age(f *Factory, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return f.Now().Sub(t).Round(time.Second).String()
}
