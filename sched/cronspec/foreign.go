package cronspec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var (
	nthWeekday  = lazy(`(?i)^([0-7]|[a-z]{3})#([1-5])$`)
	lastWeekday = lazy(`(?i)^([0-7]|[a-z]{3})L$`)
)

// foreign is a value that is neither a number nor a name of the field: most often
// the sign of another scheduler.
func (f *field) foreign(text, base string) *fault {
	upper := strings.ToUpper(text)
	switch {
	case strings.Contains(text, "?"):
		return &fault{what: "? is a sign of Quartz; cron has * for any value", field: "*"}
	case strings.Contains(text, "#"):
		return f.nth(text)
	case f.name == "day of week" && (upper == "L" || lastWeekday().MatchString(text)):
		return f.lastOf(text)
	case f.name == "day of month" && strings.HasPrefix(upper, "L"):
		return &fault{what: "L, the last day of the month, is a sign of Quartz", field: "28-31",
			after: "with a guard that lets only the month's last day pass"}
	case f.name == "day of month" && len(text) > 1 && strings.HasSuffix(upper, "W"):
		return &fault{what: "W, the nearest working day, is a sign of Quartz", field: strings.TrimRight(upper, "LW"),
			after: "or restrict the day of week to 1-5 instead"}
	case upper == "L", upper == "W", upper == "LW":
		return &fault{what: fmt.Sprintf("%s is a sign of Quartz that cron does not know", text), field: f.sample()}
	case strings.HasPrefix(upper, "H") && (len(text) == 1 || text[1] == '('):
		return &fault{what: "H is a sign of Jenkins; cron spreads nothing", advice: "choose a value", field: f.spread()}
	case strings.Contains(text, "~"):
		return &fault{what: "~ stands for a random value, which would move the schedule", advice: "choose a value", field: f.spread()}
	case strings.Contains(text, "*"):
		return &fault{what: fmt.Sprintf("* stands for all values and cannot be part of %q", base), field: "*"}
	case strings.Contains(text, "-"):
		return &fault{what: fmt.Sprintf("%q has more than two ends", base), field: f.span(f.min, f.last)}
	case strings.Contains(text, ":"):
		return &fault{what: fmt.Sprintf("%q is a time of day; minute and hour are fields of their own", text), field: f.sample()}
	}
	return f.unknown(text)
}

// nth is the n-th weekday of a month: days that a guard can tell.
func (f *field) nth(text string) *fault {
	wrong := &fault{what: "#, the n-th weekday of the month, is a sign of Quartz", field: f.sample()}
	if m := nthWeekday().FindStringSubmatch(text); m != nil && f.name == "day of week" {
		if v, bad := f.value(m[1], m[1]); bad == nil {
			n, _ := strconv.Atoi(m[2])
			wrong.field = f.word(v % 7)
			wrong.after = fmt.Sprintf("with a guard that lets only the days from %d to %d pass", n*7-6, min(n*7, 31))
		}
	}
	return wrong
}

// lastOf is the last weekday of a month.
func (f *field) lastOf(text string) *fault {
	wrong := &fault{what: "L, the last of the month, is a sign of Quartz", field: "sat"}
	if len(text) > 1 {
		if v, bad := f.value(text[:len(text)-1], text); bad == nil {
			wrong.field = f.word(v % 7)
		}
		wrong.after = "with a guard that lets only the month's last seven days pass"
	}
	return wrong
}

// spread is a value that is not everybody's.
func (f *field) spread() string {
	switch f.name {
	case "minute":
		return "17"
	case "hour":
		return "3"
	}
	return f.sample()
}

// unknown is a word: a long name, one of another field, or none at all.
func (f *field) unknown(text string) *fault {
	lower := strings.ToLower(text)
	if len(lower) > 3 && slices.Contains(f.names, lower[:3]) {
		return &fault{what: fmt.Sprintf("%q is not a name that cron knows; names have three letters", text), field: lower[:3]}
	}
	for i := range fields {
		if other := &fields[i]; len(lower) >= 3 && other.name != f.name && slices.Contains(other.names, lower[:3]) {
			return &fault{what: fmt.Sprintf("%q belongs into the field for the %s", text, other.name), field: f.sample()}
		}
	}
	if near, ok := nearest(text, f.names); ok {
		return &fault{what: fmt.Sprintf("%q is not a number and no name that cron knows", text), field: near}
	}
	return &fault{what: fmt.Sprintf("%q is not a number", text), field: f.sample()}
}
