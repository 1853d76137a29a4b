package cronspec

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestExplain(t *testing.T) {
	for expr, want := range map[string]string{
		"0 2 * * *":               "every day at 02:00",
		"@daily":                  "every day at 00:00",
		"0 2 * * 1":               "at 02:00 on Monday",
		"0 2 * * 1,4":             "at 02:00 on Monday and Thursday",
		"30 8 * * mon-fri":        "at 08:30, Monday to Friday",
		"0 9 * * sat,sun":         "at 09:00 on Saturday and Sunday",
		"0 9 * * 5-7":             "at 09:00, Friday to Sunday",
		"0 9 * * 0-4":             "at 09:00, Monday to Thursday and Sunday",
		"0 9,17 * * *":            "every day at 09:00 and 17:00",
		"0,30 9,17 * * *":         "every day at 09:00, 09:30, 17:00 and 17:30",
		"0 0,12 * * *":            "every day at 00:00 and 12:00",
		"* * * * *":               "every minute",
		"* 3 * * *":               "every minute, 03:00–03:59, every day",
		"*/15 * * * *":            "every 15 minutes",
		"*/15 9-17 * * 1-5":       "every 15 minutes, 09:00–17:59, Monday to Friday",
		"*/15 9-17 * * 1":         "every 15 minutes, 09:00–17:59, on Monday",
		"*/7 * * * *":             "at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour",
		"5/15 * * * *":            "at minutes 5, 20, 35 and 50 of every hour",
		"0-9 * * * *":             "at minutes 0–9 of every hour",
		"@hourly":                 "every hour, on the hour",
		"30 * * * *":              "at minute 30 of every hour",
		"0 */2 * * *":             "every 2 hours from 00:00, every day",
		"15 */6 * * *":            "every 6 hours from 00:15, every day",
		"0 */5 * * *":             "every day at 00:00, 05:00, 10:00, 15:00 and 20:00",
		"0 */12 * * *":            "every day at 00:00 and 12:00",
		"30 9-17 * * 1-5":         "every hour from 09:30 to 17:30, Monday to Friday",
		"0 1-23/2 * * *":          "at minute 0 of hours 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21 and 23, every day",
		"*/7 1,5 * * *":           "at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of hours 1 and 5, every day",
		"*/7 5 * * *":             "at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of hour 5, every day",
		"0 0 1 * *":               "at 00:00 on day 1 of the month",
		"0 0 1,15 * *":            "at 00:00 on days 1 and 15 of the month",
		"0 0 31 * *":              "at 00:00 on day 31 of the month, where there is one",
		"0 0 28-31 * *":           "at 00:00 on days 28–31 of the month, as far as there are",
		"@yearly":                 "at 00:00 on 1 January",
		"0 0 29 2 *":              "at 00:00 on 29 February, where there is one",
		"0 0 1 */3 *":             "at 00:00 on day 1 of January, April, July and October",
		"0 0 1-7 jun-aug *":       "at 00:00 on days 1–7 of June to August",
		"0 2 * 3 *":               "every day at 02:00, in March",
		"0 2 * 3,11-12 1":         "at 02:00 on Monday, in March, November and December",
		"0 9-12 * 12 *":           "every hour from 09:00 to 12:00, every day, in December",
		"*/5 * * 12 *":            "every 5 minutes, in December",
		"0 0 13 * 5":              "at 00:00 on day 13 of the month and on each Friday",
		"0 0 1-7 * 1":             "at 00:00 on days 1–7 of the month and on each Monday",
		"0 0 13 6 5":              "at 00:00 on day 13 of the month and on each Friday, in June",
		"0 0 */10 * 1":            "at 00:00 on Monday, where that is day 1, 11, 21 or 31 of the month",
		"0 0 1-31 * 5":            "every day at 00:00",
		"0 0 5 * 0-6":             "every day at 00:00",
		"@every 90s":              "every 1 minute and 30 seconds, counted from its start",
		"@every 1h":               "every hour, counted from its start",
		"@every 5m":               "every 5 minutes, counted from its start",
		"@every 26h1m1s":          "every 26 hours, 1 minute and 1 second, counted from its start",
		"TZ=Asia/Tokyo 0 2 * * *": "every day at 02:00",
	} {
		spec, err := Parse(expr, "", time.UTC)
		if err != nil {
			t.Errorf("%v", err)
		} else if got := spec.Explain(); got != want {
			t.Errorf("%-20q %s\nwant                 %s", expr, got, want)
		}
	}
}

// TestExpressionsThatDifferReadDifferently: if two sets of minutes had one reading,
// it would be wrong of one of them.
func TestExpressionsThatDifferReadDifferently(t *testing.T) {
	pick := rand.New(rand.NewPCG(1, 2))
	read := map[string]string{}
	wording := map[string]string{}
	for range 8000 {
		spec, err := Parse(randomExpr(pick, linesFrom), "", time.UTC)
		if err != nil {
			continue
		}
		reading, meant := spec.Explain(), meaning(&spec.cal)
		if before, ok := read[reading]; ok && before != meant {
			t.Fatalf("%q is what %s reads as, and %s", reading, spec, wording[reading])
		}
		read[reading], wording[reading] = meant, spec.String()
	}
	if len(read) < 3000 {
		t.Fatalf("only %d readings", len(read))
	}
}

// meaning is the set of minutes that a calendar names, but for how it is written.
func meaning(c *calendar) string {
	text := fmt.Sprintf("%x %x", c.minute, c.hour)
	for m := 1; m <= 12; m++ {
		var days uint64
		var weekdays [7]uint64
		for dom := 1; has(c.month, m) && dom <= longest[m]; dom++ {
			for w := range 7 {
				if c.inMonth(dom, w) {
					days |= 1 << dom
					weekdays[w] |= 1 << dom
				}
			}
		}
		text += fmt.Sprintf(" %x %x", days, weekdays)
	}
	return text
}
