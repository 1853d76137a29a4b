package cronspec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// field is one of the five. Its highest value may be more than its last: 7 is
// Sunday as well.
type field struct {
	name            string
	min, last, high int
	names           []string // of the values from min on
	plural          string
}

// The places of the fields.
const (
	minuteField = iota
	hourField
	domField
	monthField
	dowField
)

var fields = [5]field{
	{name: "minute", min: 0, last: 59, high: 59, plural: "minutes"},
	{name: "hour", min: 0, last: 23, high: 23, plural: "hours"},
	{name: "day of month", min: 1, last: 31, high: 31, plural: "days"},
	{name: "month", min: 1, last: 12, high: 12, plural: "months", names: []string{
		"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{name: "day of week", min: 0, last: 6, high: 7, plural: "days", names: []string{
		"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// fault is what is wrong with a field, and what it should be.
type fault struct {
	what   string
	advice string // goes before the example; empty: "write"
	field  string // the field as it should be; empty: the example is whole
	whole  string // an expression to write instead
	after  string // goes after the example
}

// plain rewrites a field so that every parser and every cron reads it alike:
// numbers for names, 0 for a Sunday that is 7, N-end/S for N/S.
func (f *field) plain(text string) (string, *fault) {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item == "" {
			return "", &fault{what: "a list has an empty place", field: f.withoutEmpty(text)}
		}
		p, wrong := f.plainItem(item)
		if wrong != nil {
			return "", wrong
		}
		items = append(items, p)
	}
	return strings.Join(items, ","), nil
}

func (f *field) withoutEmpty(text string) string {
	items := slices.DeleteFunc(strings.Split(text, ","), func(s string) bool { return s == "" })
	if len(items) == 0 {
		return "*"
	}
	return strings.Join(items, ",")
}

func (f *field) plainItem(item string) (string, *fault) {
	base, stepText, stepped := strings.Cut(item, "/")
	step := 1
	if stepped {
		var wrong *fault
		if step, wrong = f.step(base, stepText); wrong != nil {
			return "", wrong
		}
	}
	if base == "*" {
		return item, nil
	}
	low, high, ranged := strings.Cut(base, "-")
	from, wrong := f.value(low, base)
	if wrong != nil && stepped && strings.EqualFold(base, "H") {
		wrong.advice, wrong.field = "", "*/"+stepText
	}
	if wrong != nil {
		return "", wrong
	}
	to := from
	if ranged {
		if to, wrong = f.value(high, base); wrong != nil {
			return "", wrong
		}
	} else if stepped {
		to = max(f.last, from)
	}
	if from > to {
		return "", f.reversed(base, low, high, from, to, step)
	}
	switch {
	case to > f.last:
		return f.wrapped(from, to, step), nil
	case !ranged && !stepped:
		return strconv.Itoa(from), nil
	case !stepped:
		return fmt.Sprintf("%d-%d", from, to), nil
	}
	return fmt.Sprintf("%d-%d/%d", from, to, step), nil
}

// wrapped writes out a range that ends at the second name of the first value.
func (f *field) wrapped(from, to, step int) string {
	var items []string
	for v := from; v <= to; v += step {
		items = append(items, strconv.Itoa(v%(f.last+1)))
	}
	return strings.Join(items, ",")
}

// value reads one number or name.
func (f *field) value(text, base string) (int, *fault) {
	if text == "" {
		return 0, &fault{what: fmt.Sprintf("%q has no number where one should be", base), field: f.sample()}
	}
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.min + i, nil
	}
	if !digits(text) {
		return 0, f.foreign(text, base)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > f.high || n < f.min {
		return 0, f.outside(text, n)
	}
	return n, nil
}

// step reads what comes after a slash.
func (f *field) step(base, text string) (int, *fault) {
	if !digits(text) {
		return 0, &fault{what: fmt.Sprintf("the step %q is not a number", text), field: base + "/2"}
	}
	n, err := strconv.Atoi(text)
	switch {
	case err == nil && n == 0:
		return 0, &fault{what: "a step of 0 never gets anywhere", field: base}
	case err == nil && n <= f.high:
		return n, nil
	}
	wrong := &fault{what: fmt.Sprintf("a step of %s %s is longer than the field, which ends at %d", text, f.plural, f.high)}
	switch {
	case err == nil && n < 10_000 && f.name == "minute":
		wrong.whole = fmt.Sprintf("@every %dm", n)
	case err == nil && n < 10_000 && f.name == "hour":
		wrong.whole = fmt.Sprintf("@every %dh", n)
	default:
		wrong.field = strconv.Itoa(f.min)
	}
	return 0, wrong
}

// outside is a number that the field has not got.
func (f *field) outside(text string, n int) *fault {
	wrong := &fault{what: fmt.Sprintf("%s is not between %d and %d", text, f.min, f.high)}
	switch {
	case f.name == "hour" && n == 24, f.name == "minute" && n == 60:
		wrong.field = "0"
	case n < f.min:
		wrong.field = strconv.Itoa(f.min)
	default:
		wrong.field = strconv.Itoa(f.last)
	}
	return wrong
}

// reversed is a range that ends before it begins. The same values, in order, are
// the fix.
func (f *field) reversed(base, low, high string, from, to, step int) *fault {
	wrong := &fault{what: fmt.Sprintf("the range %s ends before it begins", base)}
	switch {
	case step > 1:
		var values []string
		span := f.last - f.min + 1
		for v := from; v <= to+span; v += step {
			values = append(values, strconv.Itoa((v-f.min)%span+f.min))
		}
		wrong.field = strings.Join(values, ",")
	case to == f.min && digits(low):
		wrong.field = fmt.Sprintf("%s,%s", f.span(from, f.last), high)
	case to == f.min:
		wrong.field = fmt.Sprintf("%s,%s", f.span(from, f.last), strings.ToLower(high))
	default:
		wrong.field = fmt.Sprintf("%s,%s", f.span(from, f.last), f.span(f.min, to))
	}
	return wrong
}

func (f *field) span(from, to int) string {
	if from == to {
		return f.word(from)
	}
	return f.word(from) + "-" + f.word(to)
}

// word is the name of a value, or its number.
func (f *field) word(v int) string {
	if f.names != nil {
		return f.names[v-f.min]
	}
	return strconv.Itoa(v)
}

// sample is a value to show.
func (f *field) sample() string {
	switch f.name {
	case "hour":
		return "2"
	case "month", "day of week":
		return f.word(f.min + 1)
	}
	return strconv.Itoa(f.min)
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
