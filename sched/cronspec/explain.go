package cronspec

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Explain returns the expression in plain words: "every day at 02:00", "every 15
// minutes, 09:00–17:59, Monday to Friday". Times are those of the spec's zone,
// which it does not name. What has no short reading is read out field by field.
func (s Spec) Explain() string {
	if s.every > 0 {
		return "every " + spell(s.every) + ", counted from its start"
	}
	c := &s.cal
	when, clocked := c.times()
	days := c.dayWords()
	switch {
	case days == "" && clocked:
		return "every day " + when + c.inMonths()
	case days == "" && c.hour == allHours:
		return when + c.inMonths()
	case days == "":
		return when + ", every day" + c.inMonths()
	case clocked && strings.HasPrefix(days, "on "):
		return when + " " + days
	}
	return when + ", " + days
}

// fewTimes is how many times of day are named one by one.
const fewTimes = 6

// times reads minute and hour. Clocked readings name instants: "at 02:00".
func (c *calendar) times() (reading string, clocked bool) {
	minutes, hours := values(c.minute), values(c.hour)
	hourSpan := hours[len(hours)-1]-hours[0] == len(hours)-1
	between := fmt.Sprintf(", %02d:00–%02d:59", hours[0], hours[len(hours)-1])
	if c.hour == allHours {
		between = ""
	}
	every, even := evenly(minutes, hourMinutes)
	switch {
	case hourSpan && even && every == 1:
		return "every minute" + between, false
	case hourSpan && even && every < hourMinutes:
		return fmt.Sprintf("every %d minutes", every) + between, false
	case len(minutes) == 1:
		return hourly(minutes[0], hours, hourSpan)
	case len(minutes)*len(hours) <= fewTimes:
		return "at " + clocks(minutes, hours), true
	case c.hour == allHours:
		return "at minutes " + numbers(minutes) + " of every hour", false
	}
	return fmt.Sprintf("at %s %s of %s %s", plural(len(minutes), "minute"), numbers(minutes), plural(len(hours), "hour"), numbers(hours)), false
}

// hourly reads one minute of several hours.
func hourly(minute int, hours []int, span bool) (reading string, clocked bool) {
	step, even := evenly(hours, 24)
	switch {
	case len(hours) == 24 && minute == 0:
		return "every hour, on the hour", false
	case len(hours) == 24:
		return fmt.Sprintf("at minute %d of every hour", minute), false
	case even && step < 12:
		return fmt.Sprintf("every %d hours from 00:%02d", step, minute), false
	case span && len(hours) > 2:
		return fmt.Sprintf("every hour from %02d:%02d to %02d:%02d", hours[0], minute, hours[len(hours)-1], minute), false
	case len(hours) <= fewTimes:
		return "at " + clocks([]int{minute}, hours), true
	}
	return fmt.Sprintf("at minute %d of hours %s", minute, numbers(hours)), false
}

// evenly says whether values are 0 and each step up to a whole, which the step
// divides.
func evenly(set []int, whole int) (step int, ok bool) {
	if set[0] != 0 || whole%len(set) != 0 {
		return 0, false
	}
	step = whole / len(set)
	for i, v := range set {
		if v != i*step {
			return 0, false
		}
	}
	return step, true
}

// clocks lists times of day.
func clocks(minutes, hours []int) string {
	var times []string
	for _, h := range hours {
		for _, m := range minutes {
			times = append(times, fmt.Sprintf("%02d:%02d", h, m))
		}
	}
	return and(times)
}

// dayWords reads the fields that are about days; nothing, if they name all the days
// of a month.
func (c *calendar) dayWords() string {
	byDom, byDow := c.dom != allDoms, c.dow != allDows
	if !c.domStar && !c.dowStar && byDom != byDow {
		byDom, byDow = false, false // the field that names all days is enough
	}
	switch {
	case byDom && byDow && (c.domStar || c.dowStar):
		return fmt.Sprintf("on %s, where that is day %s of the month%s", weekdays(c.dow), or(runs(values(c.dom), strconv.Itoa, "–")), c.inMonths())
	case byDom && byDow:
		return fmt.Sprintf("on %s and on each %s%s", c.domWords(), weekdays(c.dow), c.inMonths())
	case byDow:
		words := weekdays(c.dow)
		if !strings.Contains(words, " to ") {
			words = "on " + words
		}
		return words + c.inMonths()
	case byDom:
		return "on " + c.dates()
	}
	return ""
}

// domWords reads the days of the month, whichever month that is.
func (c *calendar) domWords() string {
	doms := values(c.dom)
	return fmt.Sprintf("%s %s of the month", plural(len(doms), "day"), numbers(doms))
}

// dates reads days of the month together with the months.
func (c *calendar) dates() string {
	doms, list := values(c.dom), values(c.month)
	missing := false
	for _, m := range list {
		missing = missing || doms[len(doms)-1] > shortest[m]
	}
	where := ""
	if missing {
		where = ", where there is one"
		if len(doms) > 1 {
			where = ", as far as there are"
		}
	}
	switch {
	case len(doms) == 1 && len(list) == 1:
		return fmt.Sprintf("%d %s%s", doms[0], time.Month(list[0]), where)
	case c.month == allMonths && len(doms) == 1:
		return fmt.Sprintf("day %d of the month%s", doms[0], where)
	case c.month == allMonths:
		return fmt.Sprintf("days %s of the month%s", numbers(doms), where)
	}
	return fmt.Sprintf("%s %s of %s%s", plural(len(doms), "day"), numbers(doms), months(c.month), where)
}

// shortest is how many days a month has in any year.
var shortest = [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func (c *calendar) inMonths() string {
	if c.month == allMonths {
		return ""
	}
	return ", in " + months(c.month)
}

func months(mask uint64) string {
	return and(runs(values(mask), func(m int) string { return time.Month(m).String() }, " to "))
}

// weekdays reads days of the week, from Monday on.
func weekdays(mask uint64) string {
	set := values(mask)
	if set[0] == 0 {
		set = append(set[1:], 7)
	}
	return and(runs(set, func(d int) string { return time.Weekday(d % 7).String() }, " to "))
}

// numbers lists values: "0, 7–9 and 14".
func numbers(set []int) string { return and(runs(set, strconv.Itoa, "–")) }

// runs writes three and more values in a row as a range.
func runs(set []int, word func(int) string, to string) []string {
	var items []string
	for i := 0; i < len(set); i++ {
		j := i
		for j+1 < len(set) && set[j+1] == set[j]+1 {
			j++
		}
		if j-i < 2 {
			items = append(items, word(set[i]))
			continue
		}
		items = append(items, word(set[i])+to+word(set[j]))
		i = j
	}
	return items
}

func and(items []string) string { return joined(items, " and ") }

func or(items []string) string { return joined(items, " or ") }

func joined(items []string, last string) string {
	if n := len(items) - 1; n > 0 {
		return strings.Join(items[:n], ", ") + last + items[n]
	}
	return items[0]
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// spell writes a time span in words.
func spell(d time.Duration) string {
	var parts []string
	for _, u := range []struct {
		unit time.Duration
		word string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int(d / u.unit); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, plural(n, u.word)))
			d %= u.unit
		}
	}
	text := and(parts)
	if len(parts) == 1 {
		text = strings.TrimPrefix(text, "1 ")
	}
	return text
}
