package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/board"
)

func newDaemonStatus(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show what the daemon is doing", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error { return runDaemonStatus(c.Context(), f) },
	}
}

func runDaemonStatus(ctx context.Context, f *Factory) error {
	c, err := f.Daemon()
	if err != nil {
		return err
	}
	s, err := c.Status(ctx)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(s)
	}
	printStatus(f, s)
	return nil
}

// Daemon connects to the store's daemon and says how to start one when there is
// none.
func (f *Factory) Daemon() (*control.Client, error) {
	c, err := f.Control()
	if isNoDaemon(err) {
		return nil, &ExitError{Code: ExitNotFound, Err: err, Hint: "`iterion daemon` starts one, `iterion tui` too"}
	}
	return c, err
}

func printStatus(f *Factory, s control.Status) {
	d := s.Dispatch
	rows := [][2]string{
		{"daemon", fmt.Sprintf("pid %d on %s, since %s, version %s", s.PID, s.Host, instant(s.StartedAt), s.Version)},
		{"store", s.StoreDir},
		{"workspaces", s.WorkspaceRoot},
		{"config", s.ConfigPath},
		{"watcher", watcherText(s.Watcher)},
		{"dispatch", dispatchText(s)},
		{"slots", fmt.Sprintf("%d of %d", d.SlotsUsed, d.SlotsMax)},
	}
	for _, row := range rows {
		if row[1] != "" {
			f.Say("%-10s %s", row[0], row[1])
		}
	}
	printWork(f, d)
}

func watcherText(w control.Watcher) string {
	if w.Reason != "" {
		return w.Mode + ": " + w.Reason
	}
	return w.Mode
}

func dispatchText(s control.Status) string {
	switch d := s.Dispatch.Desired; {
	case d.Desired == dispatch.DesiredPaused && d.Reason != "":
		return "paused: " + d.Reason
	case d.Desired == dispatch.DesiredPaused:
		return "paused"
	case !s.Dispatch.Ready:
		return "starting"
	}
	return "running"
}

// printWork lists the cards that are being worked, or wait, and why.
func printWork(f *Factory, d dispatch.Snapshot) {
	t := Table{Head: []string{"ID", "WHAT", "SINCE", "CARD", "DETAIL"}}
	for _, r := range d.Running {
		t.Row(board.ShortID(r.IssueID), r.Phase, age(f, r.Since), r.Title, r.Bot+" run "+r.RunID)
	}
	for _, q := range d.Queue {
		t.Row(board.ShortID(q.IssueID), "waits", "", q.Title, q.Reason)
	}
	for _, r := range d.Retries {
		t.Row(board.ShortID(r.IssueID), "retry", "", r.Title, "due "+instant(r.DueAt)+": "+r.Reason)
	}
	for _, h := range d.Parked {
		t.Row(board.ShortID(h.IssueID), "parked", age(f, h.Since), h.Title, h.Reason)
	}
	for _, h := range d.Held {
		t.Row(board.ShortID(h.IssueID), "held", age(f, h.Since), h.Title, h.Reason)
	}
	if len(t.rows) > 0 {
		f.Say("")
		t.Print(f)
	}
	for _, w := range d.Warnings {
		f.Warn("%s", w)
	}
	for _, p := range d.Errors {
		f.Warn("%s: %s", instant(p.At), p.What)
	}
}

func age(f *Factory, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return f.Now().Sub(t).Round(time.Second).String()
}
