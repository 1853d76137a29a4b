package cronspec

import (
	"testing"
	"time"
)

// TestInstantsAtClockChanges is the rules as a table: what is due around clocks
// that go forward and back, in each zone's own time.
func TestInstantsAtClockChanges(t *testing.T) {
	for _, c := range []struct {
		name, zone, expr, after string
		due                     []string
	}{
		// 29 March 2026, 02:00 becomes 03:00; 25 October 2026, 03:00 becomes 02:00.
		{"north, forward: a skipped time is due at the gap's end", "Europe/Berlin", "30 2 * * *", "2026-03-28T00:00:00+01:00",
			[]string{"2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"}},
		{"north, forward: several skipped times are one slot", "Europe/Berlin", "*/10 2 * * *", "2026-03-28T02:50:00+01:00",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"}},
		{"north, forward: the gap's end is no second slot", "Europe/Berlin", "0 2-3 * * *", "2026-03-28T12:00:00+01:00",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00", "2026-03-30T03:00:00+02:00"}},
		{"north, forward: hourly on the hour", "Europe/Berlin", "@hourly", "2026-03-29T00:00:00+01:00",
			[]string{"2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T04:00:00+02:00"}},
		{"north, forward: hourly at half past stays an hour apart", "Europe/Berlin", "30 * * * *", "2026-03-29T01:00:00+01:00",
			[]string{"2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00", "2026-03-29T04:30:00+02:00"}},
		{"north, forward: every second hour makes up for the skipped one", "Europe/Berlin", "0 */2 * * *", "2026-03-28T23:00:00+01:00",
			[]string{"2026-03-29T00:00:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T04:00:00+02:00"}},
		{"north, back: a repeated time is due at the first", "Europe/Berlin", "30 2 * * *", "2026-10-24T12:00:00+02:00",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"}},
		{"north, back: minutes of a fixed hour are not repeated", "Europe/Berlin", "*/20 2 * * *", "2026-10-25T00:00:00+02:00",
			[]string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:20:00+02:00", "2026-10-25T02:40:00+02:00", "2026-10-26T02:00:00+01:00"}},
		{"north, back: hourly is due in both hours", "Europe/Berlin", "@hourly", "2026-10-25T01:00:00+02:00",
			[]string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T03:00:00+01:00"}},
		{"north, back: a list of hours is fixed times", "Europe/Berlin", "0 1,2,3 * * *", "2026-10-25T00:00:00+02:00",
			[]string{"2026-10-25T01:00:00+02:00", "2026-10-25T02:00:00+02:00", "2026-10-25T03:00:00+01:00"}},
		{"north, back: all hours as a range are hourly", "Europe/Berlin", "0 0-23 * * *", "2026-10-25T01:00:00+02:00",
			[]string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"}},

		// 4 October 2026, 02:00 becomes 03:00; 5 April 2026, 03:00 becomes 02:00.
		{"south, forward: fixed", "Australia/Sydney", "15 2 * * *", "2026-10-03T12:00:00+10:00",
			[]string{"2026-10-04T03:00:00+11:00", "2026-10-05T02:15:00+11:00"}},
		{"south, forward: hourly", "Australia/Sydney", "15 * * * *", "2026-10-04T01:00:00+10:00",
			[]string{"2026-10-04T01:15:00+10:00", "2026-10-04T03:15:00+11:00"}},
		{"south, back: fixed", "Australia/Sydney", "15 2 * * *", "2026-04-04T12:00:00+11:00",
			[]string{"2026-04-05T02:15:00+11:00", "2026-04-06T02:15:00+10:00"}},
		{"south, back: hourly", "Australia/Sydney", "15 * * * *", "2026-04-05T02:00:00+11:00",
			[]string{"2026-04-05T02:15:00+11:00", "2026-04-05T02:15:00+10:00", "2026-04-05T03:15:00+10:00"}},

		// 6 September 2026, 00:00 becomes 01:00; 5 April 2026, 00:00 becomes 23:00 of the day before.
		{"midnight, forward: fixed", "America/Santiago", "@daily", "2026-09-05T12:00:00-04:00",
			[]string{"2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00"}},
		{"midnight, forward: a weekday that begins in the gap", "America/Santiago", "@weekly", "2026-08-31T00:00:00-04:00",
			[]string{"2026-09-06T01:00:00-03:00", "2026-09-13T00:00:00-03:00"}},
		{"midnight, forward: hourly", "America/Santiago", "0 * * * *", "2026-09-05T22:30:00-04:00",
			[]string{"2026-09-05T23:00:00-04:00", "2026-09-06T01:00:00-03:00", "2026-09-06T02:00:00-03:00"}},
		{"midnight, back: fixed before it", "America/Santiago", "30 23 * * *", "2026-04-04T12:00:00-03:00",
			[]string{"2026-04-04T23:30:00-03:00", "2026-04-05T23:30:00-04:00"}},
		{"midnight, back: fixed at it, after the hour is over", "America/Santiago", "@daily", "2026-04-04T12:00:00-03:00",
			[]string{"2026-04-05T00:00:00-04:00", "2026-04-06T00:00:00-04:00"}},
		{"midnight, back: hourly", "America/Santiago", "@hourly", "2026-04-04T22:00:00-03:00",
			[]string{"2026-04-04T23:00:00-03:00", "2026-04-04T23:00:00-04:00", "2026-04-05T00:00:00-04:00"}},

		// 4 October 2026, 02:00 becomes 02:30; 5 April 2026, 02:00 becomes 01:30.
		{"half an hour, forward: fixed in it", "Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12:00:00+10:30",
			[]string{"2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"}},
		{"half an hour, forward: fixed at its end", "Australia/Lord_Howe", "30 2 * * *", "2026-10-03T12:00:00+10:30",
			[]string{"2026-10-04T02:30:00+11:00", "2026-10-05T02:30:00+11:00"}},
		{"half an hour, forward: hourly, its minute skipped", "Australia/Lord_Howe", "@hourly", "2026-10-04T00:30:00+10:30",
			[]string{"2026-10-04T01:00:00+10:30", "2026-10-04T02:30:00+11:00", "2026-10-04T03:00:00+11:00"}},
		{"half an hour, forward: every half hour goes on", "Australia/Lord_Howe", "*/30 * * * *", "2026-10-04T01:00:00+10:30",
			[]string{"2026-10-04T01:30:00+10:30", "2026-10-04T02:30:00+11:00", "2026-10-04T03:00:00+11:00"}},
		{"half an hour, back: fixed", "Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12:00:00+11:00",
			[]string{"2026-04-05T01:45:00+11:00", "2026-04-06T01:45:00+10:30"}},
		{"half an hour, back: hourly, its minute repeated", "Australia/Lord_Howe", "45 * * * *", "2026-04-05T01:00:00+11:00",
			[]string{"2026-04-05T01:45:00+11:00", "2026-04-05T01:45:00+10:30", "2026-04-05T02:45:00+10:30"}},

		// 29 October 2021, 01:00 became 00:00; 25 February 2022, 00:00 became 01:00,
		// and there it stayed: nothing happened on 28 October 2022.
		{"dropped, the last way back: fixed", "Asia/Amman", "30 0 * * *", "2021-10-28T12:00:00+03:00",
			[]string{"2021-10-29T00:30:00+03:00", "2021-10-30T00:30:00+02:00"}},
		{"dropped, the last way back: hourly", "Asia/Amman", "@hourly", "2021-10-28T23:00:00+03:00",
			[]string{"2021-10-29T00:00:00+03:00", "2021-10-29T00:00:00+02:00", "2021-10-29T01:00:00+02:00"}},
		{"dropped, the last way forward: fixed", "Asia/Amman", "30 0 * * *", "2022-02-24T12:00:00+02:00",
			[]string{"2022-02-25T01:00:00+03:00", "2022-02-26T00:30:00+03:00"}},
		{"dropped, the last way forward: hourly", "Asia/Amman", "30 * * * *", "2022-02-24T23:00:00+02:00",
			[]string{"2022-02-24T23:30:00+02:00", "2022-02-25T01:30:00+03:00"}},
		{"dropped: no way back", "Asia/Amman", "30 0 * * *", "2022-10-27T12:00:00+03:00",
			[]string{"2022-10-28T00:30:00+03:00", "2022-10-29T00:30:00+03:00"}},
		{"dropped: hourly goes on", "Asia/Amman", "@hourly", "2022-10-27T23:30:00+03:00",
			[]string{"2022-10-28T00:00:00+03:00", "2022-10-28T01:00:00+03:00", "2022-10-28T02:00:00+03:00"}},

		// 24 September 2011, 03:00 became 04:00; after 29 December 2011 came the 31st;
		// 1 April 2012, 04:00 became 03:00.
		{"skipped day, forward before it: fixed", "Pacific/Apia", "30 3 * * *", "2011-09-23T12:00:00-11:00",
			[]string{"2011-09-24T04:00:00-10:00", "2011-09-25T03:30:00-10:00"}},
		{"skipped day: a time on it is due when it would have been over", "Pacific/Apia", "0 12 * * *", "2011-12-29T00:00:00-10:00",
			[]string{"2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00"}},
		{"skipped day: midnight of the next is the same slot", "Pacific/Apia", "@daily", "2011-12-29T00:00:00-10:00",
			[]string{"2011-12-31T00:00:00+14:00", "2012-01-01T00:00:00+14:00"}},
		{"skipped day: its date alone", "Pacific/Apia", "0 9 30 12 *", "2011-01-01T00:00:00-10:00",
			[]string{"2011-12-31T00:00:00+14:00", "2012-12-30T09:00:00+14:00"}},
		{"skipped day: hourly goes on", "Pacific/Apia", "30 * * * *", "2011-12-29T23:00:00-10:00",
			[]string{"2011-12-29T23:30:00-10:00", "2011-12-31T00:30:00+14:00", "2011-12-31T01:30:00+14:00"}},
		{"skipped day, back after it: fixed", "Pacific/Apia", "30 3 * * *", "2012-03-31T12:00:00+14:00",
			[]string{"2012-04-01T03:30:00+14:00", "2012-04-02T03:30:00+13:00"}},
		{"skipped day, back after it: hourly", "Pacific/Apia", "@hourly", "2012-04-01T02:30:00+14:00",
			[]string{"2012-04-01T03:00:00+14:00", "2012-04-01T03:00:00+13:00", "2012-04-01T04:00:00+13:00"}},

		// The day and month rules, far from any change.
		{"29 February", "Europe/Berlin", "0 0 29 2 *", "2096-03-01T00:00:00+01:00", []string{"2104-02-29T00:00:00+01:00"}},
		{"either day is enough", "UTC", "0 0 13 * fri", "2026-11-01T00:00:00Z",
			[]string{"2026-11-06T00:00:00Z", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z", "2026-12-04T00:00:00Z", "2026-12-11T00:00:00Z", "2026-12-13T00:00:00Z"}},
		{"a field that begins with * does not restrict", "UTC", "0 0 */2 * mon", "2026-11-01T00:00:00Z",
			[]string{"2026-11-09T00:00:00Z", "2026-11-23T00:00:00Z", "2026-12-07T00:00:00Z"}},
		{"Sunday is 0 and 7", "UTC", "0 0 * * 7", "2026-11-01T00:00:00Z", []string{"2026-11-08T00:00:00Z", "2026-11-15T00:00:00Z"}},
		{"29 February on a Saturday", "UTC", "0 0 29 2 */6", "2026-01-01T00:00:00Z", []string{"2032-02-29T00:00:00Z", "2048-02-29T00:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			zone := mustZone(t, c.zone)
			spec, err := Parse(c.expr, c.zone, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			start, err := time.ParseInLocation(time.RFC3339, c.after, zone)
			if err != nil {
				t.Fatal(err)
			}
			at := start
			for i, want := range c.due {
				at = spec.Next(at)
				if got := at.Format(time.RFC3339); got != want {
					t.Fatalf("slot %d of %q is %s, want %s", i, c.expr, got, want)
				}
				if last, ok := spec.Last(start, at); !ok || !last.Equal(at) {
					t.Errorf("the last slot up to %s is %s", want, last)
				}
				if last, ok := spec.Last(start, at.Add(-time.Second)); ok != (i > 0) {
					t.Errorf("the last slot before %s is %s, %t", want, last, ok)
				}
				if n := spec.Count(start, at, 100); n != i+1 {
					t.Errorf("%d slots up to %s, want %d", n, want, i+1)
				}
			}
		})
	}
}

func TestSlotsAreInTheSpecsZone(t *testing.T) {
	for _, expr := range []string{"0 2 * * *", "*/5 * * * *", "@every 1h"} {
		spec, err := Parse("CRON_TZ=Asia/Kathmandu "+expr, "", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		if spec.String() != expr {
			t.Errorf("String is %q, want %q", spec, expr)
		}
		if zone := spec.Next(time.Unix(1e9, 0)).Location(); zone != spec.Zone() || zone.String() != "Asia/Kathmandu" {
			t.Errorf("%s: a slot in %s", expr, zone)
		}
	}
}
