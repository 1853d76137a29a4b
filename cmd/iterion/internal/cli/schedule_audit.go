package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"iterion/native/run"
	"iterion/sched/audit"
	"iterion/sched/gate"
)

type scheduleAuditOptions struct {
	name         string
	surface      string
	since, until string
	decisions    []string
	tail         int
	follow       bool
}

func newScheduleAudit(s *schedules) *cobra.Command {
	var o scheduleAuditOptions
	c := &cobra.Command{
		Use: "audit", Aliases: []string{"log"}, Short: "Print what became of each tick, oldest first", Args: exactly(),
		Long: "Print what became of each tick: one record for each slot that a clock decided, and one for\n" +
			"each run by hand. The decisions:\n\n" + decisionWords() + "\n" +
			"The log lies beside the manifest, in logs/tick-audit.jsonl; the ticks of daemons on this host are\n" +
			"in ~/.iterion/logs/tick-audit.jsonl, and are told along. -v adds what a guard printed. --json prints\n" +
			"one array with the keys of the log; with --follow it prints one object a line. Lines that cannot\n" +
			"be read are counted on standard error, and no reason to stop.",
		Example: "  iterion schedule audit --tail 20\n" +
			"  iterion schedule audit --name nightly --since 7d --decision launch_failed --decision guard_error\n" +
			"  iterion schedule audit -f --surface trigger",
		RunE: func(c *cobra.Command, _ []string) error {
			return runScheduleAudit(c.Context(), s, o, c.Flags().Changed("tail"))
		},
	}
	fl := c.Flags()
	fl.StringVarP(&o.name, "name", "n", "", "only of the schedule with this `name`")
	fl.StringVar(&o.surface, "surface", "", "only of this `clock`: "+strings.Join(surfaces(), ", "))
	fl.StringVar(&o.since, "since", "", "only from this `time` on: 2026-11-30, 2026-11-30T09:00:00Z, or 90m, 2h, 7d ago")
	fl.StringVar(&o.until, "until", "", "only before this `time`")
	fl.StringArrayVarP(&o.decisions, "decision", "d", nil, "only of this decision, repeatable")
	fl.IntVar(&o.tail, "tail", 0, "only the newest so many")
	fl.BoolVarP(&o.follow, "follow", "f", false, "go on with those to come")
	completeFlag(c, "name", s.completeEachName)
	completeFlag(c, "surface", fixed(surfaces()...))
	completeFlag(c, "decision", fixed(decisions()...))
	return c
}

func surfaces() []string {
	return []string{string(gate.HostCron), string(gate.Trigger), string(gate.Cloud)}
}

// decisionText says in a line what each decision means.
var decisionText = [][2]string{
	{string(gate.Fired), "a run was started"},
	{string(gate.SkippedOverlap), "an earlier run was in the way"},
	{string(gate.GuardBlocked), "the guard said no (exit other than 0)"},
	{string(gate.GuardError), "the guard could not run, or took too long"},
	{string(gate.LaunchFailed), "the run could not be started, or nothing may start"},
	{string(gate.Missed), "slots that passed while nobody was there"},
}

func decisionWords() string {
	var b strings.Builder
	for _, d := range decisionText {
		fmt.Fprintf(&b, "  %-16s %s\n", d[0], d[1])
	}
	return b.String()
}

func decisions() []string {
	var all []string
	for _, d := range decisionText {
		all = append(all, d[0])
	}
	return all
}

func runScheduleAudit(ctx context.Context, s *schedules, o scheduleAuditOptions, tailed bool) error {
	flt, err := o.filter(s.f.Now(), tailed)
	if err != nil {
		return err
	}
	logs, err := s.auditLogs(flt.Surface)
	if err != nil {
		return err
	}
	if o.follow {
		return logs.follow(ctx, flt, func(r gate.Record) error {
			if err := printTick(s.f, r); err != nil || s.f.written() {
				return err
			}
			return audit.ErrStop // nobody can read on; Main looks at why
		})
	}
	err = s.printTicks(o, logs, flt)
	logs.mention(s.f)
	return err
}

// printTicks prints what the logs hold, as it comes.
func (s *schedules) printTicks(o scheduleAuditOptions, logs *auditLogs, flt auditFilter) error {
	if s.f.Global.JSON {
		out := newIndentedArray(s.f.IO.Out)
		err := logs.each(flt, func(r gate.Record) error { return addIndented(out, r) })
		if err == nil {
			out.end()
		}
		return err
	}
	if s.f.Global.Verbose {
		return logs.each(flt, func(r gate.Record) error { return printTick(s.f, r) })
	}
	table := pagedTable{f: s.f, head: []string{"TIME", "SCHEDULE", "CLOCK", "DECISION", "RUN", "REASON"}}
	err := logs.each(flt, func(r gate.Record) error {
		table.row(instant(r.At), r.ScheduleName, string(r.Surface), string(r.Decision), firedRun(r), tickReason(r))
		return nil
	})
	if table.end(); err == nil && table.rows == 0 {
		s.f.Talk("no ticks%s", cmp.Or(o.among(), "; each one that a clock decides leaves a line here"))
	}
	return err
}

func (o scheduleAuditOptions) filter(now time.Time, tailed bool) (flt auditFilter, err error) {
	flt.Name, flt.Surface, flt.Tail = o.name, gate.Surface(o.surface), o.tail
	if o.surface != "" && !slices.Contains(surfaces(), o.surface) {
		return flt, &ExitError{Code: ExitUsage, Hint: "the clocks: " + strings.Join(surfaces(), ", "),
			Err: fmt.Errorf("--surface: unknown clock %q%s", o.surface, didYouMean(o.surface, surfaces()))}
	}
	for _, d := range o.decisions {
		if !slices.Contains(decisions(), d) {
			return flt, &ExitError{Code: ExitUsage, Hint: "the decisions: " + strings.Join(decisions(), ", "),
				Err: fmt.Errorf("--decision: unknown decision %q%s", d, didYouMean(d, decisions()))}
		}
		flt.Decisions = append(flt.Decisions, gate.Decision(d))
	}
	if tailed && o.tail <= 0 {
		return flt, Usagef("--tail %d: want 1 or more", o.tail)
	}
	if flt.Since, err = instantFlag("--since", o.since, now); err != nil {
		return flt, err
	}
	flt.Until, err = instantFlag("--until", o.until, now)
	if err == nil && !flt.Until.IsZero() && flt.Until.Before(flt.Since) {
		err = Usagef("--until %s is before --since %s", o.until, o.since)
	}
	return flt, err
}

// instantFlag reads the instant that a flag names; without one it is zero.
func instantFlag(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, ok := parseInstant(text, now)
	if !ok {
		return at, Usagef("%s %q: want %s", flag, text, wantInstant)
	}
	return at, nil
}

// among says that there may be ticks that were not asked for.
func (o scheduleAuditOptions) among() string {
	if o.name == "" && o.surface == "" && o.since == "" && o.until == "" && len(o.decisions) == 0 {
		return ""
	}
	return " of that kind"
}

// printTick prints one record by itself: an object, or a line.
func printTick(f *Factory, r gate.Record) error {
	if f.Global.JSON {
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode tick of %s: %w", r.ScheduleName, err)
		}
		fmt.Fprintf(f.IO.Out, "%s\n", line)
		return nil
	}
	f.Say("%s", strings.TrimRight(fmt.Sprintf("%s  %-16s  %-9s  %-15s  %-8s  %s", instant(r.At), visibleLine(r.ScheduleName),
		r.Surface, r.Decision, firedRun(r), visibleLine(tickReason(r))), " "))
	if f.Global.Verbose {
		sayTail(f, "stdout", r.StdoutTail)
		sayTail(f, "stderr", r.StderrTail)
	}
	return nil
}

// firedRun is the run that a tick started. Other records may name the run that was
// to be.
func firedRun(r gate.Record) string {
	if r.Decision != gate.Fired {
		return ""
	}
	return run.Short(r.RunID)
}

// sayTail prints what a guard printed last, if anything.
func sayTail(f *Factory, name, text string) {
	for line := range strings.Lines(text) {
		f.Say("    guard %s: %s", name, visibleLine(strings.TrimRight(line, "\n")))
	}
}

// lateFrom is a lateness worth a word: cron itself is late by some seconds.
const lateFrom = 30 * time.Second

// tickReason says why a tick ended as it did, in one line.
func tickReason(r gate.Record) string {
	var parts []string
	add := func(s string) {
		if s != "" && !slices.Contains(parts, s) {
			parts = append(parts, s)
		}
	}
	if r.Slot.IsZero() && r.Decision != gate.Missed {
		add("by hand")
	}
	add(oneLine(r.Reason))
	if r.BlockingRunID != "" && !strings.Contains(r.Reason, r.BlockingRunID) {
		add("run " + run.Short(r.BlockingRunID) + " is in the way")
	}
	if r.GuardExit != nil && *r.GuardExit != 0 && !strings.Contains(r.Reason, "exit") {
		add("guard exit " + strconv.Itoa(*r.GuardExit))
	}
	if !strings.Contains(r.Reason, r.Error) {
		add(oneLine(r.Error))
	}
	// A guard that took its time is not lateness.
	if late := r.At.Sub(r.Slot) - r.GuardDuration; !r.Slot.IsZero() && late >= lateFrom && r.Decision != gate.Missed && !strings.Contains(r.Reason, "late") {
		add(short(late) + " late")
	}
	return strings.Join(parts, "; ")
}
