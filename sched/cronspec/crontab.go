package cronspec

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// horizon is how far ahead the lines look for clock changes: after so many years
// the days of the week are the same again, so that standing rules have shown every
// date they have.
const horizon = 28

// line is a crontab line without its command.
type line struct {
	cal  calendar
	text string
}

// wild says whether crons that make up for clock changes take a line for one that
// follows elapsed time. In the second pass of a repeated hour they call no other.
func (l line) wild() bool {
	words := strings.Fields(l.text)
	return words[minuteField][0] == '*' || words[hourField][0] == '*'
}

// CrontabLines returns five fields a line, for the crontab of a host that is in
// another zone, or in the same: at every instant of Next a host's cron calls at
// least one of them. That holds for every offset that the two zones have from now
// on, and for crons that make up for clock changes as well as for those that know
// nothing of them. Where host and spec keep the same time, the first line is the
// expression itself, in numbers. An @every has no lines: that is an *Error.
func (s Spec) CrontabLines(host *time.Location, now time.Time) ([]string, error) {
	if s.every > 0 {
		return nil, s.noInterval()
	}
	if host == nil {
		host = time.Local
	}
	p := pair{spec: &s, zone: clock{s.zone}, host: clock{host}, from: now.AddDate(0, 0, -1).Unix(), until: now.AddDate(horizon, 0, 0).Unix()}
	leads := p.leads()
	var lines []line
	if len(leads) == 1 && leads[0] == 0 {
		lines = []line{{s.cal, strings.Join(s.plain[:], " ")}}
	} else {
		lines = s.cal.moved(leads)
	}
	lines = append(lines, p.extra(lines)...)
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.text)
	}
	return texts, nil
}

func (s Spec) noInterval() *Error {
	fix := "give it to the daemon's scheduler, or write a time, as in `0 * * * *`"
	if minutes := int(s.every / time.Minute); s.every%time.Minute == 0 && minutes < 60 && 60%minutes == 0 {
		fix = fmt.Sprintf("write `*/%d * * * *`, or give it to the daemon's scheduler", minutes)
	}
	return &Error{s.expr, "@every", "a crontab has times of day and no intervals", fix}
}

// pair is a spec and the clock of the host whose cron is to call for it.
type pair struct {
	spec        *Spec
	zone, host  clock
	from, until int64
}

// leads returns by how many minutes the host's clock is ever ahead of the spec's.
func (p pair) leads() []int {
	var leads []int
	for t := p.from; t < p.until; {
		zone, host := p.zone.at(t), p.host.at(t)
		ahead := host.ahead - zone.ahead
		leads = append(leads, int(floorDiv(ahead, 60)), int(-floorDiv(-ahead, 60)))
		t = min(zone.end, host.end)
	}
	slices.Sort(leads)
	return slices.Compact(leads)
}

// extra returns lines for what the others miss: slots at the end of a gap in the
// spec's zone, and slots in the second pass of an hour that the host repeats.
func (p pair) extra(lines []line) []line {
	ends := map[int]*days{}
	var passes days
	var minutes uint64
	note := func(slot int64) {
		here := p.host.at(slot)
		civil := floorDiv(slot+here.ahead, 60)
		repeated := p.host.shown(slot) > slot+here.ahead
		if slices.ContainsFunc(lines, func(l line) bool { return l.cal.has(civil) && (l.wild() || !repeated) }) {
			return
		}
		day := floorDiv(civil, dayMinutes)
		tod := int(civil - day*dayMinutes)
		if repeated {
			minutes |= 1 << (tod % hourMinutes)
			passes.add(day)
			return
		}
		if ends[tod] == nil {
			ends[tod] = &days{}
		}
		ends[tod].add(day)
	}
	for here := p.zone.at(p.from); here.end < p.until; here = p.zone.after(here) {
		if p.spec.next(here.end-1) == here.end {
			note(here.end)
		}
	}
	for here := p.host.at(p.from); here.end < p.until; {
		before := here
		here = p.host.after(before)
		for t := p.spec.next(here.start - 1); t < here.start+before.ahead-here.ahead; t = p.spec.next(t) {
			note(t)
		}
	}
	var more []line
	for tod := range dayMinutes {
		if d := ends[tod]; d != nil {
			more = append(more, d.line(1<<(tod%hourMinutes), 1<<(tod/hourMinutes)))
		}
	}
	if minutes != 0 {
		more = append(more, passes.line(minutes, allHours))
	}
	return more
}

// days are dates, each of its days in each of its months.
type days struct{ dom, month uint64 }

func (d *days) add(day int64) {
	in, dom := monthOf(day)
	d.dom |= 1 << dom
	d.month |= 1 << in.n
}

// line returns the line for times on those days. Where they are all over the year,
// which is so where clocks go by the moon, it is for every day.
func (d *days) line(minute, hour uint64) line {
	const several = 14
	if len(values(d.dom)) > several {
		d.dom = allDoms
	}
	if len(values(d.month)) > several/4 {
		d.month = allMonths
	}
	return lineOf(calendar{minute: minute, hour: hour, dom: d.dom, month: d.month, dow: allDows})
}

// All that a field can name.
const (
	allMinutes = 1<<60 - 1
	allHours   = 1<<24 - 1
	allDoms    = 1<<32 - 2
	allMonths  = 1<<13 - 2
	allDows    = 1<<7 - 1
)

// lineOf writes a calendar as a line. What is not restricted becomes a *.
func lineOf(c calendar) line {
	c.domStar, c.dowStar = c.dom == allDoms, c.dow == allDows
	return line{c, strings.Join([]string{
		list(c.minute, allMinutes), list(c.hour, allHours), list(c.dom, allDoms), list(c.month, allMonths), list(c.dow, allDows),
	}, " ")}
}

// list writes a mask as cron does.
func list(mask, all uint64) string {
	if mask == all {
		return "*"
	}
	var items []string
	set := values(mask)
	for i := 0; i < len(set); {
		j := i
		for j+1 < len(set) && set[j+1] == set[j]+1 {
			j++
		}
		switch {
		case j-i >= 2:
			items = append(items, fmt.Sprintf("%d-%d", set[i], set[j]))
			i = j
		default:
			items = append(items, fmt.Sprint(set[i]))
		}
		i++
	}
	return strings.Join(items, ",")
}

// values returns the bits of a mask.
func values(mask uint64) []int {
	var set []int
	for v := range 64 {
		if has(mask, v) {
			set = append(set, v)
		}
	}
	return set
}
