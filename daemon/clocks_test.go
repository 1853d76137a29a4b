package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/audit"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
	"iterion/sched/resident"
)

// triggers writes the operator's subscriptions.
func (b *lab) triggers(rows ...string) {
	b.Helper()
	b.must(os.WriteFile(b.l.Triggers(), []byte("version: 1\ntriggers:\n"+strings.Join(rows, "")), 0o600))
}

// second is a schedule that is due every second.
func second(id, command string, more ...string) string {
	row := fmt.Sprintf("  - id: %s\n    bot_id: shell\n    invocation: schedule\n    cron: \"@every 1s\"\n    vars: {command: %q}\n", id, command)
	for _, m := range more {
		row += "    " + m + "\n"
	}
	return row
}

// ticks returns what the audit has, oldest first.
func (b *lab) ticks(id string) []gate.Record {
	b.Helper()
	var out []gate.Record
	_, err := audit.Open(hostcron.Default(b.home).Audit(), audit.Options{}).Read(audit.Filter{ID: id}, func(r gate.Record) error {
		out = append(out, r)
		return nil
	})
	b.must(err)
	return out
}

// decides waits until the audit has a record that ok accepts.
func (b *lab) decides(id, what string, ok func(gate.Record) bool) gate.Record {
	b.Helper()
	var found gate.Record
	b.until(id+": "+what, func() bool {
		all := b.ticks(id)
		i := slices.IndexFunc(all, ok)
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	})
	return found
}

func is(d gate.Decision) func(gate.Record) bool {
	return func(r gate.Record) bool { return r.Decision == d }
}

func TestScheduleFiresWithItsProvenance(t *testing.T) {
	b := newLab(t)
	b.triggers(second("beat", "pwd; echo $ITERION_SCHEDULE > seen"))
	c, _ := b.start(b.options())
	rec := b.decides("beat", "fired", is(gate.Fired))
	if rec.Surface != gate.Trigger || rec.BotID != "shell" || rec.Cron != "@every 1s" || rec.Slot.IsZero() {
		t.Fatalf("record %+v", rec)
	}
	var made run.Record
	b.until("the run has ended", func() bool {
		var err error
		made, err = b.runs.Get(rec.RunID)
		return err == nil && made.Status.Final()
	})
	if src := made.Source; src.Kind != run.SourceSchedule || src.ScheduleID != "beat" || src.IssueID != "" || made.Status != run.Finished {
		t.Fatalf("run %+v", made)
	}
	if seen, err := os.ReadFile(filepath.Join(b.dir, "seen")); err != nil || strings.TrimSpace(string(seen)) != "beat" {
		t.Fatalf("the bot saw %q, %v", seen, err)
	}
	st, err := c.Status(t.Context())
	b.must(err)
	if st.Clocks == nil || st.Clocks.Armed != 1 || st.Clocks.LastTick.IsZero() || st.Clocks.NextID != "beat" {
		t.Fatalf("clocks %+v", st.Clocks)
	}
}

func TestScheduleOfAManifestIsArmedAndItsBotIsLaunched(t *testing.T) {
	b := newLab(t)
	dir := filepath.Join(b.dir, "bots", "tidy")
	b.must(os.MkdirAll(dir, 0o700))
	manifest := "name: tidy\nversion: 0.1.0\nrun:\n  command: [sh, -c, \"true\"]\ninvocations:\n  - {kind: schedule, schedule: {suggested_cron: \"@every 1s\"}}\n"
	b.must(os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(manifest), 0o600))
	c, _ := b.start(b.options())
	rows, err := c.Schedules(t.Context())
	b.must(err)
	i := slices.IndexFunc(rows, func(r resident.Row) bool { return r.Bot == "tidy" })
	for ; i < 0; i = slices.IndexFunc(rows, func(r resident.Row) bool { return r.Bot == "tidy" }) {
		rows, err = c.Schedules(t.Context())
		b.must(err)
	}
	b.decides(rows[i].ID, "fired", is(gate.Fired))
}

func TestPauseHoldsScheduleAndCardsShareTheSlots(t *testing.T) {
	b := newLab(t)
	b.triggers(second("beat", "true"))
	c, _ := b.start(b.options())
	b.decides("beat", "fired", is(gate.Fired))
	_, err := c.Pause(t.Context(), control.Pause{Reason: "maintenance", By: "alice"})
	b.must(err)
	b.until("the schedule is held", func() bool {
		st, err := c.Status(t.Context())
		b.must(err)
		return st.Clocks.Held == 1 && strings.Contains(st.Clocks.HeldWhy, "maintenance")
	})
	fired := len(b.runsOf(""))
	time.Sleep(1500 * time.Millisecond) // a slot or two
	if n := len(b.runsOf("")); n != fired {
		t.Fatalf("%d runs were launched in a pause", n-fired)
	}
	if _, err := c.RunSchedule(t.Context(), "beat", control.By{By: "alice"}); !errors.Is(err, board.ErrConflict) || !strings.Contains(err.Error(), "maintenance") {
		t.Fatalf("by hand: %v", err)
	}
	_, err = c.Unpause(t.Context(), control.Pause{By: "alice"})
	b.must(err)
	missed := b.decides("beat", "missed", func(r gate.Record) bool {
		return r.Decision == gate.Missed && strings.Contains(r.Reason, "held back since") && strings.Contains(r.Reason, "maintenance")
	})
	b.decides("beat", "fired again", func(r gate.Record) bool { return r.Decision == gate.Fired && r.Slot.After(missed.Slot) })
}

func TestLiveRunOfAScheduleIsSeenAndKeepsItsSlotOverARestart(t *testing.T) {
	b := newLab(t)
	gateFile := filepath.Join(b.dir, "gate")
	b.triggers(second("long", "until test -e "+gateFile+"; do sleep 0.02; done"))
	c, stop := b.start(b.options())
	rec := b.decides("long", "fired", is(gate.Fired))
	holds := func() bool {
		st, err := c.Status(context.Background())
		b.must(err)
		return slices.ContainsFunc(st.Dispatch.Running, func(r dispatch.Running) bool {
			return r.RunID == rec.RunID && r.Title == "long" && r.By == "schedule long" && r.IssueID == ""
		})
	}
	b.until("the run is shown in its slot", holds)
	stop()
	c, _ = b.start(b.options())
	if !holds() {
		t.Fatal("the run has no slot after the restart")
	}
	b.decides("long", "skipped", func(r gate.Record) bool { return r.Decision == gate.SkippedOverlap && r.BlockingRunID == rec.RunID })
	rows, err := c.Schedules(t.Context())
	b.must(err)
	if i := slices.IndexFunc(rows, func(r resident.Row) bool { return r.ID == "long" }); i < 0 || rows[i].Blocking != rec.RunID {
		t.Fatalf("rows %+v", rows)
	}
	b.must(os.WriteFile(gateFile, nil, 0o600))
	b.until("the slot is free, or the next run's", func() bool { return !holds() })
}

func TestScheduleIsSwitchedOffAndOnAndRunByHand(t *testing.T) {
	b := newLab(t)
	b.triggers("  - id: yearly\n    bot_id: shell\n    invocation: schedule\n    cron: \"@yearly\"\n    vars: {command: \"true\"}\n",
		"  - id: cards\n    bot_id: shell\n    invocation: board\n    mode: board\n")
	c, stop := b.start(b.options())
	for _, on := range []bool{false, true} {
		row, err := c.SetSchedule(t.Context(), "yearly", control.SetSchedule{Enabled: on, By: "alice"})
		b.must(err)
		if row.Enabled != on {
			t.Fatalf("row %+v", row)
		}
		b.until("the clocks know", func() bool {
			rows, err := c.Schedules(t.Context())
			b.must(err)
			i := slices.IndexFunc(rows, func(r resident.Row) bool { return r.ID == "yearly" })
			return i >= 0 && rows[i].Enabled == on && rows[i].Next.IsZero() != on
		})
	}
	rec, err := c.RunSchedule(t.Context(), "yearly", control.By{By: "alice"})
	b.must(err)
	if rec.Decision != gate.Fired || !rec.Slot.IsZero() {
		t.Fatalf("record %+v", rec)
	}
	var told []string
	b.must(c.Ticks(t.Context(), control.TickQuery{ID: "yearly"}, func(r gate.Record) error {
		told = append(told, r.RunID)
		return nil
	}))
	if !slices.Equal(told, []string{rec.RunID}) {
		t.Fatalf("ticks %v, want %s", told, rec.RunID)
	}
	if _, err := c.RunSchedule(t.Context(), "nightly", control.By{}); !errors.Is(err, board.ErrNotFound) {
		t.Fatalf("of nothing: %v", err)
	}
	if _, err := c.SetSchedule(t.Context(), "cards", control.SetSchedule{}); !errors.Is(err, board.ErrInvalid) {
		t.Fatalf("of a board subscription: %v", err)
	}
	stop()
	rows, offline, err := Schedules(t.Context(), b.options())
	b.must(err)
	i := slices.IndexFunc(rows, func(r resident.Row) bool { return r.ID == "yearly" })
	if !offline || i < 0 || rows[i].Next.IsZero() || rows[i].Last == nil || rows[i].Last.RunID != rec.RunID {
		t.Fatalf("offline %v, rows %+v", offline, rows)
	}
	st, err := OfflineStatus(t.Context(), b.options())
	b.must(err)
	if st.Clocks == nil || st.Clocks.Armed != 1 {
		t.Fatalf("clocks %+v", st.Clocks)
	}
}
