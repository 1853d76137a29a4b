package cronspec

import (
	"strings"
	"time"
)

// CrontabLines returns lines in host time that cover the expression.
func (s Spec) CrontabLines(host *time.Location, now time.Time) ([]string, error) {
	if _, ok := s.Every(); ok {
		return nil, &Error{s.expr, "@every", "a crontab has times of day and no intervals", "use the daemon's own scheduler"}
	}
	return []string{strings.Join(s.plain[:], " ")}, nil
}
