package cronspec

import (
	"fmt"
	"strings"
	"time"
)

// refusal makes a field's fault an error about the expression.
func (f *fault) refusal(words []string, place int) *Error {
	advice := f.advice
	if advice == "" {
		advice = "write"
	}
	fix := advice + " `" + f.example(words, place) + "`"
	if advice != "write" {
		fix = advice + ", as in `" + f.example(words, place) + "`"
	}
	if f.after != "" {
		fix += " " + f.after
	}
	return &Error{Field: fields[place].name, What: f.what, Fix: fix}
}

// example is the expression with the field put right; where more than that is
// wrong with it, the field alone in an expression that is right.
func (f *fault) example(words []string, place int) string {
	if f.whole != "" {
		return f.whole
	}
	for _, try := range [][]string{words, {"0", "2", "*", "*", "*"}} {
		fixed := append([]string(nil), try...)
		fixed[place] = f.field
		if text := strings.Join(fixed, " "); readable(text) {
			return text
		}
	}
	return "0 2 * * *"
}

// never refuses fields that no date matches: days of the month that none of the
// months has.
func (s *Spec) never() *Error {
	first := 1
	for !has(s.cal.month, first) {
		first++
	}
	dom := 1
	for !has(s.cal.dom, dom) {
		dom++
	}
	what := fmt.Sprintf("%d %s never comes", dom, time.Month(first))
	if s.cal.month&(s.cal.month-1) != 0 {
		what = fmt.Sprintf("no month in %s has a day %d", s.plain[monthField], dom)
	}
	fixed := s.plain
	fixed[domField] = fmt.Sprint(longest[first])
	return &Error{Field: "day of month", What: what + ", so this would never be due", Fix: "write `" + strings.Join(fixed[:], " ") + "`"}
}

var (
	year    = lazy(`^(19|20)\d\d$`)
	clock24 = lazy(`^([01]?\d|2[0-3]):([0-5]\d)$`)
)

// miscounted refuses an expression that has not five fields.
func miscounted(expr string, words []string) *Error {
	switch {
	case len(words) == 1:
		return lonely(expr, words[0])
	case len(words) == 6, len(words) == 7:
		return surplus(expr, words)
	}
	what := fmt.Sprintf("it has %d fields; five are needed: minute, hour, day of month, month, day of week", len(words))
	example := "0 2 * * *"
	if len(words) < len(fields) {
		filled := strings.Join(append(append([]string(nil), words...), "*", "*", "*")[:5], " ")
		if readable(filled) {
			example = filled
		}
	}
	return &Error{expr, "expression", what, "write `" + example + "`"}
}

// lonely is one word that is no expression.
func lonely(expr, word string) *Error {
	what := "it has one field; five are needed: minute, hour, day of month, month, day of week"
	if m := clock24().FindStringSubmatch(word); m != nil {
		return &Error{expr, "expression", what, fmt.Sprintf("write `%s %s * * *` for every day at %s", short(m[2]), short(m[1]), word)}
	}
	if near, ok := nearest("@"+word, words); ok {
		return &Error{expr, "expression", what, "write `" + near + "`"}
	}
	return &Error{expr, "expression", what, "write five, as in `0 2 * * *`"}
}

func short(number string) string {
	if s := strings.TrimLeft(number, "0"); s != "" {
		return s
	}
	return "0"
}

// surplus is an expression with a field for seconds, as Quartz and Spring have, or
// with something after the fifth: a year, or the command of a crontab line.
func surplus(expr string, given []string) *Error {
	known := make([]string, len(given))
	for i, w := range given {
		known[i] = w
		if w == "?" {
			known[i] = "*"
		}
	}
	five := func(from int) (string, bool) {
		text := strings.Join(known[from:from+5], " ")
		return text, readable(text)
	}
	inner, seconds := five(1)
	outer, extra := five(0)
	last := known[len(known)-1]
	count := fmt.Sprintf("it has %d fields, and ", len(given))
	switch {
	case len(given) == 7 && seconds:
		return &Error{expr, "seconds", count + "cron has none for seconds and years", "write `" + inner + "`"}
	case extra && year().MatchString(last):
		return &Error{expr, "year", count + "cron has none for the year", "write `" + outer + "`"}
	case seconds && strings.ContainsAny(known[0], "*/,") && strings.Trim(inner, "* ") == "":
		return &Error{expr, "seconds", count + "cron has none for seconds", "write `" + subMinute(known[0]) + "`"}
	case seconds:
		return &Error{expr, "seconds", count + "cron has none for seconds", "write `" + inner + "`"}
	case extra:
		return &Error{expr, "expression", count + "what comes after the fifth is not part of the expression", "write `" + outer + "`"}
	}
	return &Error{expr, "seconds", count + "cron has none for seconds: it has minute, hour, day of month, month, day of week", "write five, as in `0 2 * * *`"}
}

// subMinute is the interval that a seconds field most likely stood for.
func subMinute(seconds string) string {
	if _, step, ok := strings.Cut(seconds, "/"); ok && readable("@every "+step+"s") {
		return "@every " + step + "s"
	}
	if seconds == "*" {
		return "@every 1s"
	}
	return "@every 30s"
}
