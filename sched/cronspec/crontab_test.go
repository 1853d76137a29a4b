package cronspec

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var linesFrom = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestCrontabLines(t *testing.T) {
	for _, c := range []struct {
		expr, zone, host string
		want             []string
	}{
		{"0 2 * * *", "UTC", "UTC", []string{"0 2 * * *"}},
		{"*/15 9-17 * * mon-fri", "UTC", "Etc/UTC", []string{"*/15 9-17 * * 1-5"}},
		{"@weekly", "UTC", "Africa/Abidjan", []string{"0 0 * * 0"}},
		{"5/20 4 * * 7", "Asia/Tokyo", "Asia/Tokyo", []string{"5-59/20 4 * * 0"}},
		// At the gap's end, for a cron that knows nothing of gaps.
		{"0 2 * * *", "Europe/Berlin", "Europe/Berlin", []string{"0 2 * * *", "0 3 25-31 3 *"}},
		{"0 2 * * *", "Europe/Berlin", "Europe/Paris", []string{"0 2 * * *", "0 3 25-31 3 *"}},
		{"0 4 * * *", "Europe/Berlin", "Europe/Berlin", []string{"0 4 * * *"}},
		{"30 * * * *", "Europe/Berlin", "Europe/Berlin", []string{"30 * * * *"}},
		// Other zones: each offset, and what goes over midnight.
		{"0 2 * * *", "Asia/Tokyo", "UTC", []string{"0 17 * * *"}},
		{"0 2 * * 1", "Asia/Tokyo", "UTC", []string{"0 17 * * 0"}},
		{"0 22 * * fri,sat", "UTC", "Asia/Tokyo", []string{"0 7 * * 0,6"}},
		{"0 2 1 * *", "Asia/Tokyo", "UTC", []string{"0 17 28-31 * *"}},
		{"0 2 1 3 *", "Asia/Tokyo", "UTC", []string{"0 17 28,29 2 *"}},
		{"0 20 31 12 *", "UTC", "Asia/Tokyo", []string{"0 5 1 1 *"}},
		{"0 2 1 * mon", "Asia/Tokyo", "UTC", []string{"0 17 28-31 * 0"}},
		{"0 2 15 3 mon", "Asia/Tokyo", "UTC", []string{"0 17 14 2,3 0"}},
		{"0 2 1-30 * mon", "Asia/Tokyo", "UTC", []string{"0 17 * * *"}},
		{"0 2 */2 * mon", "Asia/Tokyo", "UTC", []string{"0 17 * * 0"}},
		{"0 2 * 1 *", "Asia/Tokyo", "UTC", []string{"0 17 * 1,12 *"}},
		{"0 2 * * *", "Asia/Kolkata", "UTC", []string{"30 20 * * *"}},
		{"*/30 * * * *", "Asia/Kathmandu", "UTC", []string{"15,45 * * * *"}},
		{"0 9 * * *", "UTC", "Europe/Berlin", []string{"0 10,11 * * *"}},
		{"0 9 * * *", "Europe/Berlin", "UTC", []string{"0 7,8 * * *"}},
		{"0 23 * * *", "UTC", "Europe/Berlin", []string{"0 0,1 * * *"}},
		{"30 22 * * 5", "UTC", "Europe/Berlin", []string{"30 23 * * 5", "30 0 * * 6"}},
		// 01:30 in UTC is 02:30 in Berlin for the second time, where cron calls only lines with a *.
		{"30 1 * * *", "UTC", "Europe/Berlin", []string{"30 2,3 * * *", "30 * 25-31 10 *"}},
		{"* * * * *", "America/New_York", "Europe/Berlin", []string{"* * * * *"}},
	} {
		spec, err := Parse(c.expr, c.zone, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		got, err := spec.CrontabLines(mustZone(t, c.host), linesFrom)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s in %s, on a host in %s:\n  %q\nwant\n  %q", c.expr, c.zone, c.host, got, c.want)
		}
	}
}

// TestCrontabLinesMissNoSlot asks Next for a year's slots and plays the host's
// cron: one that fires whatever its clock shows, but in the second pass of a
// repeated hour only what has a * for its minute or hour.
func TestCrontabLinesMissNoSlot(t *testing.T) {
	pairs, spans := 150, 3
	if *allZones {
		pairs, spans = 4000, 4
	}
	names := zoneNames(t)
	pick := rand.New(rand.NewPCG(3, 5))
	some := func() *time.Location {
		if fixed := []string{"Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"}; pick.IntN(2) == 0 {
			return mustZone(t, fixed[pick.IntN(len(fixed))])
		}
		return mustZone(t, names[pick.IntN(len(names))])
	}
	slots := 0
	for range pairs {
		zone, host := some(), some()
		if pick.IntN(4) == 0 {
			host = zone
		}
		near := linesFrom
		if c := changes(zone, 2026, 2054); len(c) > 0 {
			near = c[pick.IntN(len(c))]
		}
		spec, err := Parse(randomExpr(pick, near), "", zone)
		if err != nil {
			continue
		}
		lines, err := spec.CrontabLines(host, linesFrom)
		if err != nil {
			t.Fatal(err)
		}
		play := newCron(host, lines)
		starts := []time.Time{linesFrom, near}
		for _, c := range [][]time.Time{changes(zone, 2027, 2054), changes(host, 2027, 2054)} {
			for range spans {
				if len(c) > 0 {
					starts = append(starts, c[pick.IntN(len(c))])
				}
			}
		}
		for _, start := range starts {
			at := spec.Next(start.Add(-25 * time.Hour))
			for n := 0; n < 400 && at.Before(start.Add(200*24*time.Hour)); n++ {
				if at.After(linesFrom) && !play.calls(at) {
					t.Fatalf("%s in %s, due at %s: on a host in %s, at %s, none of %q is called", spec, zone, at, host, at.In(host), lines)
				}
				slots++
				at = spec.Next(at)
			}
		}
	}
	if slots < 10_000 {
		t.Fatalf("only %d slots looked at", slots)
	}
}

// hostCron is a cron in the host's zone.
type hostCron struct {
	host  *time.Location
	lines []sets
	wild  []bool
}

func newCron(host *time.Location, lines []string) hostCron {
	c := hostCron{host: host}
	for _, l := range lines {
		f := strings.Fields(l)
		c.lines = append(c.lines, naive(l))
		c.wild = append(c.wild, f[0][0] == '*' || f[1][0] == '*')
	}
	return c
}

func (c hostCron) calls(at time.Time) bool {
	civil := func(at time.Time) int64 {
		_, ahead := at.In(c.host).Zone()
		return floorDiv(at.Unix()+int64(ahead), 60)
	}
	now := civil(at)
	again := false
	for _, back := range []time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour} {
		again = again || civil(at.Add(-back)) >= now
	}
	for i, l := range c.lines {
		if l.match(now) && (c.wild[i] || !again) {
			return true
		}
	}
	return false
}

func TestCrontabLinesAreTheSameFromYearToYear(t *testing.T) {
	for _, c := range [][3]string{
		{"0 2 * * *", "Europe/Berlin", "Europe/Berlin"}, {"30 1 * * *", "UTC", "Europe/Berlin"},
		{"15 2 13 * fri", "America/New_York", "Australia/Lord_Howe"}, {"@hourly", "America/Santiago", "America/Sao_Paulo"},
	} {
		spec, err := Parse(c[0], c[1], time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		var first string
		for month := range 40 {
			lines, err := spec.CrontabLines(mustZone(t, c[2]), linesFrom.AddDate(0, month, month))
			if err != nil {
				t.Fatal(err)
			}
			switch got := fmt.Sprint(lines); {
			case month == 0:
				first = got
			case got != first:
				t.Errorf("%v: %s, %d months later %s", c, first, month, got)
			}
		}
	}
}

func TestCrontabHasNoLinesForIntervals(t *testing.T) {
	for expr, fix := range map[string]string{"@every 5m": "*/5 * * * *", "@every 90s": "0 * * * *", "@every 2h": "0 * * * *"} {
		spec, err := Parse(expr, "", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := spec.CrontabLines(time.UTC, linesFrom)
		var refusal *Error
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), "`"+fix+"`") || !strings.Contains(err.Error(), "daemon's scheduler") {
			t.Errorf("%s: %q, %v", expr, lines, err)
		}
	}
}
