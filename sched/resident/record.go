package resident

import (
	"cmp"
	"fmt"
	"time"

	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// clockText is the clock of a row for records and people.
func clockText(s trigger.Subscription) string {
	switch {
	case s.Invocation == trigger.OnKeepalive:
		return "@every " + time.Duration(s.Interval).String()
	case s.TZ != "":
		return "TZ=" + s.TZ + " " + s.Cron
	}
	return s.Cron
}

// blank is the record of an intention's slot without a decision.
func (j job) blank(in *Intent) gate.Record {
	return gate.Record{
		Schema: gate.Schema, Surface: gate.Trigger, ScheduleID: j.id, ScheduleName: j.id,
		BotID: cmp.Or(in.BotID, j.sub.BotID), TenantID: j.sub.TenantID, Cron: in.Cron,
		At: j.s.now().UTC(), Slot: in.Slot.UTC(),
	}
}

// missed is the record of an intention that came too late, and of what is folded into
// it.
func (j job) missed(in *Intent) gate.Record {
	rec := j.blank(in)
	rec.Decision = gate.Missed
	first := in.Slot
	if in.Folded > 0 {
		first = in.FoldedFirst
	}
	rec.Reason = span(in.Folded+1, first, in.Slot) + because(in.Why)
	return rec
}

// folded is the record of what is folded into an intention that is decided itself.
func (j job) folded(in *Intent) gate.Record {
	rec := j.blank(in)
	rec.Decision, rec.Slot = gate.Missed, in.FoldedLast.UTC()
	rec.Reason = span(in.Folded, in.FoldedFirst, in.FoldedLast) + because(in.Why) +
		"; the slot " + instant(in.Slot) + " is decided in their place"
	return rec
}

// firedBefore is the record of a launch whose launcher died before it could write it.
func (j job) firedBefore(in *Intent, unstarted error) gate.Record {
	rec := j.blank(in)
	rec.Decision, rec.RunID = gate.Fired, in.RunID
	rec.Reason = "recorded afterwards: the launch was cut off before it could be written down"
	if unstarted != nil {
		rec.Decision, rec.Error = gate.LaunchFailed, "the launch failed: "+unstarted.Error()
	}
	return rec
}

// late adds to a record how late its slot was taken up.
func late(rec gate.Record, in *Intent, at time.Time) gate.Record {
	by := at.Sub(in.Slot)
	if by < 5*time.Second {
		return rec
	}
	text := fmt.Sprintf("%s late", by.Round(time.Second))
	if by > onTime || in.Why != "" {
		text = "catch-up, " + text + because(in.Why)
	}
	if rec.Reason != "" {
		text += "; " + rec.Reason
	}
	rec.Reason = text
	return rec
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// verdictOf is the last error that a record leaves, empty for none; ok is false when
// it says nothing about that.
func verdictOf(rec gate.Record) (text string, ok bool) {
	switch rec.Verdict() {
	case gate.Raises:
		return cmp.Or(rec.Error, rec.Reason), true
	case gate.Clears:
		return "", true
	}
	return "", false
}

// short is a record as the calendar keeps it.
func short(rec gate.Record) *gate.Record {
	rec.StdoutTail, rec.StderrTail = "", ""
	return &rec
}
