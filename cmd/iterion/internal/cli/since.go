package cli

import (
	"strconv"
	"strings"
	"time"
)

// parseSince reads the place in the log where somebody wants to begin: behind a
// seq (-1 is the beginning), or at an instant, given as such or as an age.
func parseSince(text string, now time.Time) (after int64, from time.Time, err error) {
	if seq, err := strconv.ParseInt(text, 10, 64); err == nil {
		if seq < -1 {
			return 0, from, Usagef("--since %s: want a seq, or -1 for the beginning", text)
		}
		return seq, from, nil
	}
	if at, ok := parseInstant(text, now); ok {
		return -1, at, nil
	}
	return 0, from, Usagef("--since %q: want a seq, %s", text, wantInstant)
}

// wantInstant says what parseInstant takes.
const wantInstant = "a time such as 2026-11-30 or 2026-11-30T09:00:00Z, or an age such as 90m, 2h, 7d"

// parseInstant reads an instant, given as such or as an age.
func parseInstant(text string, now time.Time) (time.Time, bool) {
	return parseInstantIn(text, now, time.Local)
}

// parseInstantIn is parseInstant for who means the clock of a zone.
func parseInstantIn(text string, now time.Time, zone *time.Location) (time.Time, bool) {
	if age, ok := parseAge(text); ok {
		return now.Add(-age), true
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// parseAge reads a duration that may also count days.
func parseAge(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		return time.Duration(n * 24 * float64(time.Hour)), err == nil && n >= 0 && n < 100_000
	}
	age, err := time.ParseDuration(text)
	return age, err == nil && age >= 0
}
