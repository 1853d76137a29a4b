package cronspec

import (
	"math/bits"
	"time"
)

// Civil time is counted in minutes since 1970 on a clock that knows no zone.
const (
	hourMinutes = 60
	dayMinutes  = 24 * hourMinutes
	daySeconds  = 60 * dayMinutes
)

// calendar is what five fields name: a set of civil minutes. Bit n of a mask is
// the value n.
type calendar struct {
	minute, hour, dom, month, dow uint64
	domStar, dowStar              bool // the field begins with *: it restricts nothing by itself
}

// day is a date in a proleptic calendar.
type day struct {
	n       int64 // since 1970
	year    int
	month   time.Month
	dom     int
	weekday int
}

func dayOf(n int64) day {
	t := time.Unix(n*daySeconds, 0).UTC()
	y, m, d := t.Date()
	return day{n: n, year: y, month: m, dom: d, weekday: int(t.Weekday())}
}

func dayNumber(year int, month time.Month, dom int) int64 {
	return time.Date(year, month, dom, 0, 0, 0, 0, time.UTC).Unix() / daySeconds
}

func has(mask uint64, n int) bool { return mask>>n&1 != 0 }

// on says whether the calendar has minutes on a day.
func (c *calendar) on(d day) bool {
	return has(c.month, int(d.month)) && c.inMonth(d.dom, d.weekday)
}

func (c *calendar) inMonth(dom, weekday int) bool {
	byDom, byDow := has(c.dom, dom), has(c.dow, weekday)
	if c.domStar || c.dowStar {
		return byDom && byDow
	}
	return byDom || byDow
}

// minuteOfDay says whether the clock time is one of the calendar's.
func (c *calendar) minuteOfDay(m int) bool {
	return has(c.hour, m/hourMinutes) && has(c.minute, m%hourMinutes)
}

// has says whether a civil minute is in the calendar.
func (c *calendar) has(m int64) bool {
	n := floorDiv(m, dayMinutes)
	return c.minuteOfDay(int(m-n*dayMinutes)) && c.on(dayOf(n))
}

// next returns the first minute of the calendar from m on. The calendar must not
// be empty.
func (c *calendar) next(m int64) int64 {
	n := floorDiv(m, dayMinutes)
	d := dayOf(n)
	if c.on(d) {
		if t, ok := c.timeFrom(int(m - n*dayMinutes)); ok {
			return n*dayMinutes + int64(t)
		}
	}
	for d = c.step(d, 1); !c.on(d); d = c.step(d, 1) {
	}
	t, _ := c.timeFrom(0)
	return d.n*dayMinutes + int64(t)
}

// prev returns the last minute of the calendar up to and with m.
func (c *calendar) prev(m int64) int64 {
	n := floorDiv(m, dayMinutes)
	d := dayOf(n)
	if c.on(d) {
		if t, ok := c.timeUpTo(int(m - n*dayMinutes)); ok {
			return n*dayMinutes + int64(t)
		}
	}
	for d = c.step(d, -1); !c.on(d); d = c.step(d, -1) {
	}
	t, _ := c.timeUpTo(dayMinutes - 1)
	return d.n*dayMinutes + int64(t)
}

// step goes to the neighbouring day, over whole months that the calendar has not.
func (c *calendar) step(d day, by int) day {
	if has(c.month, int(d.month)) {
		if dom := d.dom + by; dom >= 1 && dom <= 28 {
			d.n, d.dom, d.weekday = d.n+int64(by), dom, (d.weekday+by+7)%7
			return d
		}
		return dayOf(d.n + int64(by))
	}
	year, month := d.year, d.month
	for !has(c.month, int(month)) {
		switch month += time.Month(by); month {
		case 0:
			year, month = year-1, time.December
		case 13:
			year, month = year+1, time.January
		}
	}
	if by > 0 {
		return dayOf(dayNumber(year, month, 1))
	}
	return dayOf(dayNumber(year, month+1, 0))
}

// timeFrom returns the first time of day from m on.
func (c *calendar) timeFrom(m int) (int, bool) {
	h := m / hourMinutes
	if has(c.hour, h) {
		if rest := c.minute >> (m % hourMinutes); rest != 0 {
			return m + bits.TrailingZeros64(rest), true
		}
	}
	later := c.hour >> (h + 1)
	if later == 0 {
		return 0, false
	}
	h += 1 + bits.TrailingZeros64(later)
	return h*hourMinutes + bits.TrailingZeros64(c.minute), true
}

// timeUpTo returns the last time of day up to and with m.
func (c *calendar) timeUpTo(m int) (int, bool) {
	h := m / hourMinutes
	if has(c.hour, h) {
		if rest := c.minute & (1<<(m%hourMinutes+1) - 1); rest != 0 {
			return h*hourMinutes + bits.Len64(rest) - 1, true
		}
	}
	earlier := c.hour & (1<<h - 1)
	if earlier == 0 {
		return 0, false
	}
	h = bits.Len64(earlier) - 1
	return h*hourMinutes + bits.Len64(c.minute) - 1, true
}

// count returns how many minutes of the calendar are in [from, until).
func (c *calendar) count(from, until int64) int {
	n := 0
	perDay := bits.OnesCount64(c.hour) * bits.OnesCount64(c.minute)
	for m := c.next(from); m < until; m = c.next(m + 1) {
		if first := floorDiv(m, dayMinutes) * dayMinutes; c.prev(m-1) < first && first+dayMinutes <= until {
			n, m = n+perDay, first+dayMinutes-1
			continue
		}
		n++
	}
	return n
}

// longest is how many days a month can have.
var longest = [13]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// empty says whether no date is in the calendar, in any year.
func (c *calendar) empty() bool {
	for month := 1; month <= 12; month++ {
		for dom := 1; has(c.month, month) && dom <= longest[month]; dom++ {
			for weekday := range 7 {
				if c.inMonth(dom, weekday) {
					return false
				}
			}
		}
	}
	return true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
