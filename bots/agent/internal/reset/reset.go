// Package reset reads when a limit ends out of what agent command lines print for
// people: "resets 3:45pm (Europe/Berlin)", "try again at Apr 3rd, 2026 3:42 PM",
// "will reset after 4h28m20s", "usage limit reached|1800000000".
//
// What is not understood to its end is not said at all: a wrong time is worse than
// none, since a run waits for it.
package reset

import (
	"math"
	"strings"
	"time"

	"iterion/bots/agent/internal/pattern"
)

// The farthest that a limit is believed to reach, both ways. Windows of days and
// weeks are known; anything beyond is a number that means something else.
const (
	maxAhead  = 400 * 24 * time.Hour
	maxBehind = 7 * 24 * time.Hour
)

// maxText is how much of a text is looked at, in bytes.
const maxText = 8 << 10

// lead is what goes before a time. The preposition decides what may follow: a
// span after "in" and "after", a point in time otherwise.
var lead = pattern.New(`(?i)\b(?:resets?|reset time|try again|retry|available again)\b(?: (at|on|in|after))?:? ?`)

var pipeEpoch = pattern.New(`\|(\d{9,11})\b`)

// Time returns the first time that text names as the end of a limit, in UTC, or
// zero. A time of day without a zone is meant in zone; one that has passed today is
// tomorrow's.
func Time(text string, now time.Time, zone *time.Location) time.Time {
	text = plain(text)
	if m := pipeEpoch.FindStringSubmatch(text); m != nil {
		return Epoch(number(m[1]), now)
	}
	for _, at := range lead.FindAllStringSubmatchIndex(text, -1) {
		var how string
		if at[2] >= 0 {
			how = strings.ToLower(text[at[2]:at[3]])
		}
		if t := follows(text[at[1]:], how, now, zone); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// Epoch returns the time that is given in seconds since 1970, or zero when that is
// not near now.
func Epoch(seconds float64, now time.Time) time.Time {
	if math.IsNaN(seconds) || math.Abs(seconds) > 1e12 {
		return time.Time{}
	}
	return near(time.Unix(int64(seconds), 0), now)
}

// follows reads what stands behind a lead.
func follows(rest, how string, now time.Time, zone *time.Location) time.Time {
	if how == "in" || how == "after" {
		if d, ok := span(rest); ok {
			return near(now.Add(d), now)
		}
	}
	if how == "in" {
		return time.Time{}
	}
	return point(rest, now, zone)
}

// near drops times that no limit has.
func near(t, now time.Time) time.Time {
	if d := t.Sub(now); d > maxAhead || d < -maxBehind {
		return time.Time{}
	}
	return t.UTC()
}

// plain makes all white space one blank each: some print a narrow one before PM.
func plain(text string) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	return strings.Join(strings.Fields(text), " ")
}
