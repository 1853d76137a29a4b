package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/native/run"
	"iterion/sched/audit"
	"iterion/sched/gate"
)

var (
	scheduleRounds = flag.Int("schedule-rounds", 100, "how often two runs of a schedule are started in the same instant")
	scheduleKills  = flag.Int("schedule-kills", 200, "how many ticks are killed")
)

// ticks returns what is in the audit.
func (w *world) ticks() []gate.Record {
	w.t.Helper()
	var all []gate.Record
	stats, err := audit.Open(filepath.Join(w.home, ".iterion", "logs", "tick-audit.jsonl"), audit.Options{}).
		Read(audit.Filter{}, func(r gate.Record) error {
			all = append(all, r)
			return nil
		})
	if err != nil || stats != (audit.Stats{}) {
		w.t.Errorf("the audit: %v, %+v", err, stats)
	}
	return all
}

// ranByHand is what `schedule run --json` prints.
type ranByHand struct {
	Record *gate.Record `json:"record"`
}

// Two runs of one schedule that begin in the same instant: one fires, and the other
// is told which run it was.
func TestOfTwoRunsAtOnceOneFiresAndTheOtherNamesIt(t *testing.T) {
	rounds := *scheduleRounds
	if testing.Short() {
		rounds = min(rounds, 10)
	}
	w := newWorld(t)
	w.ok("schedule", "add", "twice", "--cron", "0 3 * * *", "--bot", "shell",
		"--var", `command=until [ -e "$ITERION_STORE_DIR/../go-$ITERION_RUN_ID" ]; do sleep 0.02; done`)
	runs := run.Open(w.path(".iterion", "runs"), run.Options{})
	for round := range rounds {
		var both [2]*proc
		for i := range both {
			both[i] = w.start("schedule", "run", "twice", "--no-wait", "--json", "-q")
		}
		var got [2]gate.Record
		for i, p := range both {
			if code := p.wait(); code != 0 {
				t.Fatalf("round %d: exit code %d: %s", round, code, p.errs)
			}
			var r ranByHand
			decode(t, p.errs.String(), &r)
			got[i] = *r.Record
		}
		fired, other := got[0], got[1]
		if other.Decision == gate.Fired {
			fired, other = other, fired
		}
		if fired.Decision != gate.Fired || other.Decision != gate.SkippedOverlap || other.BlockingRunID != fired.RunID {
			t.Fatalf("round %d: %s (%s) and %s (%s), which names %q; want one that fired, and one that was skipped and names its run %s",
				round, got[0].Decision, got[0].Error, got[1].Decision, got[1].Error, other.BlockingRunID, fired.RunID)
		}
		if err := os.WriteFile(w.path("go-"+fired.RunID), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		w.eventually("the run ends", func() bool {
			rec, err := runs.Get(fired.RunID)
			return err == nil && rec.Status.Final()
		})
	}
	if all := w.ticks(); len(all) != 2*rounds {
		t.Errorf("%d records of %d decisions", len(all), 2*rounds)
	}
	if n := len(w.runs()); n != rounds {
		t.Errorf("%d runs in %d rounds", n, rounds)
	}
}

// Whoever waits for a run that it started may be killed: the run goes on.
func TestAKilledScheduleRunLeavesItsRunAtWork(t *testing.T) {
	w := newWorld(t)
	w.ok("schedule", "add", "slow", "--cron", "0 3 * * *", "--bot", "shell",
		"--var", `command=until [ -e "$ITERION_STORE_DIR/../go" ]; do sleep 0.02; done; echo through >>"$ITERION_STORE_DIR/../notes"`)
	p := w.start("schedule", "run", "slow")
	w.eventually("the bot runs", func() bool {
		all := w.runs()
		return len(all) == 1 && all[0].Status == run.Running
	})
	p.kill9()
	if err := os.WriteFile(w.path("go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.eventually("the run ends by itself", func() bool { return w.runs()[0].Status == run.Finished })
	if n := w.lines(w.path("notes")); n != 1 {
		t.Errorf("the bot went through %d times", n)
	}
}

// A schedule is due each minute, and most of its ticks are killed somewhere between
// their first instruction and the end of their run. After one more tick each slot
// has been launched at most once, and has either one record of its own or its place
// in one missed record.
func TestI7_KilledTicksLaunchEachSlotAtMostOnceAndLeaveOneRecord(t *testing.T) {
	w := newWorld(t)
	zero := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	at := func(slot int) string {
		return "ITERION_TEST_NOW=" + zero.Add(time.Duration(slot)*time.Minute+time.Second).Format(time.RFC3339)
	}
	tick := func(slot int) *proc {
		cmd := w.command("schedule", "run", "--tick", "each")
		cmd.Env = append(cmd.Env, at(slot))
		return w.launch(cmd)
	}
	w.env = append(w.env, at(0))
	w.ok("schedule", "add", "each", "--cron", "* * * * *", "--overlap", "allow", "--bot", "shell",
		"--var", `command=echo "$ITERION_RUN_ID" >>"$ITERION_STORE_DIR/../begun"`)
	began := time.Now()
	if code := tick(1).wait(); code != 0 {
		t.Fatalf("an undisturbed tick: exit code %d", code)
	}
	whole := time.Since(began)
	kills := *scheduleKills
	if testing.Short() {
		kills = min(kills, 20)
	}
	for slot := 2; slot < kills+2; slot++ {
		p := tick(slot)
		select {
		case <-p.done:
		case <-time.After(rand.N(whole * 5 / 4)):
		}
		p.kill9()
	}
	// The last tick has a slot of its own, so that each one before it has to be made
	// up for; a second one finds nothing left to do.
	last := kills + 2
	for range 2 {
		if p := tick(last); p.wait() != 0 {
			t.Fatalf("the last tick: %s", p.errs)
		}
	}
	w.eventually("the runs end", func() bool {
		for _, r := range w.runs() {
			if !r.Status.Final() {
				return false
			}
		}
		return true
	})
	checkSlots(t, w, zero, last)
}

// checkSlots holds the records against the slots 1 to last, and the runs against the
// records.
func checkSlots(t *testing.T, w *world, zero time.Time, last int) {
	t.Helper()
	records, launched, missed := map[time.Time]int{}, map[string]bool{}, 0
	for _, r := range w.ticks() {
		switch r.Decision {
		case gate.Missed:
			n := 0
			if _, err := fmt.Sscanf(r.Reason, "%d slot", &n); err != nil {
				t.Errorf("%q does not say how many slots were missed", r.Reason)
			}
			missed += n
		case gate.Fired:
			if launched[r.RunID] {
				t.Errorf("run %s has two records", r.RunID)
			}
			launched[r.RunID] = true
			records[r.Slot]++
		case gate.LaunchFailed:
			if !strings.Contains(r.Reason, "died") {
				t.Errorf("the slot of %s: %s %s", r.Slot, r.Reason, r.Error)
			}
			records[r.Slot]++
		default:
			t.Errorf("the slot of %s: %s", r.Slot, r.Decision)
		}
	}
	for slot, n := range records {
		if i := int(slot.Sub(zero) / time.Minute); n != 1 || i < 1 || i > last {
			t.Errorf("slot %d has %d records", i, n)
		}
	}
	if len(records)+missed != last {
		t.Errorf("%d slots have a record and %d were missed, of %d", len(records), missed, last)
	}
	runs := w.runs()
	for _, r := range runs {
		if !launched[r.ID] {
			t.Errorf("run %s was made, and no record says so", r.ID)
		}
	}
	if len(runs) != len(launched) {
		t.Errorf("%d runs, %d records that say so", len(runs), len(launched))
	}
	if begun := w.lines(w.path("begun")); begun > len(runs) {
		t.Errorf("bots began %d times in %d runs", begun, len(runs))
	}
	t.Logf("%d slots: %d fired, %d died undecided, %d missed", last, len(launched), len(records)-len(launched), missed)
}
