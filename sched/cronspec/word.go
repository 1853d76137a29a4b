package cronspec

import (
	"fmt"
	"strings"
	"time"
)

// macros are the words that stand for five fields.
var macros = map[string]string{
	"@hourly":   "0 * * * *",
	"@daily":    "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@weekly":   "0 0 * * 0",
	"@monthly":  "0 0 1 * *",
	"@yearly":   "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
}

// words are all that may begin with an @, the most likely first.
var words = []string{"@daily", "@hourly", "@weekly", "@monthly", "@yearly", "@annually", "@midnight", "@every"}

// word completes a spec that is one word, or @every and a time span.
func (s Spec) word(expr string) (Spec, error) {
	name, rest, _ := strings.Cut(strings.ReplaceAll(s.expr, "\t", " "), " ")
	rest = strings.TrimSpace(rest)
	if name == "@every" {
		d, wrong := interval(rest)
		if wrong != nil {
			wrong.Expr = expr
			return Spec{}, wrong
		}
		s.every = d
		return s, nil
	}
	five, ok := macros[name]
	switch {
	case !ok:
		return Spec{}, strange(expr, name, rest)
	case rest != "":
		return Spec{}, &Error{expr, name, fmt.Sprintf("nothing may follow it, and %q does", rest), "write `" + name + "`"}
	}
	return s.calendar(expr, strings.Fields(five))
}

// strange refuses a word that is none of the known ones.
func strange(expr, name, rest string) *Error {
	switch lower := strings.ToLower(name); {
	case lower == "@reboot":
		return &Error{expr, name, "the machine's start is not an instant that a clock can tell", "write `@daily` or another time; what is always to run is a keepalive subscription of the daemon"}
	case strings.HasPrefix(lower, "@every"):
		if d, wrong := interval(lower[len("@every"):]); wrong == nil {
			return &Error{expr, name, "a blank goes between @every and the time span", "write `@every " + brief(d) + "`"}
		}
		return &Error{expr, name, "it is not a word that cron knows", "write @every and a time span, as in `@every 90s`"}
	}
	known := "known are " + strings.Join(words, " ")
	if near, ok := nearest(name, words); ok {
		if near == "@every" {
			near += " " + spanOr(rest, "90s")
		}
		return &Error{expr, name, "it is not a word that cron knows", "write `" + near + "`; " + known}
	}
	return &Error{expr, name, "it is not a word that cron knows", "write `0 2 * * *` or the like; " + known}
}

// spanOr returns a time span that can follow @every, or another one.
func spanOr(text, other string) string {
	if _, wrong := interval(text); wrong != nil {
		return other
	}
	return text
}

var spoken = lazy(`^(\d{1,5})\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)?$`)

// interval reads the time span of an @every.
func interval(text string) (time.Duration, *Error) {
	refuse := func(what, example string) (time.Duration, *Error) {
		return 0, &Error{Field: "@every", What: what, Fix: "write `@every " + example + "`"}
	}
	if text == "" {
		return refuse("no time span follows", "90s")
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		m := spoken().FindStringSubmatch(strings.ToLower(text))
		if m == nil || short(m[1]) == "0" {
			return refuse(fmt.Sprintf("%q is not a time span", text), "1h30m")
		}
		unit := map[string]string{"": "s", "s": "s", "m": "m", "h": "h", "d": "h", "w": "h"}[strings.ToLower(m[2])[:min(1, len(m[2]))]]
		number := short(m[1])
		switch {
		case strings.HasPrefix(m[2], "d"):
			number = multiplied(number, 24)
		case strings.HasPrefix(m[2], "w"):
			number = multiplied(number, 7*24)
		}
		return refuse(fmt.Sprintf("%q is not a time span that is written in h, m and s", text), number+unit)
	case d <= 0:
		return refuse("the time span must be more than nothing", "90s")
	case d < time.Second:
		return refuse("nothing is due more often than once a second", "1s")
	case d%time.Second != 0:
		return refuse("the time span must be whole seconds", brief(d.Truncate(time.Second)+time.Second))
	}
	return d, nil
}

func multiplied(number string, by int) string {
	var n int
	_, _ = fmt.Sscan(number, &n)
	return fmt.Sprint(n * by)
}

// brief writes a time span without the zeros that it ends in.
func brief(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
