package cli

import (
	"maps"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"iterion/bots/manifest"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
)

// scheduleFlags are what a row of the manifest can be told on the command line.
type scheduleFlags struct {
	hostcron.Schedule
	overlap      string
	vars         []string
	usageWindow  string
	maxAttempts  int
	maxWait      time.Duration
	jitter       time.Duration
	overlapWords []string
}

func (o *scheduleFlags) register(f *Factory, c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&o.Cron, "cron", "", "when: a cron `expression`, such as '30 2 * * mon-fri'")
	fl.StringVar(&o.TZ, "tz", "", "read it in this `zone`, such as Europe/Berlin (default: this host's)")
	fl.StringVarP(&o.Bot, "bot", "b", "", "start this bot")
	fl.StringVar(&o.Workdir, "workdir", "", "`folder` to run in (default: the project's, which the store lies in)")
	fl.DurationVar(&o.Timeout, "timeout", 0, "end the run after so long (default: the bot's own limit)")
	fl.StringArrayVar(&o.vars, "var", nil, "tell the bot `name=value`, repeatable")
	fl.StringVar(&o.Description, "description", "", "what it is for, in a line")
	o.registerPolicy(fl)
	o.registerRetry(fl)
	completeFlag(c, "tz", completeZones)
	completeFlag(c, "bot", f.completeBots)
	completeFlag(c, "overlap", fixed(o.overlapWords...))
	completeFlag(c, "retry-usage-window", fixed(usageWindows()...))
	completeFlag(c, "var", func(c *cobra.Command, _ []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return f.completeVars(c, []string{o.Bot}, to)
	})
}

func (o *scheduleFlags) registerPolicy(fl *pflag.FlagSet) {
	for _, w := range gate.Overlaps() {
		if w != gate.Supersede { // only where a clock can end runs
			o.overlapWords = append(o.overlapWords, string(w))
		}
	}
	p := &o.Policy
	fl.StringVar(&o.overlap, "overlap", "", "when an earlier run is still at it: `policy` "+strings.Join(o.overlapWords, ", ")+" (default: skip)")
	fl.IntVar(&p.MaxConcurrent, "max-concurrent", 0, "with --overlap allow: so many runs at once (0: no limit)")
	fl.DurationVar(&p.StaleAfter, "stale-after", 0, "with --overlap keepalive: a run that was silent for so long does not count (default 5m)")
	fl.StringVar(&p.Guard, "guard", "", "shell `command` that is asked first: exit 0 lets the run start, and its output goes to the bot")
	fl.DurationVar(&p.GuardTimeout, "guard-timeout", 0, "how long the guard may take (default 30s)")
	fl.StringVar(&p.GuardVar, "guard-var", "", "`name` of the var that takes the guard's output (default guard_output)")
}

func (o *scheduleFlags) registerRetry(fl *pflag.FlagSet) {
	fl.StringVar(&o.usageWindow, "retry-usage-window", "", "when an account's allowance is used up: `what` "+strings.Join(usageWindows(), ", ")+" (default: the bot's wish)")
	fl.IntVar(&o.maxAttempts, "retry-max-attempts", 0, "wait for an allowance so often in a row")
	fl.DurationVar(&o.maxWait, "retry-max-wait", 0, "wait no longer than this for an allowance")
	fl.DurationVar(&o.jitter, "retry-jitter", 0, "add up to so much to a wait, at random")
}

func usageWindows() []string {
	return []string{manifest.UsageResume, manifest.UsageFresh, manifest.UsageOff}
}

// apply writes to a row what the command line names, and nothing else.
func (o *scheduleFlags) apply(f *Factory, fl *pflag.FlagSet, s *hostcron.Schedule) error {
	for name, to := range map[string][2]*string{
		"cron": {&s.Cron, &o.Cron}, "tz": {&s.TZ, &o.TZ}, "bot": {&s.Bot, &o.Bot}, "description": {&s.Description, &o.Description},
		"guard": {&s.Policy.Guard, &o.Policy.Guard}, "guard-var": {&s.Policy.GuardVar, &o.Policy.GuardVar},
	} {
		if fl.Changed(name) {
			*to[0] = *to[1]
		}
	}
	for name, to := range map[string][2]*time.Duration{
		"timeout": {&s.Timeout, &o.Timeout}, "stale-after": {&s.Policy.StaleAfter, &o.Policy.StaleAfter},
		"guard-timeout": {&s.Policy.GuardTimeout, &o.Policy.GuardTimeout},
	} {
		if fl.Changed(name) {
			if *to[1] < 0 {
				return Usagef("--%s %s: want more than 0; 0 is the default", name, *to[1])
			}
			*to[0] = *to[1]
		}
	}
	if fl.Changed("max-concurrent") {
		s.Policy.MaxConcurrent = o.Policy.MaxConcurrent
	}
	o.applyRetry(fl, &s.Retry)
	if err := o.applyChecked(f, fl, s); err != nil {
		return err
	}
	o.dropPointless(fl, &s.Policy)
	return nil
}

// dropPointless takes away what went with a guard or an overlap that the command line
// takes away. What it names itself stays, and is refused.
func (o *scheduleFlags) dropPointless(fl *pflag.FlagSet, p *gate.Policy) {
	drop := func(flag string, away func()) {
		if !fl.Changed(flag) {
			away()
		}
	}
	if fl.Changed("guard") && p.Guard == "" {
		drop("guard-timeout", func() { p.GuardTimeout = 0 })
		drop("guard-var", func() { p.GuardVar = "" })
	}
	if fl.Changed("overlap") && p.Overlap != gate.Allow {
		drop("max-concurrent", func() { p.MaxConcurrent = 0 })
	}
	if fl.Changed("overlap") && p.Overlap != gate.Keepalive {
		drop("stale-after", func() { p.StaleAfter = 0 })
	}
}

// applyChecked writes what has to make sense first.
func (o *scheduleFlags) applyChecked(f *Factory, fl *pflag.FlagSet, s *hostcron.Schedule) error {
	if fl.Changed("overlap") {
		s.Policy.Overlap = gate.Overlap(o.overlap)
	}
	if fl.Changed("workdir") {
		s.Workdir = ""
		if o.Workdir != "" {
			dir, err := f.folder(o.Workdir)
			if err != nil {
				return err
			}
			s.Workdir = dir
		}
	}
	if fl.Changed("var") {
		typed, err := f.typedVars(runOptions{vars: o.vars})
		if err != nil {
			return err
		}
		if s.Vars = maps.Clone(s.Vars); s.Vars == nil {
			s.Vars = map[string]string{}
		}
		maps.Copy(s.Vars, typed)
	}
	return nil
}

func (o *scheduleFlags) applyRetry(fl *pflag.FlagSet, r *hostcron.Retry) {
	if fl.Changed("retry-usage-window") {
		r.UsageWindow = o.usageWindow
	}
	if fl.Changed("retry-max-attempts") {
		r.MaxAttempts = &o.maxAttempts
	}
	if fl.Changed("retry-max-wait") {
		r.MaxWait = &o.maxWait
	}
	if fl.Changed("retry-jitter") {
		r.Jitter = &o.jitter
	}
}
