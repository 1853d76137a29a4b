package cli

import (
	"testing"
	"time"
)

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local)
	for text, want := range map[string]struct {
		after int64
		from  time.Time
	}{
		"-1":                   {-1, time.Time{}},
		"0":                    {0, time.Time{}},
		"1041":                 {1041, time.Time{}},
		"90m":                  {-1, now.Add(-90 * time.Minute)},
		"7d":                   {-1, now.Add(-7 * 24 * time.Hour)},
		"1.5d":                 {-1, now.Add(-36 * time.Hour)},
		"2026-11-29":           {-1, time.Date(2026, 11, 29, 0, 0, 0, 0, time.Local)},
		"2026-11-29 08:30:05":  {-1, time.Date(2026, 11, 29, 8, 30, 5, 0, time.Local)},
		"2026-11-29T08:30:05Z": {-1, time.Date(2026, 11, 29, 8, 30, 5, 0, time.UTC)},
	} {
		after, from, err := parseSince(text, now)
		if err != nil || after != want.after || !from.Equal(want.from) {
			t.Errorf("%q: %d, %s, %v", text, after, from, err)
		}
	}
	for _, text := range []string{"", "-2", "-5m", "yesterday", "2026-13-01", "NaNd", "d", "1e99d"} {
		if _, _, err := parseSince(text, now); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
