package spend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)

func TestAReportAddsWhatTheOtherDaysDoNotHold(t *testing.T) {
	st := newStore(t)
	st.record("r", noon, 1.25, noon)
	st.record("r", noon, 1.50, noon.Add(time.Hour))
	st.record("r", noon, 1.50, noon.Add(2*time.Hour)) // a resume brings it again
	st.record("r", noon, 2.75, noon.Add(24*time.Hour))
	st.record("other", noon, 0.10, noon)

	st.wantDay("2026-08-20", map[string]float64{"r": 1.50, "other": 0.10}, 1.60)
	st.wantDay("2026-08-21", map[string]float64{"r": 1.25}, 1.25)
}

func TestACostThatFallsAddsNothing(t *testing.T) {
	st := newStore(t)
	st.record("r", noon, 2, noon)
	st.record("r", noon, 0.5, noon.Add(time.Minute))
	st.record("r", noon, 1.5, noon.Add(24*time.Hour))
	st.wantDay("2026-08-20", map[string]float64{"r": 2}, 2)
	st.wantDay("2026-08-21", map[string]float64{}, 0)
}

func TestADayIsAUTCDay(t *testing.T) {
	st := newStore(t)
	tokyo := time.FixedZone("JST", 9*3600)
	st.record("r", noon, 1, time.Date(2026, 8, 21, 8, 59, 59, 0, tokyo))
	st.record("r", noon, 3, time.Date(2026, 8, 21, 9, 0, 0, 0, tokyo))
	st.wantDay("2026-08-20", map[string]float64{"r": 1}, 1)
	st.wantDay("2026-08-21", map[string]float64{"r": 2}, 2)
}

func TestAClockThatIsSetBackCountsNothingTwice(t *testing.T) {
	st := newStore(t)
	tomorrow, lastWeek := noon.Add(24*time.Hour), noon.Add(-7*24*time.Hour)
	st.record("r", noon, 1, tomorrow)
	st.record("r", noon, 4, noon)     // back behind a day that holds something
	st.record("r", noon, 6, lastWeek) // back behind the run's own beginning
	st.record("r", noon, 6, tomorrow)
	st.wantDay("2026-08-20", map[string]float64{"r": 5}, 5)
	st.wantDay("2026-08-21", map[string]float64{"r": 1}, 1)
	st.wantDay("2026-08-13", map[string]float64{}, 0)
}

func TestTenThousandAdditionsStayExact(t *testing.T) {
	var d Day
	cents := 0.0
	for i := range 10_000 {
		cents += 0.01 // drifts, as the sums of a bot do
		d.set("drips", toNanos(cents))
		d.set(fmt.Sprintf("run-%d", i%100), toNanos(0.1))
	}
	if cents == 100 {
		t.Fatal("the sum was meant to drift")
	}
	if d.Runs["drips"] != 100 || d.TotalUSD != 110 {
		t.Errorf("drips cost %v and all %v, want 100 and 110", d.Runs["drips"], d.TotalUSD)
	}
}

func TestWhatIsNoCostIsRefused(t *testing.T) {
	st := newStore(t)
	nan := 0.0
	nan /= nan
	for _, usd := range []float64{-1, nan, 1e300} {
		if _, err := st.l.Record(t.Context(), "r", noon, usd, noon); !errors.Is(err, ErrCost) {
			t.Errorf("%g: got %v, want ErrCost", usd, err)
		}
	}
	if _, err := os.Stat(st.l.path("2026-08-20")); err == nil {
		t.Error("a refused report left a day behind")
	}
}

func TestADayThatCannotBeReadIsNotADayWithoutCosts(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "torn": `{"day":"2026-08-20","runs_con`, "another day": `{"day":"2026-08-19"}`, "no day": `{}`, "null": `null`,
		"no cost": `{"day":"2026-08-20","runs_contributed":{"r":-1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			st := newStore(t)
			st.cap(5)
			st.file("spend/2026-08-20.json", content)
			_, serr := st.l.Status(noon)
			_, rerr := st.l.Record(t.Context(), "r", noon, 1, noon)
			_, lerr := st.l.Record(t.Context(), "r", noon, 1, noon.Add(24*time.Hour)) // what it held of r is not known
			_, oerr := st.l.Override(t.Context(), noon, "ana", "why")
			for act, err := range map[string]error{"Status": serr, "Record": rerr, "Record later": lerr, "Override": oerr, "Gate": st.l.Gate(noon)} {
				var unreadable *UnreadableError
				if !errors.As(err, &unreadable) || !strings.HasSuffix(unreadable.Path, "spend/2026-08-20.json") {
					t.Errorf("%s: got %v, want an *UnreadableError that names the file", act, err)
				}
			}
			if got := st.text("spend/2026-08-20.json"); got != content {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

func TestDaysNamesTheBrokenAndReturnsTheRest(t *testing.T) {
	st := newStore(t)
	for i := range 4 {
		at := noon.Add(time.Duration(i) * 24 * time.Hour)
		st.record("r", at, 1, at)
	}
	st.file("spend/2026-08-21.json", "{")
	st.file("spend/notes.json", "{}")
	days, err := st.l.Days("2026-08-20", "2026-08-22")
	var names []string
	for _, d := range days {
		names = append(names, d.Day)
	}
	if diff := cmp.Diff([]string{"2026-08-20", "2026-08-22"}, names); diff != "" {
		t.Error(diff)
	}
	var unreadable *UnreadableError
	if !errors.As(err, &unreadable) {
		t.Errorf("got %v, want the broken day named", err)
	}
}

func TestUnknownKeysAreWrittenBack(t *testing.T) {
	st := newStore(t)
	st.file("spend/2026-08-20.json", `{"day":"2026-08-20","runs_contributed":{"a":1},"total_usd":9,"currency":"EUR",
		"override":{"granted_by":"bo","granted_at":"2026-08-20T01:02:03Z","note":"n","ticket":7}}`)
	st.record("b", noon, 2, noon)
	want := `{
  "currency": "EUR",
  "day": "2026-08-20",
  "override": {
    "granted_at": "2026-08-20T01:02:03Z",
    "granted_by": "bo",
    "note": "n",
    "ticket": 7
  },
  "runs_contributed": {
    "a": 1,
    "b": 2
  },
  "total_usd": 3
}
`
	if diff := cmp.Diff(want, st.text("spend/2026-08-20.json")); diff != "" {
		t.Error(diff)
	}
}

func TestAReportThatAddsNothingDoesNotWrite(t *testing.T) {
	st := newStore(t)
	st.record("r", noon, 1, noon)
	before, err := os.Stat(st.l.path("2026-08-20"))
	if err != nil {
		t.Fatal(err)
	}
	st.record("r", noon, 1, noon)
	after, err := os.Stat(st.l.path("2026-08-20"))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the day was written again (%v)", err)
	}
}

func TestAKilledWritersFileIsRemoved(t *testing.T) {
	st := newStore(t)
	st.file("spend/.tmp-123", "half")
	st.record("r", noon, 1, noon)
	entries, err := os.ReadDir(filepath.Join(st.root, "spend"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == ".tmp-123" {
			t.Error("it is still there")
		}
	}
}

// The share of a day that has settled is remembered, and believed only as long as
// its file is the same.
func TestARememberedShareIsCheckedAgainstItsFile(t *testing.T) {
	st := newStore(t)
	st.record("r", noon, 1, noon)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(st.l.path("2026-08-20"), old, old); err != nil {
		t.Fatal(err)
	}
	tomorrow := noon.Add(24 * time.Hour)
	st.record("r", noon, 2, tomorrow)
	if len(st.l.shares["r"]) != 1 {
		t.Fatalf("remembered %v, want the one settled day", st.l.shares)
	}
	other := newStoreAt(t, st.root)
	other.record("r", noon, 4, noon) // another process, whose clock lags: 1 is tomorrow's
	st.record("r", noon, 5, tomorrow)
	st.wantDay("2026-08-20", map[string]float64{"r": 3}, 3)
	st.wantDay("2026-08-21", map[string]float64{"r": 2}, 2)
}
