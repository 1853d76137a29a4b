package cronspec

import (
	"strings"
	"time"
	"unicode"

	"github.com/robfig/cron/v3"
)

// Spec is an expression that has been read. The zero Spec is of no use.
type Spec struct {
	expr    string
	zone    *time.Location
	every   time.Duration // 0: by the calendar
	plain   [5]string     // the fields, written so that every cron reads them alike
	cal     calendar
	elapsed bool // hourly or finer: both passes of a repeated hour count
}

// longestExpr is what Vixie's cron takes in a line.
const longestExpr = 1000

// reader takes five fields and nothing else; words, zones and what its Next makes
// of clock changes are this package's own.
var reader = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// Parse reads an expression, or refuses it with an *Error. It is read in the zone
// tz, else in the zone that the expression begins with (CRON_TZ=Europe/Berlin),
// else in host; nil is the machine's. An expression whose own zone is not tz is
// refused.
func Parse(expr, tz string, host *time.Location) (Spec, error) {
	text, prefix, err := cutZone(expr)
	if err != nil {
		return Spec{}, err
	}
	zone, err := resolve(expr, tz, prefix, host)
	if err != nil {
		return Spec{}, err
	}
	s := Spec{expr: text, zone: zone}
	if strings.HasPrefix(text, "@") {
		return s.word(expr)
	}
	return s.calendar(expr, strings.Fields(text))
}

// cutZone takes the zone from the front of an expression.
func cutZone(expr string) (text, zone string, err error) {
	text = strings.TrimSpace(expr)
	switch {
	case text == "":
		return "", "", &Error{expr, "expression", "it is empty", "write five fields, as in `0 2 * * *`"}
	case len(text) > longestExpr:
		return "", "", &Error{expr[:40] + "…", "expression", "it is longer than 1000 characters, which no crontab takes", "use ranges and steps, as in `*/5 9-17 * * *`"}
	case strings.ContainsFunc(text, func(r rune) bool { return r != '\t' && unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return "", "", &Error{expr, "expression", "it has a line break or another control character in it", "write all in one line, as in `0 2 * * *`"}
	}
	first, rest, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
	name, zone, assigned := strings.Cut(first, "=")
	if !assigned {
		return text, "", nil
	}
	rest = strings.TrimSpace(rest)
	example := rest
	if !readable(rest) {
		example = "0 2 * * *"
	}
	switch {
	case name != "CRON_TZ" && name != "TZ":
		return "", "", &Error{expr, "prefix", "only CRON_TZ= and TZ= may come before the fields", "write `CRON_TZ=UTC " + example + "`"}
	case zone == "":
		return "", "", &Error{expr, "time zone", "the prefix " + name + "= names no zone", "write `" + name + "=UTC " + example + "`, or leave the prefix out"}
	case rest == "":
		return "", "", &Error{expr, "expression", "nothing comes after the zone", "write five fields, as in `" + first + " 0 2 * * *`"}
	case strings.Contains(strings.Fields(rest)[0], "="):
		return "", "", &Error{expr, "prefix", "it has more than one prefix", "write `" + first + " 0 2 * * *`"}
	}
	return rest, zone, nil
}

// readable says whether a text is an expression without a zone.
func readable(text string) bool {
	if strings.TrimSpace(text) == "" || strings.Contains(text, "=") {
		return false
	}
	s := Spec{expr: text, zone: time.UTC}
	var err error
	if strings.HasPrefix(text, "@") {
		_, err = s.word(text)
	} else {
		_, wrong := s.read(strings.Fields(text))
		return wrong == nil
	}
	return err == nil
}

// calendar completes a spec from its fields.
func (s Spec) calendar(expr string, words []string) (Spec, error) {
	if len(words) != len(fields) {
		return Spec{}, miscounted(expr, words)
	}
	done, wrong := s.read(words)
	if wrong != nil {
		wrong.Expr = expr
		return Spec{}, wrong
	}
	return done, nil
}

// read reads five fields. Its refusals have no Expr yet.
func (s Spec) read(words []string) (Spec, *Error) {
	if len(words) != len(fields) {
		return Spec{}, &Error{}
	}
	for i, word := range words {
		plain, wrong := fields[i].plain(word)
		if wrong != nil {
			return Spec{}, wrong.refusal(words, i)
		}
		s.plain[i] = plain
	}
	parsed, err := reader.Parse(strings.Join(s.plain[:], " "))
	bits, ok := parsed.(*cron.SpecSchedule)
	if err != nil || !ok {
		return Spec{}, &Error{Field: "expression", What: err.Error(), Fix: "write five fields, as in `0 2 * * *`"}
	}
	// The parser keeps a mark of its own above the values.
	const values = 1<<60 - 1
	s.cal = calendar{
		minute: bits.Minute & values, hour: bits.Hour & values, dom: bits.Dom & values,
		month: bits.Month & values, dow: bits.Dow & values,
		domStar: strings.HasPrefix(s.plain[domField], "*"), dowStar: strings.HasPrefix(s.plain[dowField], "*"),
	}
	if s.cal.empty() {
		return Spec{}, s.never()
	}
	s.elapsed = s.cal.followsElapsed(s.plain[hourField])
	return s, nil
}

// followsElapsed says whether the hour field makes an expression hourly or finer:
// by a * or a step, or because it has every hour. One hour only is a fixed time,
// however it is written.
func (c *calendar) followsElapsed(hour string) bool {
	const all = 1<<24 - 1
	several := c.hour&(c.hour-1) != 0
	return c.hour == all || several && strings.ContainsAny(hour, "*/")
}

// Zone returns the zone in which the expression is read.
func (s Spec) Zone() *time.Location { return s.zone }

// Every returns the interval of an @every expression.
func (s Spec) Every() (time.Duration, bool) { return s.every, s.every > 0 }

// String returns the expression as given, without the zone.
func (s Spec) String() string { return s.expr }
