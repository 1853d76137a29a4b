package trigger

import (
	"strings"
	"time"

	"iterion/sched/cronspec"
)

// checkCron refuses, as ErrInvalid, an expression that names no instants.
func checkCron(expr, tz string) error {
	if _, err := cronspec.Parse(expr, tz, time.Local); err != nil {
		return invalid("cron %q: %s", expr, strings.TrimPrefix(err.Error(), "invalid: "))
	}
	return nil
}
