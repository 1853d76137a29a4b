package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"iterion/bots"
	"iterion/sched/trigger"
)

type enableFromOptions struct {
	index    int
	cron, tz string
}

func newTriggerEnableFrom(t *triggers) *cobra.Command {
	var o enableFromOptions
	c := &cobra.Command{
		Use: "enable-from BOT", Short: "Put what a bot's manifest suggests in force", Args: exactly("BOT"),
		Long: "Put one of the invocations in a bot's manifest in force, by a row in triggers.yaml that says so: for\n" +
			"a built-in bot, whose invocations are off by themselves, for a schedule that suggests no cron, or\n" +
			"to fix what you rely on. A second one of the same kind for the same bot is refused (exit 4); `iterion\n" +
			"trigger add` makes as many as you like.",
		Example: "  iterion trigger enable-from report --cron '0 6 * * mon-fri'\n" +
			"  iterion trigger enable-from tidy --index 1",
		ValidArgsFunction: t.f.completeBots,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("index") && o.index < 0 {
				return Usagef("--index %d: invocations are counted from 0", o.index)
			}
			return runTriggerEnableFrom(c.Context(), t, o, args[0])
		},
	}
	c.Flags().IntVar(&o.index, "index", -1, "which invocation of the manifest, counted from 0 (default: the only one)")
	c.Flags().Lookup("index").DefValue = ""
	c.Flags().StringVar(&o.cron, "cron", "", "start it by this `expression`, whatever the manifest suggests")
	c.Flags().StringVar(&o.tz, "tz", "", "read the expression in this `zone`")
	completeFlag(c, "tz", completeZones)
	return c
}

func runTriggerEnableFrom(ctx context.Context, t *triggers, o enableFromOptions, slug string) error {
	reg, err := t.f.Bots()
	if err != nil {
		return err
	}
	b, err := reg.Resolve(slug)
	if err != nil {
		return err
	}
	file, l, err := t.file()
	if err != nil {
		return err
	}
	set, err := trigger.Load(file.Options)
	if err != nil {
		return err
	}
	bundle := trigger.Bundle{Slug: b.Slug(), Path: b.Path(), Manifest: b.Manifest, BuiltIn: b.Tier == bots.TierCatalog}
	id, settings, err := trigger.EnableFrom(set, bundle, o.index, o.cron, o.tz)
	var taken *trigger.TakenError
	if errors.As(err, &taken) {
		return &ExitError{Code: ExitConflict, Err: err, Hint: takenHint(taken.Existing)}
	}
	if err != nil {
		return err
	}
	if err := t.f.arm(ctx, l); err != nil {
		return err
	}
	settings = append(settings, trigger.Setting{Key: "created_by", Value: t.f.Actor()})
	if was, err := set.Get(id); err != nil || !was.Active() { // one that was in force stays owed what it is owed
		settings = append(settings, trigger.Setting{Key: "created_at", Value: t.now()})
	}
	sub, err := file.Edit(ctx, id, settings...)
	if err != nil {
		return err
	}
	if err := t.printSubscription(sub, "enabled"); err != nil {
		return err
	}
	t.mentionDaemon("it takes effect")
	return nil
}

func takenHint(s trigger.Subscription) string {
	if !s.Enabled {
		return "it is disabled: `iterion trigger enable " + quoted(s.ID) + "`"
	}
	return "`iterion trigger edit " + quoted(s.ID) + "` changes it, `iterion trigger add` makes another one"
}
