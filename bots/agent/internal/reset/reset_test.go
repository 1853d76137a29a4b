package reset

import (
	"strings"
	"testing"
	"time"
)

// now is a Monday, 15:00 in UTC and 16:00 in Berlin.
var now = time.Date(2026, 11, 30, 15, 0, 0, 0, time.UTC)

func TestTimeReadsWhatIsPrinted(t *testing.T) {
	for text, want := range map[string]string{
		"You've hit your session limit · resets 3:45pm":            "2026-11-30T15:45:00Z",
		"You've hit your session limit · resets 4pm (UTC)":         "2026-11-30T16:00:00Z",
		"You've hit your limit · resets 8pm (Europe/Berlin)":       "2026-11-30T19:00:00Z",
		"You've hit your weekly limit · resets Dec 4, 9am (UTC)":   "2026-12-04T09:00:00Z",
		"You've hit your limit · resets Dec 4 at 9:30am":           "2026-12-04T09:30:00Z",
		"You've hit your limit · resets Jan 2, 9am":                "2027-01-02T09:00:00Z",
		"5-hour limit reached ∙ resets 2am":                        "2026-12-01T02:00:00Z",
		"resets 12am":                                              "2026-12-01T00:00:00Z",
		"resets 12pm":                                              "2026-12-01T12:00:00Z",
		"resets 3pm":                                               "2026-12-01T15:00:00Z",
		"Claude AI usage limit reached|1796050800":                 "2026-11-30T15:00:00Z",
		"spend limit reached (daily; resets 2026-12-01 00:00 UTC)": "2026-12-01T00:00:00Z",
		"resets at 2026-12-01T00:00:00Z":                           "2026-12-01T00:00:00Z",
		"resets at 2026-12-01T00:00:00.123Z":                       "2026-12-01T00:00:00Z",
		"resets at 2026-12-01T02:00:00+02:00":                      "2026-12-01T00:00:00Z",
		"You've hit your usage limit. Try again at 3:42 PM.":       "2026-11-30T15:42:00Z",
		"or try again at 3:42\u202fPM.":                            "2026-11-30T15:42:00Z",
		"or try again at Dec 3rd, 2026 3:42 PM.":                   "2026-12-03T15:42:00Z",
		"try again at 15:42":                                       "2026-11-30T15:42:00Z",
		"try again at 9:00 (Asia/Tokyo)":                           "2026-12-01T00:00:00Z",
		"Try again in 2 days 17 hours.":                            "2026-12-03T08:00:00Z",
		"try again in 1 day, 2 hours and 3 minutes":                "2026-12-01T17:03:00Z",
		"Please try again in 11.054s. Visit":                       "2026-11-30T15:00:11.054Z",
		"resets in 2h 30m":                                         "2026-11-30T17:30:00Z",
		"try again in 1h, 5m and 3s":                               "2026-11-30T16:05:03Z",
		"try again in 1 day 4h":                                    "2026-12-01T19:00:00Z",
		"try again in 1.5 hours":                                   "2026-11-30T16:30:00Z",
		"resets in 1w":                                             "2026-12-07T15:00:00Z",
		"try again in 250ms":                                       "2026-11-30T15:00:00.25Z",
		"Your quota will reset after 4h28m20s.":                    "2026-11-30T19:28:20Z",
		"Please retry in 34.1s":                                    "2026-11-30T15:00:34.1Z",
		"Suggested retry after 60s":                                "2026-11-30T15:01:00Z",
		"retry later, or try again in 5 minutes":                   "2026-11-30T15:05:00Z",
	} {
		got := Time(text, now, time.UTC)
		if got.Format(time.RFC3339Nano) != want || got.Location() != time.UTC {
			t.Errorf("%s: %s, want %s", text, got.Format(time.RFC3339Nano), want)
		}
	}
}

func TestTimeOfDayIsMeantInTheZoneOfTheReader(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skipf("SKIPPED: this host has no zones: %v", err)
	}
	if got, want := Time("resets 4:30pm", now, berlin), now.Add(30*time.Minute); !got.Equal(want) {
		t.Errorf("half past four in Berlin is %v, want %v", got, want)
	}
	spring := time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC) // the night has 23 hours
	if got, want := Time("resets 8pm", spring, berlin), time.Date(2026, 3, 29, 18, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("eight o'clock of the next day is %v, want %v", got, want)
	}
}

func TestWhatIsNotUnderstoodIsNotGuessed(t *testing.T) {
	for _, text := range []string{
		"",
		"You've hit your limit",
		"resets soon", "resets 25:00", "resets 13pm", "resets 0am", "resets 3:75pm", "resets 7", "resets 3",
		"resets 8pm (Atlantis/Main)", "resets 8pm PST", "resets 8pm (Local)", "resets 8pm (../../etc/passwd)",
		"resets Feb 30, 9am", "resets Smarch 3, 9am", "resets 2026-13-01 00:00 UTC", "resets 1999-01-01 00:00 UTC",
		"Try again in a few minutes", "try again in 5 business days", "in 2 days", "try again in 99999999999999999999 days",
		"try again in 900 days", "usage limit reached|99999999999", "usage limit reached|123",
		"resets 8pm on Dec 4", "resets 8pm (UTC) on Thursday", "resets 8pm tomorrow", "resets 8pm, Dec 4", "resets 8pm Thu",
		"resets 3pm UTC+2", "resets 3pm (UTC+2)", "resets at 15:00:00 GMT-1:30", "resets 9am, 5 December", "resets 9am on 5th Dec",
		"resets in 2 months", "resets in 3 more days",
		"retry at 3", "Request rejected (429)", "presets 3pm",
	} {
		if got := Time(text, now, time.UTC); !got.IsZero() {
			t.Errorf("%q: guessed %v", text, got)
		}
	}
}

func TestEpochOutOfReachIsNoTime(t *testing.T) {
	if got := Epoch(float64(now.Unix()+3600), now); !got.Equal(now.Add(time.Hour)) {
		t.Errorf("an hour ahead is %v", got)
	}
	for _, bad := range []float64{0, -1, 1e300, -1e300, 1.8e12} {
		if got := Epoch(bad, now); !got.IsZero() {
			t.Errorf("Epoch(%g) = %v", bad, got)
		}
	}
}

func FuzzTime(f *testing.F) {
	for _, seed := range []string{"resets 3:45pm (Europe/Berlin)", "try again at Apr 3rd, 2026 3:42 PM", "reset after 4h28m20s",
		"in 2 days 17 hours", "|1800000000", "resets 2026-08-09 00:00 UTC", strings.Repeat("retry in ", 300)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Time(text, now, nil)
		if got.IsZero() {
			return
		}
		if d := got.Sub(now); d > maxAhead || d < -maxBehind {
			t.Errorf("%q: %v is %v away", text, got, d)
		}
	})
}
