package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"iterion/daemon/control"
	"iterion/sched/gate"
	"iterion/sched/resident"
)

func init() { time.Local = time.UTC } // instants are shown in the reader's zone

// sampleSchedules are clocks in every state.
func sampleSchedules() []resident.Row {
	tick := sampleTicks()
	return []resident.Row{
		{ID: "manifest:audit:schedule:1", Bot: "audit", Kind: "schedule", Clock: "0 2 * * *", Enabled: true, Origin: "manifest", Next: noon.Add(14 * time.Hour), Last: &tick[0]},
		{ID: "nightly", Bot: "tidy", Kind: "schedule", Clock: "@every 10m", Enabled: true, Origin: "operator", Next: noon.Add(3 * time.Minute), Last: &tick[3], Blocking: runID(5)},
		{ID: "watcher", Bot: "watch", Kind: "keepalive", Clock: "30s", Enabled: true, Origin: "operator", LastError: "guard: exit status 127: curl: not found"},
		{ID: "weekly", Bot: "tidy", Kind: "schedule", Clock: "0 4 * * 1", Origin: "operator"},
	}
}

// sampleTicks are records of every decision, oldest first.
func sampleTicks() []gate.Record {
	exit := 3
	at := func(minutes int) time.Time { return ago(time.Duration(minutes) * time.Minute) }
	return []gate.Record{
		{Surface: gate.Trigger, ScheduleID: "manifest:audit:schedule:1", ScheduleName: "audit", BotID: "audit", Cron: "0 2 * * *", At: at(600), Slot: at(600), Decision: gate.Fired, RunID: runID(9)},
		{Surface: gate.Trigger, ScheduleID: "nightly", ScheduleName: "nightly", BotID: "tidy", Cron: "@every 10m", At: at(25), Slot: at(27), Decision: gate.Fired, RunID: runID(5)},
		{Surface: gate.Trigger, ScheduleID: "nightly", ScheduleName: "nightly", BotID: "tidy", Cron: "@every 10m", At: at(17), Slot: at(17), Decision: gate.GuardBlocked, Reason: "the guard exited with 3", GuardExit: &exit, StdoutTail: "nothing to do \x1b[31mtoday\n"},
		{Surface: gate.Trigger, ScheduleID: "nightly", ScheduleName: "nightly", BotID: "tidy", Cron: "@every 10m", At: at(7), Slot: at(7), Decision: gate.SkippedOverlap, BlockingRunID: runID(5), Reason: "1 run is live"},
		{Surface: gate.Trigger, ScheduleID: "watcher", ScheduleName: "watcher", BotID: "watch", Cron: "@every 30s", At: at(1), Slot: at(1), Decision: gate.GuardError, Error: "exit status 127: curl: not found"},
	}
}

func (f *fake) Schedules(context.Context) ([]resident.Row, error) { return sampleSchedules(), nil }

func (f *fake) RunSchedule(_ context.Context, id string, _ control.By) (gate.Record, error) {
	return gate.Record{Decision: gate.SkippedOverlap, BlockingRunID: runID(5)}, f.note("run schedule %s", id)
}

func (f *fake) SetSchedule(_ context.Context, id string, in control.SetSchedule) (resident.Row, error) {
	return resident.Row{ID: id}, f.note("set schedule %s %v", id, in.Enabled)
}

func (f *fake) Ticks(_ context.Context, _ control.TickQuery, send func(gate.Record) error) error {
	for _, r := range sampleTicks() {
		if err := send(r); err != nil {
			return err
		}
	}
	return nil
}

func TestClocksTellWhatIsInTheWayAndEndIt(t *testing.T) {
	d := live(t, 120, 30)
	d.press("4", "down", "enter")
	d.wants("in the way", runID(5), "every 10m")
	d.press("x")
	d.wants("Cancel this run?")
	d.press("y")
	asked(t, d, "cancel "+runID(5))
	d.press("N")
	asked(t, d, "run schedule nightly")
	d.wants("skipped: run")
}

func TestTicksExplainThemselves(t *testing.T) {
	d := live(t, 120, 40)
	d.press("4", "right", "enter")
	d.wants("guard_error", "could not be run, or took too long", "curl: not found")
	d.press("esc", "down", "enter")
	d.wants("an earlier run of this schedule was still going on")
	d.press("esc", "down", "enter")
	d.wants("exit 3", "nothing to do")
	d.press("esc", "down", "enter")
	d.wants("late by", "2m0s")
	d.press("o")
	d.wants("Port the parser")
}

func TestSchedulesAreTakenOutOfForce(t *testing.T) {
	d := live(t, 120, 30)
	d.press("4", "G", "D")
	asked(t, d, "set schedule weekly true")
	d.press("up", "D")
	asked(t, d, "set schedule watcher false")
	if text := d.view(); !strings.Contains(text, "out of force") {
		t.Error(text)
	}
}
