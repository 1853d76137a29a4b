package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"iterion/daemon"
	"iterion/daemon/control"
	"iterion/native"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
	"iterion/sched/resident"
	"iterion/sched/trigger"
)

// residentLook is what is known of a schedule whose clock the store's daemon keeps.
type residentLook struct {
	clockLook
	row     resident.Row
	offline bool // no daemon is running
}

// whyResident answers for a schedule that the store's daemon keeps, if there is one
// of that id.
func (s *schedules) whyResident(ctx context.Context, id string) (found bool, err error) {
	w, err := s.lookResident(ctx, id)
	if w == nil || err != nil {
		return false, err
	}
	if w.offline {
		s.f.Talk("no daemon is running: this is what one would find that started now")
	}
	return true, printVerdicts(s.f, w.rows(ctx,
		w.inForce, w.daemon, w.store, w.bot, w.paused, w.capped, w.overlap, w.guard, w.held, w.last, w.health, w.missed, w.next))
}

// lookResident returns nil where there is no store, or no such schedule in it.
func (s *schedules) lookResident(ctx context.Context, id string) (*residentLook, error) {
	o, err := s.f.daemonOptions("")
	var none *native.NoStoreError
	if errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, offline, err := daemon.Schedules(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.ID == id {
			return s.residentLook(o, row, offline)
		}
	}
	return nil, nil
}

func (s *schedules) residentLook(o daemon.Options, row resident.Row, offline bool) (*residentLook, error) {
	w := &residentLook{row: row, offline: offline, clockLook: clockLook{
		s: s, name: row.ID, now: s.f.Now().Round(0), edit: "`iterion trigger edit " + row.ID,
	}}
	reg, err := s.f.Bots()
	if err != nil {
		return nil, err
	}
	set, err := trigger.Load(daemon.TriggerOptions(o.Layout, reg))
	if err != nil {
		return nil, err
	}
	sub, err := set.Get(row.ID)
	if err != nil {
		return nil, err
	}
	w.bound = hostcron.Schedule{Name: row.ID, Bot: sub.BotID, Vars: sub.Vars, Policy: sub.Policy(), StoreDir: o.Layout.Root, Workdir: sub.Workdir}
	w.place, w.placeErr = s.f.placeOf(w.bound)
	w.tryGuard = "try it by hand in " + w.place.workdir + ": " + oneLine(sub.Guard)
	w.readAudit(hostcron.Default(o.Home), gate.Trigger)
	return w, nil
}

func (w *residentLook) inForce(context.Context) (string, verdict) {
	switch {
	case w.row.Problem != "" && w.row.Next.IsZero():
		return "subscription", stopped(oneLine(w.row.Problem), w.edit+"`")
	case !w.row.Enabled:
		return "subscription", stopped("it is not enabled", "`iterion trigger enable "+w.name+"`")
	}
	return "subscription", passed(fmt.Sprintf("%s %s, from %s", w.row.Kind, w.row.Clock, w.row.Origin))
}

func (w *residentLook) daemon(context.Context) (string, verdict) {
	if w.offline {
		return "daemon", stopped("no daemon is running, and its clock is kept by one", w.command("daemon"))
	}
	return "daemon", passed("a daemon keeps its clock")
}

// command is a command line about the store; without one it cannot be said.
func (w *residentLook) command(words string) string {
	if w.placeErr != nil {
		return "`iterion " + words + "`"
	}
	return w.place.command(words)
}

// held tells of a due slot that waits.
func (w *residentLook) held(context.Context) (string, verdict) {
	in := w.row.Due
	switch {
	case in == nil:
		return "held", passed("no due slot waits")
	case in.Held == nil:
		return "held", verdict{"acts", "the slot of " + instant(in.Slot) + " is being decided", ""}
	}
	return "held", stopped(fmt.Sprintf("the slot of %s waits since %s: %s", instant(in.Slot), instant(in.Held.Since), oneLine(in.Held.Reason)),
		"it goes on by itself as soon as that is over")
}

// health is the last error of the binding.
func (w *residentLook) health(context.Context) (string, verdict) {
	switch {
	case w.row.LastError != "":
		return "health", skipped("last error: "+oneLine(w.row.LastError), "it is cleared by the next tick that works")
	case w.row.Problem != "":
		return "health", skipped(oneLine(w.row.Problem), "")
	}
	return "health", passed("no error is left")
}

func (w *residentLook) next(context.Context) (string, verdict) {
	if w.row.Next.IsZero() {
		return "next", stopped("it is not armed", "")
	}
	at := w.row.Next.In(time.Local)
	if at.Before(w.now) {
		return "next", passed("was due " + at.Format(inZoneLayout) + ", and is looked at once more as soon as a daemon runs")
	}
	return "next", passed(at.Format(inZoneLayout) + ", in " + roughly(at.Sub(w.now)))
}

// runResident has the daemon take one of its schedules through the gate. Where there
// is no such schedule, unknown is the error.
func (s *schedules) runResident(ctx context.Context, id string, unknown error) (hostcron.Outcome, error) {
	w, err := s.lookResident(ctx, id)
	switch {
	case err != nil:
		return hostcron.Outcome{}, err
	case w == nil:
		return hostcron.Outcome{}, unknown
	case w.offline:
		return hostcron.Outcome{}, noDaemon()
	}
	if w.placeErr == nil {
		if err := s.f.RequireTrust(w.place.layout); err != nil {
			return hostcron.Outcome{}, err
		}
	}
	c, err := s.f.Daemon()
	if err != nil {
		return hostcron.Outcome{}, err
	}
	rec, err := c.RunSchedule(ctx, id, control.By{By: s.f.Actor()})
	return hostcron.Outcome{Schedule: w.bound, Record: &rec}, err
}
