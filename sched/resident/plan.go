package resident

import (
	"fmt"
	"time"
)

// plan makes the intention of what is due now, or adds what has come due since to the
// one that there is. It returns nil when nothing is. through is how far the calendar
// goes then.
func (j job) plan(now time.Time) (in *Intent, through time.Time) {
	through = j.entry.Through
	if was := j.entry.Intent; was != nil {
		next := *was
		in = &next
		if was.Held != nil {
			in.Why = "held back since " + instant(was.Held.Since) + ": " + was.Held.Reason
		}
		if was.Missed {
			return in, through
		}
	}
	if j.clock != nil {
		newest, before, n := j.clock.passed(through, now)
		if n > 0 {
			in = j.fold(in, newest, before, n, now)
			through = newest.UTC()
		}
	}
	switch {
	case in == nil:
	case j.gone:
		in.Missed, in.Why = true, "the schedule was removed or switched off before it was decided"
	case !j.waiting && now.Sub(in.Slot) > latest(j.sub):
		in.Missed = true
	}
	return in, through
}

// fold puts n slots that came due behind what is there already: the newest is what is
// to be decided.
func (j job) fold(in *Intent, newest, before time.Time, n int, now time.Time) *Intent {
	first := j.clock.next(j.entry.Through)
	if in == nil {
		in = &Intent{RunID: j.s.o.NewID(), At: now.UTC(), BotID: j.sub.BotID, Cron: clockText(j.sub)}
		if n > 1 || now.Sub(newest) > onTime {
			in.Why = j.whyLate(first)
		}
	} else { // what was to be decided goes undecided now
		if in.Folded == 0 {
			in.FoldedFirst = in.Slot
		}
		in.Folded, in.FoldedLast = in.Folded+1, in.Slot
	}
	in.Slot = newest.UTC()
	if n > 1 {
		if in.Folded == 0 {
			in.FoldedFirst = first.UTC()
		}
		in.Folded, in.FoldedLast = in.Folded+n-1, before.UTC()
	}
	return in
}

// whyLate says what kept slots from being decided, as far as that is known.
func (j job) whyLate(first time.Time) string {
	if first.Before(j.started) {
		return "no daemon was there to decide them"
	}
	return "the machine slept, its clock was set forward, or an earlier slot took so long"
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// span says which slots an intention leaves undecided.
func span(n int, first, last time.Time) string {
	if n == 1 {
		return "1 slot, " + instant(last) + ", passed undecided"
	}
	most := ""
	if n >= mostCounted {
		most = " or more"
	}
	return fmt.Sprintf("%d%s slots from %s to %s passed undecided", n, most, instant(first), instant(last))
}
