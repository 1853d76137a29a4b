package cronspec

import "time"

// dates is the part of a calendar that is about days.
type dates struct{ dom, month, dow uint64 }

// timesOfDay says for each hour which of its minutes are meant.
type timesOfDay [24]uint64

// moved returns lines for a clock that is ahead by any of the leads, in minutes. The
// times of day are exact; the days are, but for months' ends and for fields that
// restrict days together, where there may be more.
func (c *calendar) moved(leads []int) []line {
	var order []dates
	times := map[dates]*timesOfDay{}
	known := map[int64]dates{}
	for _, lead := range leads {
		for _, hour := range values(c.hour) {
			for _, minute := range values(c.minute) {
				at := int64(hour*hourMinutes + minute + lead)
				over := floorDiv(at, dayMinutes)
				d, ok := known[over]
				if !ok {
					d = c.later(int(over))
					known[over] = d
				}
				if times[d] == nil {
					times[d] = &timesOfDay{}
					order = append(order, d)
				}
				tod := at - over*dayMinutes
				times[d][tod/hourMinutes] |= 1 << (tod % hourMinutes)
			}
		}
	}
	var lines []line
	for _, d := range order {
		for _, block := range times[d].blocks() {
			lines = append(lines, lineOf(calendar{minute: block.minute, hour: block.hour, dom: d.dom, month: d.month, dow: d.dow}))
		}
	}
	return lines
}

// block is a set of times of day that one line can name.
type block struct{ minute, hour uint64 }

// blocks splits times of day into as few lines as either of two ways gives: hours
// that have the same minutes, or minutes that are in the same hours.
func (t *timesOfDay) blocks() []block {
	var byHour, byMinute []block
	for hour, minutes := range t {
		if minutes != 0 {
			byHour = gather(byHour, block{minutes, 1 << hour}, func(b *block) bool { return b.minute == minutes })
		}
	}
	for minute := range hourMinutes {
		var hours uint64
		for hour, minutes := range t {
			if has(minutes, minute) {
				hours |= 1 << hour
			}
		}
		if hours != 0 {
			byMinute = gather(byMinute, block{1 << minute, hours}, func(b *block) bool { return b.hour == hours })
		}
	}
	if len(byMinute) < len(byHour) {
		return byMinute
	}
	return byHour
}

// gather adds a block to the one that is alike, or to the list.
func gather(blocks []block, add block, alike func(*block) bool) []block {
	for i := range blocks {
		if b := &blocks[i]; alike(b) {
			b.minute |= add.minute
			b.hour |= add.hour
			return blocks
		}
	}
	return append(blocks, add)
}

// later returns the calendar's days, so many days later. What restricts days by both
// fields at once, which takes a field such as */2, goes by the day of week alone.
func (c *calendar) later(by int) dates {
	byDom, byDow := c.dom != allDoms, c.dow != allDows
	every := c.datesLater(allDoms, by)
	switch both := c.domStar || c.dowStar; {
	case both && !byDow:
		return c.datesLater(c.dom, by)
	case both:
		return dates{dom: allDoms, month: every.month, dow: turned(c.dow, by)}
	case !byDom || !byDow:
		return every
	}
	either := dates{dom: c.datesLater(c.dom, by).dom, month: every.month, dow: turned(c.dow, by)}
	if either.dom == allDoms {
		either.dow = allDows
	}
	return either
}

// datesLater returns the days of month so many days later, in common years and in
// leap years.
func (c *calendar) datesLater(dom uint64, later int) dates {
	d := dates{dow: allDows}
	for _, month := range values(c.month) {
		for _, day := range values(dom) {
			for _, year := range []int{2023, 2024} {
				at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
				if at.Day() != day {
					continue
				}
				at = at.AddDate(0, 0, later)
				d.dom |= 1 << at.Day()
				d.month |= 1 << at.Month()
			}
		}
	}
	return d
}

// turned moves days of the week.
func turned(dow uint64, later int) uint64 {
	var moved uint64
	for _, v := range values(dow) {
		moved |= 1 << ((v + later%7 + 7) % 7)
	}
	return moved
}
