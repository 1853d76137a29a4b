package cronspec

import (
	"archive/zip"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

var allZones = flag.Bool("all-zones", false, "compare with brute force at every clock change of every zone")

// zoneNames are the zones of the database that comes with Go.
func zoneNames(t testing.TB) []string {
	t.Helper()
	list, err := os.ReadFile("testdata/zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(list))
	if len(names) < 500 {
		t.Fatalf("only %d zones", len(names))
	}
	return names
}

func TestTheListOfZonesIsThatOfTheToolchain(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("SKIPPED: no go command tells where the toolchain is: %v", err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Skipf("SKIPPED: the toolchain's zones are not here: %v", err)
	}
	defer archive.Close()
	known := zoneNames(t)
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, "/") && !slices.Contains(known, f.Name) {
			t.Errorf("testdata/zones.txt has no %s", f.Name)
		}
	}
}

func mustZone(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// changes returns the instants at which a zone's clock was or will be put forward
// or back.
func changes(zone *time.Location, from, until int) []time.Time {
	var all []time.Time
	end := time.Date(until, 1, 1, 0, 0, 0, 0, time.UTC)
	for at := time.Date(from, 1, 1, 0, 0, 0, 0, zone); ; {
		_, next := at.ZoneBounds()
		if !next.IsZero() && !next.After(at) {
			next = at.Add(24 * time.Hour) // the last day of a leap year, for package time
		}
		if next.IsZero() || next.After(end) {
			return all
		}
		_, before := next.Add(-time.Second).Zone()
		if _, after := next.Zone(); after != before {
			all = append(all, next)
		}
		at = next
	}
}

// sets is what an expression's fields name, read in the simplest way.
type sets struct {
	minute, hour, dom, month, dow map[int]bool
	domAny, dowAny, elapsed       bool
}

func naive(expr string) sets {
	f := strings.Fields(expr)
	expand := func(text string, low, high int) map[int]bool {
		values := map[int]bool{}
		for _, item := range strings.Split(text, ",") {
			base, step := item, 1
			from, to := low, high
			if i := strings.Index(item, "/"); i >= 0 {
				base = item[:i]
				step, _ = strconv.Atoi(item[i+1:])
			}
			if base != "*" {
				ends := strings.Split(base, "-")
				from, _ = strconv.Atoi(ends[0])
				if len(ends) == 2 {
					to, _ = strconv.Atoi(ends[1])
				} else if base == item {
					to = from
				} else {
					to = max(high, from) // 7 is Sunday and the week's end
				}
			}
			for v := from; v <= to; v += step {
				values[v] = true
			}
		}
		return values
	}
	s := sets{
		minute: expand(f[0], 0, 59), hour: expand(f[1], 0, 23), dom: expand(f[2], 1, 31),
		month: expand(f[3], 1, 12), dow: expand(f[4], 0, 6),
		domAny: f[2][0] == '*', dowAny: f[4][0] == '*',
	}
	if s.dow[7] {
		s.dow[0] = true
	}
	s.elapsed = len(s.hour) == 24 || len(s.hour) > 1 && strings.ContainsAny(f[1], "*/")
	return s
}

func (s sets) match(civil int64) bool {
	at := time.Unix(civil*60, 0).UTC()
	if !s.minute[at.Minute()] || !s.hour[at.Hour()] || !s.month[int(at.Month())] {
		return false
	}
	dom, dow := s.dom[at.Day()], s.dow[int(at.Weekday())]
	if s.domAny || s.dowAny {
		return dom && dow
	}
	return dom || dow
}

// film is what a zone's clock showed, minute by minute.
type film struct {
	start int64 // in minutes
	shown []int64
}

func record(t testing.TB, zone *time.Location, from, until time.Time) film {
	t.Helper()
	f := film{start: from.Unix() / 60}
	for m := f.start; m <= until.Unix()/60; m++ {
		at := time.Unix(m*60, 0).In(zone)
		year, month, dom := at.Date()
		if at.Second() != 0 {
			t.Fatalf("%s: offset with seconds", at)
		}
		civil := time.Date(year, month, dom, at.Hour(), at.Minute(), 0, 0, time.UTC)
		f.shown = append(f.shown, civil.Unix()/60)
	}
	return f
}

// slots watches the film and notes each instant at which an expression is due.
func (f film) slots(s sets) []int64 {
	var due []int64
	furthest := f.shown[0]
	for i := 1; i < len(f.shown); i++ {
		now, fire := f.shown[i], false
		if s.elapsed {
			fire = s.match(now)
			skipped := now - f.shown[i-1] - 1
			for m := f.shown[i-1] + 1; m < now && !fire; m++ {
				fire = s.match(m) && !s.match(m+skipped)
			}
		} else {
			for ; furthest < now; furthest++ {
				fire = fire || s.match(furthest+1)
			}
		}
		if fire {
			due = append(due, (f.start+int64(i))*60)
		}
	}
	return due
}
