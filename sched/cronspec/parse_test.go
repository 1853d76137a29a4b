package cronspec

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
)

var quoted = regexp.MustCompile("`([^`]+)`")

// refused are expressions that Parse turns down: what it says of them, and what it
// shows to write instead.
var refused = []struct {
	name, expr       string
	field, what, fix string
}{
	{"seconds", "0 0 2 * * *", "seconds", "it has 6 fields, and cron has none for seconds", "0 2 * * *"},
	{"seconds, Quartz's way", "0 0 12 * * ?", "seconds", "cron has none for seconds", "0 12 * * *"},
	{"seconds by a step", "*/30 * * * * *", "seconds", "cron has none for seconds", "@every 30s"},
	{"every second", "* * * * * *", "seconds", "cron has none for seconds", "@every 1s"},
	{"seconds in an odd expression", "0 0 12 L * ?", "seconds", "cron has none for seconds: it has minute", "0 2 * * *"},
	{"seconds and a year", "0 0 2 * * ? 2030", "seconds", "it has 7 fields, and cron has none for seconds and years", "0 2 * * *"},
	{"a year", "0 2 * * * 2030", "year", "it has 6 fields, and cron has none for the year", "0 2 * * *"},
	{"a command", "0 2 * * 1 backup", "expression", "what comes after the fifth is not part of the expression", "0 2 * * 1"},
	{"eight fields", "0 2 * * 1 /bin/sh -c true", "expression", "it has 8 fields", "0 2 * * *"},

	{"L for the last day", "0 2 L * *", "day of month", "L, the last day of the month, is a sign of Quartz", "0 2 28-31 * *"},
	{"L with an offset", "0 2 L-3 * *", "day of month", "L, the last day of the month", "0 2 28-31 * *"},
	{"LW", "0 2 LW * *", "day of month", "L, the last day of the month", "0 2 28-31 * *"},
	{"W for the nearest working day", "0 2 15W * *", "day of month", "W, the nearest working day, is a sign of Quartz", "0 2 15 * *"},
	{"W alone", "0 2 W * *", "day of month", "W is a sign of Quartz", "0 2 1 * *"},
	{"L for the last Friday", "0 2 * * 5L", "day of week", "L, the last of the month, is a sign of Quartz", "0 2 * * fri"},
	{"L for Saturday", "0 2 * * L", "day of week", "L, the last of the month, is a sign of Quartz", "0 2 * * sat"},
	{"# for the second Monday", "0 2 * * mon#2", "day of week", "#, the n-th weekday of the month", "0 2 * * mon"},
	{"# by number", "0 2 * * 7#1", "day of week", "#, the n-th weekday of the month", "0 2 * * sun"},
	{"?", "0 2 ? * 1", "day of month", "? is a sign of Quartz; cron has * for any value", "0 2 * * 1"},
	{"? in the last field", "0 2 1 * ?", "day of week", "? is a sign of Quartz", "0 2 1 * *"},
	{"H", "H 2 * * *", "minute", "H is a sign of Jenkins", "17 2 * * *"},
	{"H with a step", "H/15 * * * *", "minute", "H is a sign of Jenkins", "*/15 * * * *"},
	{"H with a range", "0 H(1-5) * * *", "hour", "H is a sign of Jenkins", "0 3 * * *"},
	{"~", "0~30 2 * * *", "minute", "~ stands for a random value", "17 2 * * *"},

	{"@reboot", "@reboot", "@reboot", "the machine's start is not an instant that a clock can tell", "@daily"},
	{"a word with a slip", "@dayly", "@dayly", "not a word that cron knows", "@daily"},
	{"a word in capitals", "@Hourly", "@Hourly", "not a word that cron knows", "@hourly"},
	{"a word that is none", "@fortnightly", "@fortnightly", "not a word that cron knows", "0 2 * * *"},
	{"@every with a slip", "@evry 5m", "@evry", "not a word that cron knows", "@every 5m"},
	{"@every with two slips", "@evry 5x", "@evry", "not a word that cron knows", "@every 90s"},
	{"a word and more", "@daily 5", "@daily", `nothing may follow it, and "5" does`, "@daily"},
	{"a word without its @", "hourly", "expression", "it has one field", "@hourly"},
	{"a time of day", "02:30", "expression", "it has one field", "30 2 * * *"},

	{"@every alone", "@every", "@every", "no time span follows", "@every 90s"},
	{"@every nothing", "@every 0s", "@every", "must be more than nothing", "@every 90s"},
	{"@every backwards", "@every -5m", "@every", "must be more than nothing", "@every 90s"},
	{"@every half a second", "@every 500ms", "@every", "more often than once a second", "@every 1s"},
	{"@every one and a half", "@every 1500ms", "@every", "whole seconds", "@every 2s"},
	{"@every in words", "@every 5 minutes", "@every", "not a time span that is written in h, m and s", "@every 5m"},
	{"@every in days", "@every 2d", "@every", "not a time span that is written in h, m and s", "@every 48h"},
	{"@every a bare number", "@every 90", "@every", "not a time span that is written in h, m and s", "@every 90s"},
	{"@every junk", "@every now and then", "@every", `"now and then" is not a time span`, "@every 1h30m"},
	{"@every without a blank", "@every90m", "@every90m", "a blank goes between", "@every 1h30m"},

	{"30 February", "0 0 30 2 *", "day of month", "30 February never comes", "0 0 29 2 *"},
	{"31 of short months", "0 0 31 4,6,9,11 *", "day of month", "no month in 4,6,9,11 has a day 31", "0 0 30 4,6,9,11 *"},
	{"31 of one short month", "0 0 31 sep *", "day of month", "31 September never comes", "0 0 30 9 *"},
	{"30 and 31 February", "0 0 30-31 2 */2", "day of month", "30 February never comes", "0 0 29 2 */2"},

	{"nothing", "", "expression", "it is empty", "0 2 * * *"},
	{"blanks", " \t ", "expression", "it is empty", "0 2 * * *"},
	{"four fields", "0 2 * *", "expression", "it has 4 fields; five are needed", "0 2 * * *"},
	{"two fields", "0 4", "expression", "it has 2 fields; five are needed", "0 4 * * *"},
	{"a line break", "0 2 * * *\n* * * * * rm", "expression", "a line break", "0 2 * * *"},
	{"too long", strings.Repeat("0,", 600) + "0 2 * * *", "expression", "longer than 1000 characters", "*/5 9-17 * * *"},

	{"an empty prefix", "CRON_TZ= 0 2 * * *", "time zone", "the prefix CRON_TZ= names no zone", "CRON_TZ=UTC 0 2 * * *"},
	{"an empty short prefix", "TZ= @daily", "time zone", "the prefix TZ= names no zone", "TZ=UTC @daily"},
	{"a prefix alone", "CRON_TZ=UTC", "expression", "nothing comes after the zone", "CRON_TZ=UTC 0 2 * * *"},
	{"two prefixes", "TZ=UTC CRON_TZ=UTC 0 2 * * *", "prefix", "more than one prefix", "TZ=UTC 0 2 * * *"},
	{"another variable", "ZONE=UTC 0 3 * * *", "prefix", "only CRON_TZ= and TZ= may come before the fields", "CRON_TZ=UTC 0 3 * * *"},

	{"minute 60", "60 2 * * *", "minute", "60 is not between 0 and 59", "0 2 * * *"},
	{"minute 75", "75 2 * * *", "minute", "75 is not between 0 and 59", "59 2 * * *"},
	{"hour 24", "0 24 * * *", "hour", "24 is not between 0 and 23", "0 0 * * *"},
	{"day 0", "0 2 0 * *", "day of month", "0 is not between 1 and 31", "0 2 1 * *"},
	{"day 32", "0 2 32 * *", "day of month", "32 is not between 1 and 31", "0 2 31 * *"},
	{"month 0", "0 2 1 0 *", "month", "0 is not between 1 and 12", "0 2 1 1 *"},
	{"month 13", "0 2 1 13 *", "month", "13 is not between 1 and 12", "0 2 1 12 *"},
	{"weekday 8", "0 2 * * 8", "day of week", "8 is not between 0 and 7", "0 2 * * 6"},
	{"a huge number", "0 99999999999999999999 * * *", "hour", "is not between 0 and 23", "0 23 * * *"},
	{"below nothing", "-1 2 * * *", "minute", `"-1" has no number where one should be`, "0 2 * * *"},
	{"signed", "+5 2 * * *", "minute", `"+5" is not a number`, "0 2 * * *"},
	{"a fraction", "0 1.5 * * *", "hour", `"1.5" is not a number`, "0 2 * * *"},
	{"a time in a field", "0 02:00 * * *", "hour", "minute and hour are fields of their own", "0 2 * * *"},

	{"a step of 0", "*/0 * * * *", "minute", "a step of 0 never gets anywhere", "* * * * *"},
	{"a step of nothing", "*/ * * * *", "minute", `the step "" is not a number`, "*/2 * * * *"},
	{"two steps", "*/2/3 * * * *", "minute", `the step "2/3" is not a number`, "*/2 * * * *"},
	{"90 minutes", "*/90 * * * *", "minute", "a step of 90 minutes is longer than the field, which ends at 59", "@every 90m"},
	{"36 hours", "0 */36 * * *", "hour", "a step of 36 hours is longer than the field, which ends at 23", "@every 36h"},
	{"40 days", "0 0 */40 * *", "day of month", "a step of 40 days is longer than the field, which ends at 31", "0 0 1 * *"},

	{"hours over midnight", "0 22-6 * * *", "hour", "the range 22-6 ends before it begins", "0 22-23,0-6 * * *"},
	{"hours over midnight by a step", "0 22-4/2 * * *", "hour", "the range 22-4 ends before it begins", "0 22,0,2,4 * * *"},
	{"Friday to Sunday", "0 2 * * fri-sun", "day of week", "the range fri-sun ends before it begins", "0 2 * * fri-sat,sun"},
	{"Saturday to Monday", "0 2 * * 6-1", "day of week", "the range 6-1 ends before it begins", "0 2 * * sat,sun-mon"},
	{"November to January", "0 2 * nov-jan *", "month", "the range nov-jan ends before it begins", "0 2 * nov-dec,jan *"},
	{"an open range", "5- 2 * * *", "minute", `"5-" has no number where one should be`, "0 2 * * *"},
	{"a range with three ends", "1-2-3 2 * * *", "minute", `"1-2-3" has more than two ends`, "0-59 2 * * *"},
	{"* in a range", "*-5 2 * * *", "minute", `* stands for all values and cannot be part of "*-5"`, "* 2 * * *"},
	{"an empty place", "1,,2 2 * * *", "minute", "a list has an empty place", "1,2 2 * * *"},
	{"only a comma", ", 2 * * *", "minute", "a list has an empty place", "* 2 * * *"},

	{"a long name", "0 2 * * monday", "day of week", `"monday" is not a name that cron knows; names have three letters`, "0 2 * * mon"},
	{"a name with a slip", "0 2 * * mno", "day of week", "no name that cron knows", "0 2 * * mon"},
	{"a name in the wrong place", "0 2 * mon *", "month", `"mon" belongs into the field for the day of week`, "0 2 * feb *"},
	{"more than one fault", "61 25 * * *", "minute", "61 is not between 0 and 59", "59 2 * * *"},
}

// TestRefusedExpressionsNameTheFieldAndShowAFix also holds each fix to its word:
// what it shows to write is an expression that is taken.
func TestRefusedExpressionsNameTheFieldAndShowAFix(t *testing.T) {
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.expr, "", time.UTC)
			var refusal *Error
			if !errors.As(err, &refusal) || !errors.Is(err, ErrInvalid) {
				t.Fatalf("Parse(%q) = %v, want an *Error", c.expr, err)
			}
			if refusal.Field != c.field || !strings.Contains(refusal.What, c.what) {
				t.Errorf("field %q: %q\nwant  %q: …%q…", refusal.Field, refusal.What, c.field, c.what)
			}
			example := quoted.FindStringSubmatch(refusal.Fix)
			if example == nil || example[1] != c.fix {
				t.Fatalf("fix %q, want it to show %q", refusal.Fix, c.fix)
			}
			if _, err := Parse(example[1], "", time.UTC); err != nil {
				t.Errorf("the fix is refused as well: %v", err)
			}
			if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, refusal.What) || !strings.Contains(text, refusal.Fix) {
				t.Errorf("the message is %q", text)
			}
		})
	}
}

func TestEveryUsualFormIsTaken(t *testing.T) {
	for expr, plain := range map[string]string{
		"@hourly":                          "0 * * * *",
		"@daily":                           "0 0 * * *",
		"@midnight":                        "0 0 * * *",
		"@weekly":                          "0 0 * * 0",
		"@monthly":                         "0 0 1 * *",
		"@yearly":                          "0 0 1 1 *",
		"@annually":                        "0 0 1 1 *",
		"*/15 9-17 * * MON-Fri":            "*/15 9-17 * * 1-5",
		"  5   4\t1,15 jan,JUL * ":         "5 4 1,15 1,7 *",
		"05 04 * * sun":                    "5 4 * * 0",
		"0 2 * * 7":                        "0 2 * * 0",
		"0 2 * * 5-7":                      "0 2 * * 5,6,0",
		"0 2 * * 1-7/2":                    "0 2 * * 1,3,5,0",
		"0 2 * * 0-7":                      "0 2 * * 0,1,2,3,4,5,6,0",
		"5/20 * * * *":                     "5-59/20 * * * *",
		"0 2 * * 7/2":                      "0 2 * * 0",
		"1-5,30-40/5,55 */3 * */12 */7":    "1-5,30-40/5,55 */3 * */12 */7",
		"TZ=UTC 0 2 * * *":                 "0 2 * * *",
		"CRON_TZ=Asia/Tokyo\t0 2 29 2 */2": "0 2 29 2 */2",
	} {
		spec, err := Parse(expr, "", time.UTC)
		if err != nil {
			t.Errorf("%v", err)
		} else if got := strings.Join(spec.plain[:], " "); got != plain {
			t.Errorf("%q is read as %q, want %q", expr, got, plain)
		}
	}
}

func TestEveryIsElapsedTime(t *testing.T) {
	spec, err := Parse("@every 90s", "Europe/Berlin", nil)
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := spec.Every(); !ok || d != 90*time.Second {
		t.Errorf("every %s, %t", d, ok)
	}
	after := time.Date(2026, 3, 29, 0, 59, 30, 987654321, time.UTC) // 01:59:30 in Berlin, before the gap
	if got, want := spec.Next(after), after.Truncate(time.Second).Add(90*time.Second); !got.Equal(want) || got.Location() != spec.Zone() {
		t.Errorf("next %s, want %s", got, want)
	}
	until := after.Add(time.Hour)
	if got := spec.Count(after, until, 1000); got != 40 {
		t.Errorf("%d in an hour, want 40", got)
	}
	if got, ok := spec.Last(after, until); !ok || !got.Equal(until.Truncate(time.Second)) {
		t.Errorf("the last in an hour is %s, %t", got, ok)
	}
	if got, ok := spec.Last(after, after.Add(89*time.Second)); ok {
		t.Errorf("a slot after 89 s: %s", got)
	}
	fixed, err := Parse("0 2 * * *", "", time.UTC)
	if d, ok := fixed.Every(); ok || err != nil {
		t.Errorf("a time of day is every %s, %v", d, err)
	}
}

func TestSpansThatAreEmptyHaveNoSlots(t *testing.T) {
	at := time.Date(2026, 5, 1, 2, 0, 0, 0, time.UTC)
	for _, expr := range []string{"0 2 * * *", "* * * * *", "@every 1s"} {
		spec, err := Parse(expr, "", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		for _, until := range []time.Time{at, at.Add(-time.Hour)} {
			if n := spec.Count(at, until, 9); n != 0 {
				t.Errorf("%s: %d slots", expr, n)
			}
			if last, ok := spec.Last(at, until); ok {
				t.Errorf("%s: slot %s", expr, last)
			}
		}
		if n := spec.Count(at, at.Add(time.Hour*48), 0); n != 0 {
			t.Errorf("%s: %d slots where none were asked for", expr, n)
		}
	}
}
