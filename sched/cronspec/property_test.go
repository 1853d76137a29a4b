package cronspec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// The years around which clock changes are tried: twenty before and after 2026.
const (
	firstYear = 2006
	lastYear  = 2047
)

// TestSlotsAreThoseOfBruteForce watches zones' clocks minute by minute around
// their changes and compares what random expressions should have done with Next,
// Last and Count. With -all-zones it takes every change of every zone.
func TestSlotsAreThoseOfBruteForce(t *testing.T) {
	share, pinnedShare, each := 0.008, 0.2, 5
	if *allZones {
		share, pinnedShare, each = 1, 1, 10
	}
	pick := rand.New(rand.NewPCG(7, 11))
	tried := 0
	for _, name := range zoneNames(t) {
		zone := mustZone(t, name)
		for _, change := range changes(zone, firstYear, lastYear) {
			if luck := pick.Float64(); luck >= share && !(pinned[name] && luck < pinnedShare) {
				continue
			}
			tried++
			compare(t, zone, change, pick, each)
			if t.Failed() {
				return
			}
		}
	}
	if tried < 150 {
		t.Fatalf("only %d clock changes tried", tried)
	}
	t.Logf("%d clock changes, %d expressions at each", tried, each)
}

// pinned are zones of which more is tried: a half-hour shift, a skipped
// day, gaps at midnight, changes with the moon, a whole zone moved.
var pinned = map[string]bool{
	"Australia/Lord_Howe": true, "Pacific/Apia": true, "Asia/Beirut": true, "Africa/Casablanca": true,
	"America/Caracas": true, "Asia/Pyongyang": true, "Antarctica/Troll": true, "America/Nuuk": true,
}

func compare(t *testing.T, zone *time.Location, change time.Time, pick *rand.Rand, each int) {
	from, until := change.Add(-60*time.Hour), change.Add(60*time.Hour)
	seen := record(t, zone, from.Add(-30*time.Hour), until)
	for range each {
		expr := randomExpr(pick, change)
		spec, err := Parse(expr, "", zone)
		if err != nil {
			if !strings.Contains(err.Error(), "never") {
				t.Fatalf("%s: %v", expr, err)
			}
			continue
		}
		label := fmt.Sprintf("%s in %s around %s", expr, zone, change.UTC().Format(time.RFC3339))
		due := seen.slots(naive(expr))
		for len(due) > 0 && due[0] <= from.Unix() {
			due = due[1:]
		}
		compareNext(t, label, spec, from, until, due)
		for range 4 {
			a := from.Unix() + pick.Int64N(until.Unix()-from.Unix())
			b := a + pick.Int64N(until.Unix()-a)
			if len(due) > 0 && pick.IntN(2) == 0 {
				a = due[pick.IntN(len(due))] - pick.Int64N(2)
				b = max(a, due[pick.IntN(len(due))]-pick.Int64N(2))
			}
			compareSpan(t, label, spec, a, b, due)
		}
	}
}

func compareNext(t *testing.T, label string, spec Spec, from, until time.Time, due []int64) {
	at := from
	for i := 0; ; i++ {
		next := spec.Next(at)
		if !next.After(at) {
			t.Fatalf("%s: the slot after %s is %s", label, at, next)
		}
		switch {
		case next.After(until) && i == len(due):
			return
		case next.After(until):
			t.Fatalf("%s: nothing after %s, want %s", label, at.In(spec.Zone()), time.Unix(due[i], 0).In(spec.Zone()))
		case i >= len(due):
			t.Fatalf("%s: %s is too many", label, next)
		case next.Unix() != due[i]:
			t.Fatalf("%s: slot %s, want %s", label, next, time.Unix(due[i], 0).In(spec.Zone()))
		}
		at = next
	}
}

func compareSpan(t *testing.T, label string, spec Spec, a, b int64, due []int64) {
	count, last := 0, int64(0)
	for _, d := range due {
		if d > a && d <= b {
			count, last = count+1, d
		}
	}
	after, until := time.Unix(a, 0), time.Unix(b, 0)
	if got := spec.Count(after, until, 1<<30); got != count {
		t.Fatalf("%s: %d slots in (%s, %s], want %d", label, got, after.In(spec.Zone()), until.In(spec.Zone()), count)
	}
	if got := spec.Count(after, until, 3); got != min(3, count) {
		t.Fatalf("%s: %d slots, at most 3, want %d", label, got, min(3, count))
	}
	got, ok := spec.Last(after, until)
	if ok != (count > 0) || ok && got.Unix() != last {
		t.Fatalf("%s: last slot in (%s, %s] is %s, want %s", label, after.In(spec.Zone()), until.In(spec.Zone()), got, time.Unix(last, 0).In(spec.Zone()))
	}
}

// randomExpr makes an expression that is likely to have slots near an instant.
func randomExpr(pick *rand.Rand, near time.Time) string {
	num := func(low, high int) int { return low + pick.IntN(high-low+1) }
	some := func(low, high, around int) string {
		if pick.IntN(3) == 0 {
			around = num(low, high)
		}
		around = min(max(around, low), high)
		switch pick.IntN(6) {
		case 0:
			return fmt.Sprint(around)
		case 1:
			return fmt.Sprintf("%d-%d", num(low, around), num(around, high))
		case 2:
			return fmt.Sprintf("%d-%d/%d", num(low, around), num(around, high), num(1, 5))
		case 3:
			return fmt.Sprintf("%d/%d", num(low, around), num(1, min(30, high)))
		case 4:
			return fmt.Sprintf("%d,%d", around, num(low, high))
		}
		return fmt.Sprintf("*/%d", num(1, min(30, high)))
	}
	maybe := func(odds int, text string) string {
		if pick.IntN(odds) > 0 {
			return "*"
		}
		return text
	}
	local := near.Add(-time.Minute)
	minute, hour := some(0, 59, num(0, 59)), some(0, 23, local.Hour()+num(0, 1))
	switch pick.IntN(6) {
	case 0, 1:
		minute = fmt.Sprint(15 * num(0, 3))
	case 2:
		minute = "*"
	}
	if pick.IntN(4) == 0 {
		hour = "*"
	}
	return strings.Join([]string{
		minute, hour, maybe(4, some(1, 31, local.Day())),
		maybe(6, some(1, 12, int(local.Month()))), maybe(4, some(0, 7, int(local.Weekday()))),
	}, " ")
}
