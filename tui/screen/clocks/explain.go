package clocks

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/sched/gate"
	"iterion/sched/resident"
	"iterion/tui/kit"
	"iterion/tui/screen"
)

// explainTick tells all of one record, and what can be done about it.
func (s *Screen) explainTick(e *screen.Env, r gate.Record) *kit.Text {
	d := &kit.Text{Ask: "Tick of " + kit.Line(r.ScheduleName)}
	d.Body = append(d.Body, kit.Para{Name: "decision", Text: said(r), Mark: decisionMark(r.Decision)})
	d.Fact("means", meaning(r.Decision))
	d.Fact("reason", r.Reason)
	d.Fact("error", r.Error)
	if r.Slot.IsZero() {
		d.Fact("slot", "none: run by hand")
	} else {
		d.Fact("slot", kit.Stamp(r.Slot))
		if late := r.At.Sub(r.Slot).Truncate(time.Second); late > 0 {
			d.Fact("late by", late.String())
		}
	}
	d.Fact("decided", kit.Stamp(r.At))
	d.Fact("schedule", r.ScheduleID)
	d.Fact("clock", fmt.Sprintf("%s, %s", r.Surface, r.Cron))
	d.Fact("bot", r.BotID)
	d.Fact("run", r.RunID)
	d.Fact("in the way", r.BlockingRunID)
	if r.GuardExit != nil {
		d.Fact("guard", fmt.Sprintf("exit %d after %s", *r.GuardExit, r.GuardDuration.Round(time.Millisecond)))
	}
	d.Fact("guard said", r.StdoutTail)
	d.Fact("on stderr", r.StderrTail)
	if id := r.RunID + r.BlockingRunID; id != "" {
		d.Then = append(d.Then, kit.Then{Key: s.keys.run, Do: func() tea.Cmd { openRun(e, r.RunID, r.BlockingRunID); return nil }})
	}
	if r.BlockingRunID != "" {
		d.Then = append(d.Then, kit.Then{Key: s.keys.cancel, Do: func() tea.Cmd { cancelRun(e, r.BlockingRunID); return nil }})
	}
	return d
}

// meaning says what a decision is, for whoever meets it for the first time.
func meaning(d gate.Decision) string {
	switch d {
	case gate.Fired:
		return "the bot was started"
	case gate.SkippedOverlap:
		return "an earlier run of this schedule was still going on, and its policy is not to start another beside it"
	case gate.GuardBlocked:
		return "the schedule's guard said no, which is no error"
	case gate.GuardError:
		return "the schedule's guard could not be run, or took too long"
	case gate.LaunchFailed:
		return "the bot could not be started; this slot is spent"
	case gate.Missed:
		return "nobody was there to decide these slots, or one late decision stands for them"
	}
	return ""
}

// explainRow tells all of one schedule.
func (s *Screen) explainRow(e *screen.Env, r resident.Row) *kit.Text {
	d := &kit.Text{Ask: kit.Line(r.ID)}
	d.Body = append(d.Body, kit.Para{Name: "stands", Text: standing(e, r), Mark: markOf(r)})
	d.Fact("bot", r.Bot)
	d.Fact("clock", fmt.Sprintf("%s (%s), from the %s", r.Clock, r.Kind, r.Origin))
	d.Fact("overlap", string(r.Overlap))
	d.Fact("next", kit.Stamp(r.Next))
	d.Fact("armed", kit.Stamp(r.ArmedAt))
	d.Fact("last error", r.LastError)
	d.Fact("in the way", r.Blocking)
	if r.Last != nil {
		d.Fact("last tick", kit.Stamp(r.Last.At)+": "+said(*r.Last))
	}
	d.Then = []kit.Then{{Key: s.keys.now, Do: func() tea.Cmd { return runNow(e, r.ID) }}}
	if r.Blocking != "" {
		d.Then = append(d.Then, kit.Then{Key: s.keys.cancel, Do: func() tea.Cmd { cancelRun(e, r.Blocking); return nil }})
	}
	return d
}
