package cronspec

import (
	"regexp"
	"sync"
)

// lazy compiles an expression when it is first asked for: every start of the program
// would pay for it otherwise, and most never read a schedule.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
