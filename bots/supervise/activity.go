package supervise

import (
	"sync/atomic"
	"time"
)

// activity remembers when the bot last said something of use. It counts by the
// clock that stands still while the machine sleeps. The zero value has not heard
// anything yet.
type activity struct{ last atomic.Pointer[time.Time] }

func (a *activity) touch() {
	now := time.Now()
	a.last.Store(&now)
}

// silence is how long nothing was said.
func (a *activity) silence() time.Duration {
	last := a.last.Load()
	if last == nil {
		return 0
	}
	return time.Since(*last)
}
