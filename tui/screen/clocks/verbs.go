package clocks

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
	"iterion/sched/gate"
	"iterion/sched/resident"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// runNow takes a schedule through its gate now and says what the gate said.
func runNow(e *screen.Env, id string) tea.Cmd {
	if !e.May() {
		return nil
	}
	by := control.By{By: e.By}
	return e.Do(func(ctx context.Context, src screen.Source) (string, error) {
		rec, err := src.RunSchedule(ctx, id, by)
		return said(rec), err
	})
}

// said is a decision in a line.
func said(r gate.Record) string {
	text := string(r.Decision)
	switch r.Decision {
	case gate.Fired:
		text = "fired: run " + kit.ShortRun(r.RunID)
	case gate.SkippedOverlap:
		text = "skipped: run " + kit.ShortRun(r.BlockingRunID) + " is in the way"
	}
	if r.Reason != "" && r.Decision != gate.Fired && r.Decision != gate.SkippedOverlap {
		text += ": " + r.Reason
	}
	return text
}

func toggle(e *screen.Env, r resident.Row) tea.Cmd {
	if !e.May() {
		return nil
	}
	id, in := r.ID, control.SetSchedule{Enabled: !r.Enabled, By: e.By}
	return e.Do(func(ctx context.Context, src screen.Source) (string, error) {
		_, err := src.SetSchedule(ctx, id, in)
		if in.Enabled {
			return id + " is in force", err
		}
		return id + " is out of force", err
	})
}

// openRun shows the first of some runs that there is.
func openRun(e *screen.Env, ids ...string) {
	for _, id := range ids {
		if id != "" {
			e.Go(screen.Runs, id)
			return
		}
	}
	e.Say(kit.MarkQuiet, "there is no run")
}

// cancelRun asks before ending the first of some runs that there is.
func cancelRun(e *screen.Env, ids ...string) {
	for _, id := range ids {
		if id != "" {
			title := "It was started by a schedule."
			if r := e.Mirror.Run(id); r != nil {
				title = kit.Line(r.Bot)
			}
			e.AskCancelRun(id, e.Mirror.Run(id), title)
			return
		}
	}
	e.Say(kit.MarkStopped, "there is no run to cancel")
}
