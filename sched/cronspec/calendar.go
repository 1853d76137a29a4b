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

// month is a month of a proleptic calendar, and the number of its first day since
// 1970.
type month struct {
	year, n int
	first   int64
}

// monthOf returns the month that a day is in, and which of its days it is.
func monthOf(n int64) (month, int) {
	year, m, dom := time.Unix(n*daySeconds, 0).UTC().Date()
	return month{year, int(m), n - int64(dom) + 1}, dom
}

func (m month) days() int {
	if m.n == 2 && (m.year%4 != 0 || m.year%100 == 0 && m.year%400 != 0) {
		return 28
	}
	return longest[m.n]
}

func (m month) following() month {
	next := month{m.year, m.n + 1, m.first + int64(m.days())}
	if next.n > 12 {
		next.year, next.n = m.year+1, 1
	}
	return next
}

func (m month) preceding() month {
	last := month{m.year, m.n - 1, 0}
	if last.n < 1 {
		last.year, last.n = m.year-1, 12
	}
	last.first = m.first - int64(last.days())
	return last
}

func has(mask uint64, n int) bool { return mask>>n&1 != 0 }

// days returns which days of a month have minutes of the calendar.
func (c *calendar) days(m month) uint64 {
	if !has(c.month, m.n) {
		return 0
	}
	// Day 0 was a Thursday.
	weekday := int(((m.first+4)%7 + 7) % 7)
	week := (c.dow>>weekday | c.dow<<(7-weekday)) & allDows
	const weekly = 1 | 1<<7 | 1<<14 | 1<<21 | 1<<28
	byDow := week * weekly << 1
	all := uint64(1)<<(m.days()+1) - 2
	if c.domStar || c.dowStar {
		return c.dom & byDow & all
	}
	return (c.dom | byDow) & all
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
	if !c.minuteOfDay(int(m - n*dayMinutes)) {
		return false
	}
	in, dom := monthOf(n)
	return has(c.days(in), dom)
}

// next returns the first minute of the calendar from m on. The calendar must not
// be empty.
func (c *calendar) next(m int64) int64 {
	n := floorDiv(m, dayMinutes)
	in, dom := monthOf(n)
	days := c.days(in)
	if has(days, dom) {
		if t, ok := c.timeFrom(int(m - n*dayMinutes)); ok {
			return n*dayMinutes + int64(t)
		}
	}
	for days = days >> (dom + 1) << (dom + 1); days == 0; days = c.days(in) {
		in = in.following()
	}
	t, _ := c.timeFrom(0)
	return (in.first+int64(bits.TrailingZeros64(days))-1)*dayMinutes + int64(t)
}

// prev returns the last minute of the calendar up to and with m.
func (c *calendar) prev(m int64) int64 {
	n := floorDiv(m, dayMinutes)
	in, dom := monthOf(n)
	days := c.days(in)
	if has(days, dom) {
		if t, ok := c.timeUpTo(int(m - n*dayMinutes)); ok {
			return n*dayMinutes + int64(t)
		}
	}
	for days &= 1<<dom - 1; days == 0; days = c.days(in) {
		in = in.preceding()
	}
	t, _ := c.timeUpTo(dayMinutes - 1)
	return (in.first+int64(bits.Len64(days))-2)*dayMinutes + int64(t)
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
