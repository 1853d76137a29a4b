package spend

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// account is a run as its supervisors know it.
type account struct {
	id       string
	since    time.Time
	cost     float64 // what it reports next
	reported float64 // the most that was reported
}

// Whatever the order of reports, repeats, resumes, midnights, clocks and
// processes: the days together hold the final cost of each run exactly once.
func TestEveryCostIsCountedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp("", "spend-*")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		processes := []*Ledger{}
		for range 3 {
			processes = append(processes, Open(root, Options{NoFsync: true}))
		}
		now := noon
		var runs []*account
		steps := rapid.IntRange(1, 60).Draw(t, "steps")
		for range steps {
			switch act := rapid.IntRange(0, 9).Draw(t, "act"); {
			case act == 0 || len(runs) == 0:
				runs = append(runs, &account{id: fmt.Sprintf("run-%d", len(runs)), since: now})
			case act == 1: // time passes, and now and then the clock is set back
				now = now.Add(time.Duration(rapid.IntRange(-60, 90).Draw(t, "hours")) * time.Hour)
			case act == 2: // a process dies, another one begins
				processes[rapid.IntRange(0, 2).Draw(t, "process")] = Open(root, Options{NoFsync: true})
			case act == 3: // a counter that begins anew
				rapid.SampledFrom(runs).Draw(t, "run").cost = 0
			default:
				r := rapid.SampledFrom(runs).Draw(t, "run")
				r.cost += rapid.SampledFrom([]float64{0, 0.1, 0.01, 1.0 / 3, 12.5, 0.000001}).Draw(t, "cost")
				r.reported = max(r.reported, r.cost)
				l := rapid.SampledFrom(processes).Draw(t, "process")
				if _, err := l.Record(t.Context(), r.id, r.since, r.cost, now); err != nil {
					t.Fatal(err)
				}
			}
		}
		checkTotals(t, processes[0], runs)
	})
}

func checkTotals(t *rapid.T, l *Ledger, runs []*account) {
	days, err := l.Days("0000", "9999")
	if err != nil {
		t.Fatal(err)
	}
	held, all := map[string]nanos{}, nanos(0)
	for _, d := range days {
		for id, usd := range d.Runs {
			held[id] += toNanos(usd)
		}
		all += toNanos(d.TotalUSD)
	}
	var want nanos
	for _, r := range runs {
		if held[r.id] != toNanos(r.reported) {
			t.Errorf("%s: the days hold %v of it, want %v", r.id, held[r.id].usd(), r.reported)
		}
		want += toNanos(r.reported)
	}
	if all != want {
		t.Errorf("the totals add up to %v, want %v", all.usd(), want.usd())
	}
}

func FuzzDecodeKeepsWhatItTakes(f *testing.F) {
	f.Add([]byte(`{"day":"2026-08-20","runs_contributed":{"a":0.1},"total_usd":0.1,"x":[1]}`))
	f.Add([]byte(`{"day":"2026-08-20","override":{"note":"n","y":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := decode(data, "2026-08-20")
		if err != nil {
			return
		}
		again, err := d.encode()
		if err != nil {
			t.Fatal(err)
		}
		e, err := decode(again, "2026-08-20")
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if len(e.Runs) != len(d.Runs) || math.Abs(e.TotalUSD-d.TotalUSD) > 0 || len(e.Extra) != len(d.Extra) {
			t.Errorf("%s became %s", data, again)
		}
	})
}
