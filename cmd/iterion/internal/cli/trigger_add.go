package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"iterion/sched/trigger"
)

func newTriggerAdd(t *triggers) *cobra.Command {
	var o triggerFlags
	var disabled bool
	c := &cobra.Command{
		Use: "add ID --bot BOT", Short: "Write down a subscription", Args: exactly("ID"),
		Long: "Write down a subscription in triggers.yaml. With --cron or --interval the daemon's clock starts the\n" +
			"bot; otherwise events do: those that agree with everything that is named. Everything is checked\n" +
			"first, the bot and the board's columns included.\n\n" +
			"What happened before is not made up for: it takes effect from now on, also while no daemon runs.",
		Example: "  iterion trigger add on-ready --bot tidy --on card.moved --state ready --mode board\n" +
			"  iterion trigger add ci --bot fix --on card.labeled --label ci-failed --consume-labels --args-var prompt\n" +
			"  iterion trigger add alive --bot watch --interval 30s",
		RunE: func(c *cobra.Command, args []string) error {
			return runTriggerAdd(c.Context(), t, &o, c.Flags(), args[0], disabled)
		},
	}
	o.register(t, c)
	c.Flags().BoolVar(&disabled, "disabled", false, "write it down and leave it off")
	return c
}

func runTriggerAdd(ctx context.Context, t *triggers, o *triggerFlags, fl *pflag.FlagSet, id string, disabled bool) error {
	if !fl.Changed("bot") {
		return Usagef("trigger add: --bot is missing")
	}
	file, l, err := t.file()
	if err != nil {
		return err
	}
	settings, err := o.settings(t.f, fl, trigger.Subscription{})
	if err != nil {
		return err
	}
	settings = append(settings, kindOf(fl), trigger.Setting{Key: "enabled", Value: !disabled},
		trigger.Setting{Key: "created_by", Value: t.f.Actor()}, trigger.Setting{Key: "created_at", Value: t.now()})
	if err := t.check(ctx, file, id, settings); err != nil {
		return err
	}
	if err := t.f.arm(ctx, l); err != nil {
		return err
	}
	sub, err := file.Create(ctx, id, settings...)
	if err != nil {
		return t.exists(err, id)
	}
	if err := t.printSubscription(sub, "added"); err != nil {
		return err
	}
	t.mentionDaemon("it takes effect")
	return nil
}

func (t *triggers) now() string { return t.f.Now().UTC().Truncate(time.Second).Format(time.RFC3339) }

func (t *triggers) exists(err error, id string) error {
	if errors.Is(err, trigger.ErrExists) {
		return &ExitError{Code: ExitConflict, Err: err, Hint: "`iterion trigger edit " + quoted(id) + "` changes it"}
	}
	return err
}

// kindOf says what the flags ask for.
func kindOf(fl *pflag.FlagSet) trigger.Setting {
	kind := trigger.OnBoard
	switch {
	case fl.Changed("cron"):
		kind = trigger.OnSchedule
	case fl.Changed("interval"):
		kind = trigger.OnKeepalive
	}
	return trigger.Setting{Key: "invocation", Value: string(kind)}
}

// check refuses what only this store can know to be wrong, before anything is
// written: there is no such bot, it does not take these vars, the board has no such
// column.
func (t *triggers) check(ctx context.Context, file trigger.File, id string, settings []trigger.Setting) error {
	sub, err := file.Preview(id, settings...)
	if err != nil {
		return t.exists(err, id)
	}
	reg, err := t.f.Bots()
	if err != nil {
		return err
	}
	b, err := reg.Resolve(sub.BotID)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for k := range sub.Vars {
		names[k] = ""
	}
	if sub.ArgsVar != "" {
		names[sub.ArgsVar] = ""
	}
	if err := b.Manifest.CheckNames(names); err != nil {
		return err
	}
	return t.checkStates(ctx, sub)
}

// checkStates wants the columns that a subscription to cards names.
func (t *triggers) checkStates(ctx context.Context, s trigger.Subscription) error {
	ofCards := func(kind string) bool { return strings.HasPrefix(kind, "card.") }
	if len(s.Match.States) == 0 || len(s.Match.Kinds) == 0 || !allOf(s.Match.Kinds, ofCards) {
		return nil
	}
	_, schema, err := t.f.BoardAndSchema(ctx)
	if err != nil {
		return err
	}
	for _, state := range s.Match.States {
		if err := schema.CheckState(state); err != nil {
			return fmt.Errorf("--state: %w", err)
		}
	}
	return nil
}

func allOf[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !is(v) })
}

func newTriggerEdit(t *triggers) *cobra.Command {
	var o triggerFlags
	var unset []string
	c := &cobra.Command{
		Use: "edit ID", Aliases: []string{"set", "update"}, Short: "Change a subscription", Args: exactly("ID"),
		Long: "Change what the flags name, and nothing else; comments and order of triggers.yaml stay. An empty\n" +
			"value (--guard '', --state '', --interval 0) takes that key out, and so does --unset, by its name\n" +
			"in the file. A list (--on, --state, --label) takes the place of the old one; --var changes that\n" +
			"var alone. A subscription of a bot's manifest gets a row of its own, which says how it differs;\n" +
			"`iterion trigger remove` makes it what the manifest says again.",
		Example: "  iterion trigger edit on-ready --state ready --state review\n" +
			"  iterion trigger edit manifest:tidy:schedule:1 --cron '0 4 * * *'",
		ValidArgsFunction: t.completeSubscriptions,
		RunE: func(c *cobra.Command, args []string) error {
			return runTriggerEdit(c.Context(), t, &o, c.Flags(), args[0], unset)
		},
	}
	o.register(t, c)
	c.Flags().StringArrayVar(&unset, "unset", nil, "take this `key` of the row out, repeatable; of the match: match.states")
	completeFlag(c, "unset", fixed(rowKeys()...))
	return c
}

// rowKeys are the keys that may be taken out of a row.
func rowKeys() []string {
	var keys []string
	for _, d := range slices.Concat(textFlags(), listFlags(), spanFlags()) {
		keys = append(keys, d.key)
	}
	return append(keys, "vars", "match", "consume_labels", "max_concurrent", "retry_max_attempts", "enabled")
}

func runTriggerEdit(ctx context.Context, t *triggers, o *triggerFlags, fl *pflag.FlagSet, id string, unset []string) error {
	file, _, err := t.file()
	if err != nil {
		return err
	}
	set, err := trigger.Load(file.Options)
	if err != nil {
		return err
	}
	old, err := t.find(set, id)
	if err != nil {
		return err
	}
	settings, err := o.settings(t.f, fl, old)
	if err != nil {
		return err
	}
	for _, key := range unset {
		if !slices.Contains(rowKeys(), key) {
			return Usagef("--unset: unknown key %q%s", key, didYouMean(key, rowKeys()))
		}
		settings = append(settings, trigger.Setting{Key: key})
	}
	if len(settings) == 0 {
		return Usagef("trigger edit: nothing to change; `iterion trigger edit --help` lists the flags")
	}
	settings = append(settings, trigger.Setting{Key: "updated_at", Value: t.now()})
	if err := t.check(ctx, file, id, settings); err != nil {
		return err
	}
	sub, err := file.Edit(ctx, id, settings...)
	if err != nil {
		return err
	}
	return t.printSubscription(sub, "changed")
}
