package reset

import (
	"strconv"
	"strings"
	"time"

	"iterion/bots/agent/internal/pattern"
)

const part = `\d+(?:\.\d+)? ?(?:weeks?|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|[wdhms])`

var (
	// 4h28m20s, 34.1s, 2 days 17 hours, 1h 30m, 3 hours, 12 minutes and 5 seconds
	wholeSpan = pattern.New(`(?i)^` + part + `(?:(?:,? and|,)? ?` + part + `)*\b`)
	onePart   = pattern.New(`(\d+(?:\.\d+)?) ?([a-zA-Z]+)`)
)

var units = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
	"sec": time.Second, "second": time.Second, "min": time.Minute, "minute": time.Minute,
	"hr": time.Hour, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour,
}

// span reads a length of time that text begins with.
func span(text string) (time.Duration, bool) {
	found := wholeSpan.FindString(text)
	if found == "" {
		return 0, false
	}
	var total time.Duration
	for _, part := range onePart.FindAllStringSubmatch(found, -1) {
		unit := strings.ToLower(part[2])
		size, ok := units[unit]
		if !ok {
			size = units[strings.TrimSuffix(unit, "s")]
		}
		d := number(part[1]) * float64(size)
		if d > float64(maxAhead) || total > maxAhead {
			return 0, false
		}
		total += time.Duration(d)
	}
	return total, true
}

// number reads digits; those that are too many become infinite.
func number(digits string) float64 {
	n, _ := strconv.ParseFloat(digits, 64)
	return n
}
