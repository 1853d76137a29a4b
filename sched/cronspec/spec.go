// Package cronspec reads cron expressions and tells when they are due.
package cronspec

import (
	"errors"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"
)

// ErrInvalid is what all refusals of this package are.
var ErrInvalid = errors.New("invalid cron expression")

// Error is a refused expression.
type Error struct {
	Expr  string // as given
	Field string // the part that is wrong
	What  string // what is wrong with it
	Fix   string // what to write in its place
}

func (e *Error) Error() string {
	return fmt.Sprintf("cron expression %q: %s: %s; %s", e.Expr, e.Field, e.What, e.Fix)
}

// Is says that a refusal is ErrInvalid.
func (e *Error) Is(target error) bool { return target == ErrInvalid }

// Spec is an expression that has been read.
type Spec struct {
	expr  string
	zone  *time.Location
	sched cron.Schedule
	every time.Duration
}

// Parse reads an expression. An empty tz means the prefix's zone, else host.
func Parse(expr, tz string, host *time.Location) (Spec, error) {
	zone := host
	if tz != "" {
		l, err := time.LoadLocation(tz)
		if err != nil {
			return Spec{}, &Error{Expr: expr, Field: "time zone", What: err.Error(), Fix: "name a zone, as in `Europe/Berlin`"}
		}
		zone = l
	}
	sched, err := cron.ParseStandard(expr)
	if err != nil {
		return Spec{}, &Error{Expr: expr, Field: "expression", What: err.Error(), Fix: "write five fields, as in `0 2 * * *`"}
	}
	s := Spec{expr: expr, zone: zone, sched: sched}
	if d, ok := sched.(cron.ConstantDelaySchedule); ok {
		s.every = d.Delay
	}
	return s, nil
}

// Next returns the first slot after an instant.
func (s Spec) Next(after time.Time) time.Time { return s.sched.Next(after.In(s.zone)) }

// Last returns the newest slot in (after, until].
func (s Spec) Last(after, until time.Time) (time.Time, bool) {
	var last time.Time
	for t := s.Next(after); !t.After(until); t = s.Next(t) {
		last = t
	}
	return last, !last.IsZero()
}

// Count returns how many slots are in (after, until], at most max.
func (s Spec) Count(after, until time.Time, max int) int {
	n := 0
	for t := s.Next(after); n < max && !t.After(until); t = s.Next(t) {
		n++
	}
	return n
}

// Zone returns the zone in which the expression is read.
func (s Spec) Zone() *time.Location { return s.zone }

// Every returns the interval of an @every expression.
func (s Spec) Every() (time.Duration, bool) { return s.every, s.every > 0 }

// String returns the expression as given, without the zone.
func (s Spec) String() string { return s.expr }

// Explain returns the expression in plain words.
func (s Spec) Explain() string { return s.expr + " (" + s.zone.String() + ")" }

// CrontabLines returns lines in host time that cover the expression.
func (s Spec) CrontabLines(host *time.Location, now time.Time) ([]string, error) {
	if _, ok := s.Every(); ok {
		return nil, &Error{Expr: s.expr, Field: "@every", What: "a crontab has no intervals", Fix: "use the daemon's own scheduler"}
	}
	return []string{s.expr}, nil
}
