package cronspec

import (
	"testing"
	"time"
)

var benchExprs = []string{"* * * * *", "*/15 9-17 * * mon-fri", "0 2 * * *", "30 2 1 * *", "0 0 29 2 *", "0 0 29 2 */6", "@hourly", "0 */2 * * *", "0 0 13 * fri", "@every 90s"}

func benchSpecs(b *testing.B, n int) []Spec {
	b.Helper()
	var specs []Spec
	zones := []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca"}
	for i := range n {
		spec, err := Parse(benchExprs[i%len(benchExprs)], zones[i%len(zones)], time.UTC)
		if err != nil {
			b.Fatal(err)
		}
		specs = append(specs, spec)
	}
	return specs
}

// BenchmarkThousandSchedules is what a resident tick asks of this package: the next
// slot of each, and the last and the number of those in between.
func BenchmarkThousandSchedules(b *testing.B) {
	specs := benchSpecs(b, 1000)
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for b.Loop() {
		for i := range specs {
			specs[i].Next(now)
			specs[i].Last(now.Add(-time.Minute), now)
			specs[i].Count(now.Add(-time.Minute), now, 100)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	for _, expr := range benchExprs {
		b.Run(expr, func(b *testing.B) {
			spec, err := Parse(expr, "Europe/Berlin", time.UTC)
			if err != nil {
				b.Fatal(err)
			}
			at := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
			for b.Loop() {
				spec.Next(at)
			}
		})
	}
}

// BenchmarkCountAYearOfMinutes is the longest that anybody was down, with the
// schedule that has the most to miss.
func BenchmarkCountAYearOfMinutes(b *testing.B) {
	spec, err := Parse("* * * * *", "Europe/Berlin", time.UTC)
	if err != nil {
		b.Fatal(err)
	}
	until := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for b.Loop() {
		spec.Count(until.AddDate(-1, 0, 0), until, 1<<30)
	}
}

func BenchmarkCrontabLines(b *testing.B) {
	spec, err := Parse("*/15 9-17 * * mon-fri", "America/New_York", time.UTC)
	if err != nil {
		b.Fatal(err)
	}
	host, now := mustZone(b, "Europe/Berlin"), time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for b.Loop() {
		if _, err := spec.CrontabLines(host, now); err != nil {
			b.Fatal(err)
		}
	}
}
