package doctor

import (
	"fmt"
	"time"
)

// newest is the latest instant that the store tells of.
type newest struct {
	at   time.Time
	what string
}

func (n *newest) see(at time.Time, what string) {
	if at.After(n.at) {
		n.at, n.what = at, what
	}
}

// drift is how far two hosts of one store may differ without harm.
const drift = 5 * time.Second

// clock compares the clock with what was written.
func (x *exam) clock() {
	if x.newest.at.Sub(x.now) <= drift {
		return
	}
	x.found(Finding{ID: "clock-behind", Severity: Warning, Where: x.newest.what,
		What:   fmt.Sprintf("it was written at %s, and the clock says %s", stamp(x.newest.at), stamp(x.now)),
		Means:  "the clock was set back, or was wrong then; leases, retries and schedules come due late",
		Remedy: "set the clock (`timedatectl`); if it is right, the harm ends when it reaches that instant"})
}
