package cli

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// triggerFlags are what a row of triggers.yaml can be told on the command line.
type triggerFlags struct {
	texts map[string]*string // by flag
	lists map[string]*[]string
	spans map[string]*time.Duration
	vars  []string

	maxConcurrent, retryMaxAttempts int
	consumeLabels                   bool
}

// textFlags are the flags that hold one text, with the keys of their rows.
func textFlags() []flagKey {
	return []flagKey{
		{"bot", "bot_id", "start this bot"},
		{"mode", "mode", "`how`: direct (launch a run) or board (put the bot on the card, the dispatcher starts it)"},
		{"repo", "repo", "only events of this `repo`"},
		{"cron", "cron", "on the daemon's clock: a cron `expression`, such as '30 2 * * mon-fri' or '@every 90s'"},
		{"tz", "tz", "read the expression in this `zone` (default: this host's)"},
		{"args-var", "args_var", "`name` of the bot's var that takes the title and text of what it is about"},
		{"workdir", "workdir", "`folder` to run in (default: the project's, which the store lies in)"},
		{"overlap", "overlap", "when an earlier run is still at it: `policy` skip, allow, keepalive, supersede (default: skip)"},
		{"guard", "guard", "shell `command` that is asked first: exit 0 lets the run start, and its output goes to the bot"},
		{"guard-var", "guard_var", "`name` of the var that takes the guard's output (default guard_output)"},
		{"retry-usage-window", "retry_usage_window", "when an account's allowance is used up: `what` resume, fresh, off (default: the bot's wish)"},
	}
}

// listFlags are the dimensions of a match.
func listFlags() []flagKey {
	return []flagKey{
		{"on", "match.kinds", "this `kind` of event, repeatable: " + strings.Join(trigger.Kinds(), ", ") + ", or a kind of your own"},
		{"state", "match.states", "only when the card is moved to, or is in, this `column`; of runs, their status; repeatable"},
		{"label", "match.all_labels", "only with this `label`; of several all must be there"},
		{"author", "match.authors", "only when this `person` or program did it; of runs, their bot; repeatable"},
		{"action", "match.actions", "only with this `action`, such as commented or unblocked; repeatable"},
		{"source", "match.sources", "only from this `source`, repeatable: board, run, manual, custom"},
	}
}

func spanFlags() []flagKey {
	return []flagKey{
		{"interval", "interval", "keep one run alive, looking every so often (at least 5s)"},
		{"catch-up", "catch_up", "make up for a slot that was missed by no more than this (default 10m for --cron)"},
		{"stale-after", "stale_after", "a run that was silent for so long does not count as alive (default 5m)"},
		{"guard-timeout", "guard_timeout", "how long the guard may take (default 30s)"},
		{"retry-max-wait", "retry_max_wait", "wait no longer than this for an allowance"},
		{"retry-jitter", "retry_jitter", "add up to so much to a wait, at random"},
	}
}

// flagKey is a flag, the key of a row that it sets, and its help.
type flagKey struct{ flag, key, usage string }

func (o *triggerFlags) register(t *triggers, c *cobra.Command) {
	o.texts, o.lists, o.spans = map[string]*string{}, map[string]*[]string{}, map[string]*time.Duration{}
	fl := c.Flags()
	for _, d := range textFlags() {
		o.texts[d.flag] = fl.String(d.flag, "", d.usage)
	}
	for _, d := range listFlags() {
		o.lists[d.flag] = fl.StringArray(d.flag, nil, d.usage)
	}
	for _, d := range spanFlags() {
		o.spans[d.flag] = fl.Duration(d.flag, 0, d.usage)
	}
	fl.StringArrayVar(&o.vars, "var", nil, "tell the bot `name=value`, repeatable")
	fl.BoolVar(&o.consumeLabels, "consume-labels", false, "take the labels off when it fires, so that it fires once")
	fl.IntVar(&o.maxConcurrent, "max-concurrent", 0, "with --overlap allow: so many runs at once (0: no limit)")
	fl.IntVar(&o.retryMaxAttempts, "retry-max-attempts", 0, "wait for an allowance so often in a row")
	o.complete(t, c)
}

func (o *triggerFlags) complete(t *triggers, c *cobra.Command) {
	completeFlag(c, "bot", t.f.completeBots)
	completeFlag(c, "on", fixed(trigger.Kinds()...))
	completeFlag(c, "state", t.f.completeStates)
	completeFlag(c, "source", fixed("board", "run", "manual", "custom"))
	completeFlag(c, "mode", fixed(string(trigger.Direct), string(trigger.Promote)))
	completeFlag(c, "tz", completeZones)
	completeFlag(c, "retry-usage-window", fixed(usageWindows()...))
	var overlaps []string
	for _, w := range gate.Overlaps() {
		overlaps = append(overlaps, string(w))
	}
	completeFlag(c, "overlap", fixed(overlaps...))
	completeFlag(c, "var", func(c *cobra.Command, _ []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return t.f.completeVars(c, []string{*o.texts["bot"]}, to)
	})
}

// settings returns what the command line names, as settings of a row that says old
// now. An empty value takes the key out.
func (o *triggerFlags) settings(f *Factory, fl *pflag.FlagSet, old trigger.Subscription) ([]trigger.Setting, error) {
	var out []trigger.Setting
	set := func(key string, value any, empty bool) {
		if empty {
			value = nil
		}
		out = append(out, trigger.Setting{Key: key, Value: value})
	}
	for _, d := range textFlags() {
		if v := *o.texts[d.flag]; fl.Changed(d.flag) {
			set(d.key, v, v == "")
		}
	}
	for _, d := range listFlags() {
		if v := *o.lists[d.flag]; fl.Changed(d.flag) {
			v = slices.DeleteFunc(v, func(s string) bool { return s == "" })
			set(d.key, v, len(v) == 0)
		}
	}
	for _, d := range spanFlags() {
		if v := *o.spans[d.flag]; fl.Changed(d.flag) {
			set(d.key, trigger.Duration(v).String(), v == 0 && d.flag != "catch-up")
		}
	}
	if fl.Changed("consume-labels") {
		set("consume_labels", o.consumeLabels, false)
	}
	if fl.Changed("max-concurrent") {
		set("max_concurrent", o.maxConcurrent, o.maxConcurrent == 0)
	}
	if fl.Changed("retry-max-attempts") {
		set("retry_max_attempts", o.retryMaxAttempts, o.retryMaxAttempts == 0)
	}
	if err := o.workdir(f, fl, out); err != nil || !fl.Changed("var") {
		return out, err
	}
	typed, err := f.typedVars(runOptions{vars: o.vars})
	vars := maps.Clone(old.Vars)
	if vars == nil {
		vars = map[string]string{}
	}
	maps.Copy(vars, typed)
	set("vars", vars, len(vars) == 0)
	return out, err
}

// workdir makes the folder that was named an absolute one.
func (o *triggerFlags) workdir(f *Factory, fl *pflag.FlagSet, settings []trigger.Setting) error {
	for i, s := range settings {
		if s.Key == "workdir" && s.Value != nil {
			dir, err := f.folder(*o.texts["workdir"])
			if err != nil {
				return err
			}
			settings[i].Value = dir
		}
	}
	return nil
}
