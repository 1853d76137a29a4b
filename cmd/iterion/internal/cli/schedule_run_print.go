package cli

import (
	"context"
	"errors"

	"iterion/bots/supervise"
	"iterion/native/run"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
)

// outcomeJSON is the result of `schedule run`.
type outcomeJSON struct {
	Schedule string        `json:"schedule"`
	Record   *gate.Record  `json:"record"` // null: nothing was due
	Missed   *gate.Record  `json:"missed,omitempty"`
	Settled  []gate.Record `json:"settled,omitempty"` // of ticks that died
	Disabled bool          `json:"disabled,omitempty"`
	Run      *runJSON      `json:"run,omitempty"` // as it is now
}

func (s *schedules) printOutcome(out hostcron.Outcome, rec *run.Record) error {
	j := outcomeJSON{
		Schedule: out.Schedule.Name, Record: out.Record, Missed: out.Missed, Settled: out.Settled, Disabled: out.Disabled,
	}
	if rec != nil {
		if p, err := s.f.placeOf(out.Schedule); err == nil {
			r := newRunJSON(s.f.runsOf(p.layout.Root), *rec)
			j.Run = &r
		}
	}
	return s.f.PrintJSON(j)
}

// sayOutcome prints the decisions: what a tick prints is kept in a log, and begins
// with the time.
func (s *schedules) sayOutcome(o scheduleRunOptions, out hostcron.Outcome) {
	records := out.Settled
	if out.Missed != nil {
		records = append(records, *out.Missed)
	}
	for _, r := range records {
		_ = printTick(s.f, r)
	}
	switch r := out.Record; {
	case r == nil && out.Disabled && s.f.Global.Verbose:
		s.f.Talk("schedule %s is disabled", out.Schedule.Name)
	case r == nil && s.f.Global.Verbose:
		s.f.Talk("schedule %s: nothing is due", out.Schedule.Name)
	case r == nil:
	case o.tick:
		_ = printTick(s.f, *r)
	case s.f.Global.Quiet:
		s.f.Say("%s", r.Decision)
	default:
		s.f.Say("%s", decidedText(*r))
		if r.Decision == gate.GuardBlocked || r.Decision == gate.GuardError {
			sayTail(s.f, "stdout", r.StdoutTail)
			sayTail(s.f, "stderr", r.StderrTail)
		}
	}
}

// decidedText says in a line what was decided by hand.
func decidedText(r gate.Record) string {
	s := string(r.Decision)
	if r.Decision == gate.Fired {
		s += ": run " + run.Short(r.RunID)
	}
	if why := tickReason(manual(r)); why != "" {
		s += ": " + why
	}
	return s
}

// seeRun waits for the end of the run that was started, and returns it as it is
// then. Nothing that happens here touches the run.
func (s *schedules) seeRun(ctx context.Context, o scheduleRunOptions, out hostcron.Outcome) (*run.Record, error) {
	if out.Record == nil || out.Record.Decision != gate.Fired {
		return nil, nil
	}
	p, err := s.f.placeOf(out.Schedule)
	if err != nil {
		return nil, err
	}
	runs, id := s.f.runsOf(p.layout.Root), out.Record.RunID
	if o.noWait {
		rec, err := runs.Get(id)
		return &rec, err
	}
	if !o.tick {
		s.f.Talk("waiting for its end; ctrl-c leaves it at work, and %s shows what it prints", p.command("runs logs -f "+run.Short(id)))
	}
	rec, err := supervise.Await(ctx, runs, id)
	switch {
	case errors.Is(err, run.ErrNotFound): // pruned meanwhile, so it had ended
		return nil, nil
	case err != nil:
		return nil, err
	}
	s.sayEnd(o, rec)
	return &rec, nil
}

func (s *schedules) sayEnd(o scheduleRunOptions, rec run.Record) {
	line := "run " + run.Short(rec.ID) + " " + statusWords(rec)
	if rec.Error != "" {
		line += ": " + rec.Error
	}
	if o.tick {
		line = instant(s.f.Now()) + "  " + line
	}
	s.f.Talk("%s", line)
}

// command is a command line about the schedule's store, as somebody has to type it
// here.
func (p place) command(words string) string {
	if l, err := p.from.Layout(); err == nil && l.Root == p.layout.Root && p.from.Global.StoreDir == "" {
		return "`iterion " + words + "`"
	}
	return "`iterion --store-dir " + quoted(p.layout.Root) + " " + words + "`"
}
