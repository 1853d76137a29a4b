package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/native/filelock"
	"iterion/native/run"
	"iterion/native/spend"
)

// payer reports a dime in cents, waits for midnight, and reports another dime. One
// that is to be resumed fails after its first dime, and waits in its second life. A
// patient one has no end of its own.
const payer = `
name: payer
run:
  resume: true
  script: |
    store=$ITERION_STORE_DIR/..
    dime() { for i in 1 2 3 4 5 6 7 8 9 10; do echo '{"type":"cost","usd":0.01}' >>"$ITERION_EVENTS"; done; }
    if [ "$ITERION_RESUME" = 0 ]; then dime; fi
    if [ "$ITERION_RESUME" = 0 ] && [ "$ITERION_VAR_WAY" = resumed ]; then exit 1; fi
    until [ -e "$store/midnight" ]; do sleep 0.05; done
    dime
    if [ "$ITERION_VAR_WAY" = patient ]; then exec sleep 600; fi
vars: {way: {default: straight}}
`

// Eight runs on four surfaces report costs at the same time, over a midnight: the
// days together hold what each of them cost, once.
func TestI10_EightRunsOnFourSurfacesArePaidForOnce(t *testing.T) {
	w := moneyWorld(t, 0)
	w.daemon("my.yaml")
	failed := []string{w.fails("run", "-q", "payer", "--var", "way=resumed"), w.fails("run", "-q", "payer", "--var", "way=resumed")}
	var attended []*proc
	for range 2 {
		w.card("work of the daemon's", "payer")
		attended = append(attended, w.start("run", "-q", "payer"))
		w.ok("run", "payer", "--detach")
	}
	for _, id := range failed {
		w.ok("runs", "resume", id)
	}
	w.eventually("all eight have cost a dime", func() bool { return w.count(run.Running) == 8 && w.today().Day.TotalUSD == 0.8 })
	w.midnight()
	release(t, w.path("midnight"))
	w.eventually("all eight have ended", func() bool { return w.count(run.Finished) == 8 })
	for _, p := range attended {
		if code := p.wait(); code != 0 {
			t.Errorf("an attended run exits %d: %s", code, p.errs)
		}
	}

	held, total := w.allDays()
	for _, rec := range w.runs() {
		if cents(held[rec.ID]) != 20 || cents(rec.CostUSD) != 20 {
			t.Errorf("run %s: the days hold $%v, its record says $%v, want $0.20", rec.ID, held[rec.ID], rec.CostUSD)
		}
	}
	if len(held) != 8 || total != 1.6 {
		t.Errorf("the days hold $%v of %d runs, want $1.60 of 8", total, len(held))
	}
	if today := w.today().Day; today.TotalUSD != 0.8 || len(today.Runs) != 8 {
		t.Errorf("after midnight they cost $%v, want $0.80", today.TotalUSD)
	}
}

// At the cap nothing starts on any surface and what runs is paused; lifted by
// somebody who says why, work goes on.
func TestI10_NothingStartsAtTheCapUntilItIsLifted(t *testing.T) {
	w := moneyWorld(t, 0.3)
	w.daemon("my.yaml")
	slow := w.start("run", "payer", "--var", "way=patient")
	w.eventually("a dime is spent", func() bool { return w.today().Day.TotalUSD == 0.1 })
	w.fails("run", "-q", "payer", "--var", "way=resumed")
	failed := w.fails("run", "-q", "payer", "--var", "way=resumed")
	if s := w.today(); !s.Reached {
		t.Fatalf("the day's total is $%v: not at the cap", s.Day.TotalUSD)
	}
	release(t, w.path("midnight")) // the next cent of the slow run is one too much
	if code := slow.wait(); code != 11 {
		t.Errorf("the run that was at work exits %d, want 11: %s", code, slow.errs)
	}
	if said := slow.errs.String(); !strings.Contains(said, "spend override") || !strings.Contains(said, "runs resume") {
		t.Errorf("it does not say what to do: %s", said)
	}
	paused := w.runs()[2]
	if paused.Status != run.PausedOperator || paused.PauseReason != run.PauseCostCap {
		t.Errorf("it is %s (%s), want it paused for the cap", paused.Status, paused.PauseReason)
	}

	card := w.card("work of the daemon's", "payer")
	w.ok("runs", "resume", failed) // the daemon takes it, and holds it as it holds the card
	for _, line := range [][]string{{"run", "payer"}, {"run", "payer", "--detach"}} {
		if s := w.run(line...); s.code != 4 || !strings.Contains(s.err, "cap") {
			t.Errorf("iterion %v: exit %d, %s", line, s.code, s.err)
		}
	}
	w.eventually("the daemon says why it holds the card", func() bool {
		s := w.run("why", card)
		return strings.Contains(s.out, "spend override")
	})
	if all := w.runs(); len(all) != 3 || all[0].Status != run.FailedResumable {
		t.Errorf("%d runs, the last one %s: want the three from below the cap as they were", len(all), all[0].Status)
	}

	w.ok("spend", "override", "--note", "release day")
	w.eventually("the card is worked", func() bool { return w.inState("review") == 1 })
	w.ok("run", "-q", "payer")
	w.eventually("so is the run that was to go on", func() bool { return w.count(run.Finished) == 3 })
	day := w.today().Day
	if day.Override == nil || day.Override.GrantedBy != "tester" || day.Override.Note != "release day" {
		t.Errorf("on record: %+v", day.Override)
	}
}

func moneyWorld(t *testing.T, limit float64) *world {
	w := newWorld(t)
	config, err := json.Marshal(map[string]any{"limits": map[string]float64{"max_cost_per_day_usd": limit}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.path("my.yaml"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(w.path("bots", "payer"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.path("bots", "payer", "manifest.yaml"), []byte(payer), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// fails runs a bot that fails and returns the id of its run.
func (w *world) fails(args ...string) string {
	w.t.Helper()
	if s := w.run(args...); s.code != 10 {
		w.t.Fatalf("iterion %v: exit %d, want 10: %s", args, s.code, s.err)
	}
	return w.runs()[0].ID
}

func (w *world) ledger() *spend.Ledger { return spend.Open(w.path(".iterion"), spend.Options{}) }

func (w *world) today() spend.Status {
	w.t.Helper()
	s, err := w.ledger().Status(time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// count counts the runs of a status.
func (w *world) count(status run.Status) int {
	w.t.Helper()
	n := 0
	for _, rec := range w.runs() {
		if rec.Status == status {
			n++
		}
	}
	return n
}

// midnight makes what was spent so far that of another day. It is the day that
// comes, as if the clock had been set back: no run was there on the one before.
func (w *world) midnight() {
	w.t.Helper()
	lock, err := filelock.Acquire(context.Background(), w.path(".iterion", "spend", ".lock"), filelock.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer lock.Release()
	day := w.today().Day
	from := w.path(".iterion", "spend", day.Day+".json")
	day.Day = spend.DayOf(time.Now().AddDate(0, 0, 1))
	data, err := json.Marshal(day)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(from), day.Day+".json"), data, 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Remove(from); err != nil {
		w.t.Fatal(err)
	}
}

// allDays is what the days hold of each run, and in all.
func (w *world) allDays() (map[string]float64, float64) {
	w.t.Helper()
	days, err := w.ledger().Days("0000", "9999")
	if err != nil {
		w.t.Fatal(err)
	}
	held, total := map[string]float64{}, 0.0
	for _, d := range days {
		total += d.TotalUSD
		for id, usd := range d.Runs {
			held[id] += usd
		}
	}
	return held, total
}

func cents(usd float64) int { return int(math.Round(usd * 100)) }
