package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Judgement is what a policy says of the runs that are live.
type Judgement struct {
	Fire     bool
	Blocking string // when it does not fire: the oldest run that is in the way
	// End names the runs that go before the new one starts, oldest first, where the
	// caller can end runs.
	End []string
	// Stale: those in End have gone silent. Otherwise they are superseded.
	Stale bool
	// Reason says in plain words what was found. Empty: no run is live.
	Reason string
}

// Judge applies a policy to the live runs of a schedule. It is pure.
//
// Only a running run can be stale, and only keepalive asks: it is when at the
// least StaleAfter has passed since its last useful sign. A run whose record cannot
// be read counts as live and is named in the reason.
func Judge(p Policy, live []Live, at time.Time) Judgement {
	p = p.Filled()
	live = slices.Clone(live)
	slices.SortStableFunc(live, func(a, b Live) int { return a.Started.Compare(b.Started) })
	var j Judgement
	switch p.Overlap {
	case Allow:
		j = p.judgeAllow(live)
	case Keepalive:
		j = p.judgeKeepalive(live, at)
	case Supersede:
		j = judgeSupersede(live)
	default:
		j = judgeSkip(live)
	}
	j.Reason = sentence(append([]string{j.Reason}, unreadable(live)...)...)
	return j
}

func judgeSkip(live []Live) Judgement {
	if len(live) == 0 {
		return Judgement{Fire: true}
	}
	return Judgement{Blocking: live[0].RunID, Reason: inTheWay(live)}
}

func (p Policy) judgeAllow(live []Live) Judgement {
	if p.MaxConcurrent == 0 || len(live) < p.MaxConcurrent {
		return Judgement{Fire: true, Reason: beside(live)}
	}
	return Judgement{Blocking: live[0].RunID,
		Reason: fmt.Sprintf("%s; max_concurrent is %d", inTheWay(live), p.MaxConcurrent)}
}

func (p Policy) judgeKeepalive(live []Live, at time.Time) Judgement {
	var up []Live
	j := Judgement{Fire: true, Stale: true}
	var said []string
	for _, l := range live {
		if !l.Stale(p.StaleAfter, at) {
			up = append(up, l)
			continue
		}
		j.End = append(j.End, l.RunID)
		said = append(said, fmt.Sprintf("run %s is stale: silent for %s, stale_after is %s",
			l.RunID, at.Sub(l.lastSign()).Round(time.Second), p.StaleAfter))
	}
	if len(up) > 0 {
		return Judgement{Blocking: up[0].RunID, Reason: sentence(append([]string{inTheWay(up)}, said...)...)}
	}
	j.Reason = sentence(said...)
	return j
}

func judgeSupersede(live []Live) Judgement {
	j := Judgement{Fire: true}
	for _, l := range live {
		j.End = append(j.End, l.RunID)
	}
	if len(live) > 0 {
		j.Reason = "supersedes " + names(live)
	}
	return j
}

// Stale reports whether a running run has been silent for at least after.
func (l Live) Stale(after time.Duration, at time.Time) bool {
	return l.Running && l.Unreadable == "" && at.Sub(l.lastSign()) >= after
}

// lastSign is the start for a run that has said nothing yet.
func (l Live) lastSign() time.Time {
	if l.LastSign.Before(l.Started) {
		return l.Started
	}
	return l.LastSign
}

func inTheWay(live []Live) string {
	l := live[0]
	is := "is live"
	switch {
	case l.Unreadable != "":
	case l.Running:
		is = "is running"
	default:
		is = "has not ended (" + cmp.Or(l.Status, "queued or paused") + ")"
	}
	if n := len(live) - 1; n > 0 {
		return fmt.Sprintf("run %s %s, and %d more", l.RunID, is, n)
	}
	return fmt.Sprintf("run %s %s", l.RunID, is)
}

func beside(live []Live) string {
	if len(live) == 0 {
		return ""
	}
	return "beside " + names(live)
}

func names(live []Live) string {
	var ids []string
	for _, l := range live {
		ids = append(ids, l.RunID)
	}
	return "run " + strings.Join(ids, ", ")
}

func unreadable(live []Live) []string {
	var said []string
	for _, l := range live {
		if l.Unreadable != "" {
			said = append(said, fmt.Sprintf("run %s cannot be read and counts as live: %s", l.RunID, l.Unreadable))
		}
	}
	return said
}

// sentence joins what is not empty.
func sentence(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}
