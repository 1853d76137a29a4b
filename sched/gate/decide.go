package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Decide takes one due slot through the gate, as the package comment says, and
// returns its record. It does not fail: what goes wrong is in the record, also when
// ctx ends meanwhile.
func Decide(ctx context.Context, r Request, p Ports) Record {
	r.Policy = r.Policy.Filled()
	if p.Now == nil {
		p.Now = time.Now
	}
	d := decider{Request: r, Ports: p, rec: Record{
		Schema: Schema, Surface: r.Surface, ScheduleID: r.ScheduleID, ScheduleName: r.ScheduleName, BotID: r.BotID,
		TenantID: r.TenantID, Cron: r.Cron, At: r.At.UTC(), Slot: r.Slot.UTC(),
	}}
	if r.Slot.IsZero() {
		d.rec.Slot = time.Time{}
	}
	d.decide(ctx)
	return d.rec
}

// decider is one decision on its way.
type decider struct {
	Request
	Ports
	rec  Record
	vars map[string]string
}

func (d *decider) decide(ctx context.Context) {
	j, ok := d.judge(ctx, d.At)
	if !ok {
		return
	}
	d.vars = maps.Clone(d.Vars)
	if d.Policy.Guard != "" {
		if !d.guarded(ctx) {
			return
		}
		if len(j.End) > 0 { // what is to be ended may have come back to life meanwhile
			if j, ok = d.judge(ctx, d.rec.At); !ok {
				return
			}
		}
	}
	if d.reaped(ctx, j) {
		d.launch(ctx)
	}
}

// judge applies the policy to what is live now.
func (d *decider) judge(ctx context.Context, at time.Time) (Judgement, bool) {
	live, err := d.Live(ctx, d.ScheduleID)
	if err != nil {
		return Judgement{}, d.failed("the runs of the schedule cannot be listed", err)
	}
	j := Judge(d.Policy, live, at)
	d.rec.Reason = j.Reason
	if !j.Fire {
		d.rec.Decision, d.rec.BlockingRunID = SkippedOverlap, j.Blocking
	}
	return j, j.Fire
}

// guarded runs the guard and reports whether it lets the launch go on.
func (d *decider) guarded(ctx context.Context) bool {
	res := runGuard(ctx, d.Request, d.Policy)
	d.rec.At = d.Now().UTC()
	d.rec.GuardExit, d.rec.GuardDuration = res.exit, res.duration
	d.rec.StdoutTail, d.rec.StderrTail = tailOf(res.stdout), tailOf(res.stderr)
	switch {
	case res.failure != "":
		d.rec.Decision = GuardError
		d.rec.Error = res.failure
		if res.err != nil {
			d.rec.Error += ": " + res.err.Error()
		} else if said := lastLine(res.stderr); said != "" {
			d.rec.Error += ": " + said
		}
		d.why(d.rec.Error)
		return false
	case *res.exit != 0:
		d.rec.Decision = GuardBlocked
		d.why(fmt.Sprintf("the guard said no: exit %d", *res.exit))
		return false
	}
	if d.vars == nil {
		d.vars = map[string]string{}
	}
	d.vars[d.Policy.GuardVar] = res.value()
	return true
}

// reaped ends what goes before the new run.
func (d *decider) reaped(ctx context.Context, j Judgement) bool {
	switch {
	case len(j.End) == 0:
		return true
	case d.MayReap && d.End != nil:
	case j.Stale:
		d.why("left as it is: this clock ends no runs")
		return true
	default:
		return d.failed("the live runs cannot be superseded", errors.New("this clock ends no runs"))
	}
	for _, id := range j.End {
		err := d.End(ctx, id, j.Stale, d.endReason(j.Stale))
		d.rec.At = d.Now().UTC()
		if err != nil {
			d.rec.BlockingRunID = id
			return d.failed(fmt.Sprintf("run %s could not be ended", id), err)
		}
	}
	return true
}

func (d *decider) endReason(stale bool) string {
	if stale {
		return fmt.Sprintf("silent for at least %s; schedule %s starts a new run", d.Policy.StaleAfter, d.ScheduleName)
	}
	return fmt.Sprintf("superseded by a new run of schedule %s", d.ScheduleName)
}

// launch makes the decision durable and then acts on it.
func (d *decider) launch(ctx context.Context) {
	if err := ctx.Err(); err != nil {
		d.failed("interrupted before the launch", context.Cause(ctx))
		return
	}
	if d.Intend != nil {
		if err := d.Intend(ctx); err != nil {
			d.failed("the decision to launch could not be written down", err)
			return
		}
	}
	err := d.Launch(ctx, d.RunID, d.vars)
	var made interface{ RunMade() bool }
	if err == nil || errors.As(err, &made) && made.RunMade() {
		d.rec.RunID = d.RunID
	}
	if err != nil {
		d.failed("the launch failed", err)
		return
	}
	d.rec.Decision = Fired
}

// failed ends the decision without a run.
func (d *decider) failed(what string, err error) bool {
	d.rec.Decision, d.rec.Error = LaunchFailed, fmt.Sprintf("%s: %v", what, err)
	d.why(d.rec.Error)
	return false
}

// why adds to the reason.
func (d *decider) why(what string) {
	d.rec.Reason = sentence(slices.Clone([]string{d.rec.Reason, what})...)
}
