package reset

import (
	"strconv"
	"strings"
	"time"

	"iterion/bots/agent/internal/pattern"
)

const (
	months = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`
	clock  = `(\d{1,2})(?::(\d{2}))?(?::(\d{2}))? ?([ap]\.?m\b\.?)?`
)

var (
	isoDate   = pattern.New(`^(\d{4})-(\d{2})-(\d{2})[ Tt]` + clock)
	namedDate = pattern.New(`(?i)^(` + months + `)\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?,?(?: at)? ` + clock)
	timeOfDay = pattern.New(`(?i)^` + clock)
	// The zone behind a time: in brackets, as an offset, or in capitals.
	zoneAfter = pattern.New(`^\.?\d* ?(?:\(([^)]{1,64})\)|(Z|[+-]\d{2}:?\d{2})\b|([A-Z]{2,5}(?:[+-]\d{1,2}(?::?\d{2})?)?)\b)`)
	// A date behind a time, which would have to be understood as well.
	dateAfter = pattern.New(`(?i)^(?: ?\([^)]*\))?,? (?:on|tomorrow|next|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|(?:\d{1,2}(?:st|nd|rd|th)? )?(?:` + months + `))\b`)
	zoneName  = pattern.New(`^[A-Z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*$`)
)

// point reads a point in time that text begins with.
func point(text string, now time.Time, zone *time.Location) time.Time {
	if m := isoDate.FindStringSubmatch(text); m != nil {
		d := day{digits(m[1]), digits(m[2]), digits(m[3])}
		return d.at(m[4:8], text[len(m[0]):], now, zone)
	}
	if m := namedDate.FindStringSubmatch(text); m != nil {
		d := day{digits(m[3]), month(m[1]), digits(m[2])}
		return d.at(m[4:8], text[len(m[0]):], now, zone)
	}
	if m := timeOfDay.FindStringSubmatch(text); m != nil {
		return day{}.at(m[1:5], text[len(m[0]):], now, zone)
	}
	return time.Time{}
}

// day is a date. A year of 0 is the next one in which it comes, a month of 0 the
// next day on which the time of day comes.
type day struct{ year, month, day int }

// at returns the time of day on d, in the zone that rest begins with or else in
// zone.
func (d day) at(clock []string, rest string, now time.Time, zone *time.Location) time.Time {
	h, m, s, ok := hour(clock)
	if zone == nil {
		zone = time.UTC
	}
	zone, known := zoneIn(rest, zone)
	if !ok || !known || dateAfter.MatchString(rest) {
		return time.Time{}
	}
	today := now.In(zone)
	if d.month == 0 {
		t := time.Date(today.Year(), today.Month(), today.Day(), h, m, s, 0, zone)
		if !t.After(now) {
			t = time.Date(today.Year(), today.Month(), today.Day()+1, h, m, s, 0, zone)
		}
		return t.UTC()
	}
	year := d.year
	if year == 0 {
		year = today.Year()
	}
	t := time.Date(year, time.Month(d.month), d.day, h, m, s, 0, zone)
	if t.Day() != d.day || int(t.Month()) != d.month {
		return time.Time{} // no such date
	}
	if d.year == 0 && now.Sub(t) > 24*time.Hour {
		t = time.Date(year+1, time.Month(d.month), d.day, h, m, s, 0, zone)
	}
	return near(t, now)
}

// hour reads hour, minute, second and am or pm. A bare number is no time of day.
func hour(clock []string) (h, m, s int, ok bool) {
	h, m, s = digits(clock[0]), digits(clock[1]), digits(clock[2])
	half := strings.ToLower(clock[3])
	switch {
	case m > 59 || s > 59:
		return 0, 0, 0, false
	case half == "":
		return h, m, s, clock[1] != "" && h < 24
	case h < 1 || h > 12:
		return 0, 0, 0, false
	case strings.HasPrefix(half, "p"):
		return h%12 + 12, m, s, true
	}
	return h % 12, m, s, true
}

// zoneIn returns the zone that text begins with, or usual. A zone that is named
// and not known makes the time unknown.
func zoneIn(text string, usual *time.Location) (*time.Location, bool) {
	m := zoneAfter.FindStringSubmatch(text)
	if m == nil {
		return usual, true
	}
	name := m[1] + m[2] + m[3]
	switch {
	case name == "Z" || name == "UTC" || name == "GMT":
		return time.UTC, true
	case m[2] != "":
		t, err := time.Parse("-0700", strings.ReplaceAll(name, ":", ""))
		return t.Location(), err == nil
	case name == "Local" || !zoneName.MatchString(name):
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

func month(name string) int {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(name[:3], m.String()[:3]) {
			return int(m)
		}
	}
	return 0
}

func digits(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
