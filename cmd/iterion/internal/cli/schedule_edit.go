package cli

import (
	"context"
	"maps"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"iterion/sched/hostcron"
)

func newScheduleEdit(s *schedules) *cobra.Command {
	var o scheduleFlags
	var clearVars []string
	c := &cobra.Command{
		Use: "edit NAME", Aliases: []string{"set", "update"}, Short: "Change a schedule", Args: exactly("NAME"),
		Long: "Change what the flags name, and nothing else; comments and order of the manifest stay. An empty\n" +
			"value (--guard '', --tz '', --timeout 0) is the default again. --var changes that var alone. With\n" +
			"another expression or zone the slots count from now on. The whole is checked as by `add` before\n" +
			"anything is written.",
		Example: "  iterion schedule edit nightly --cron '0 4 * * *'\n" +
			"  iterion schedule edit nightly --store-dir ~/other/.iterion",
		ValidArgsFunction: s.completeNames,
		RunE: func(c *cobra.Command, args []string) error {
			return runScheduleEdit(c.Context(), s, c.Flags(), args[0], func(row *hostcron.Schedule) error {
				if err := o.apply(s.f, c.Flags(), row); err != nil {
					return err
				}
				row.Vars = maps.Clone(row.Vars)
				for _, name := range clearVars {
					delete(row.Vars, name)
				}
				return nil
			})
		},
	}
	o.register(s.f, c)
	c.Flags().StringArrayVar(&clearVars, "clear-var", nil, "leave out the var of this `name`, repeatable")
	return c
}

func runScheduleEdit(ctx context.Context, s *schedules, fl *pflag.FlagSet, name string, change func(*hostcron.Schedule) error) error {
	edit, err := s.editor()
	if err != nil {
		return err
	}
	moved := fl.Changed("store-dir")
	if !moved && fl.NFlag() == 0 {
		return Usagef("schedule edit: nothing to change; `iterion schedule edit --help` lists the flags")
	}
	changed, err := edit.Update(ctx, name, func(row *hostcron.Schedule) error {
		if moved {
			l, err := s.f.Layout()
			if err != nil {
				return err
			}
			row.StoreDir = l.Root
		}
		if err := change(row); err != nil {
			return err
		}
		_, err := s.checkRow(*row)
		return err
	})
	if err != nil {
		return err
	}
	v, err := s.view(ctx, name)
	if err != nil {
		return err
	}
	if !changed {
		s.f.Talk("it is so already")
		return s.printName(v, "unchanged:")
	}
	spec, err := v.row.Spec(time.Local)
	if err != nil {
		return cronError(err)
	}
	return s.written(ctx, name, "changed", spec)
}

// printName prints a schedule that a command was about.
func (s *schedules) printName(v scheduleJSON, verb string) error {
	switch {
	case s.f.Global.JSON:
		return s.f.PrintJSON(v)
	case s.f.Global.Quiet:
		s.f.Say("%s", v.Name)
	default:
		s.f.Say("%s schedule %s", verb, v.Name)
	}
	return nil
}

func newScheduleRemove(s *schedules) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Aliases: []string{"rm", "delete"}, Short: "Take a schedule out of the manifest", Args: exactly("NAME"),
		Long: "Take a schedule out of the manifest. Its runs go on, and its records stay in the audit. Its line\n" +
			"in the crontab goes with the next `iterion schedule install`.",
		ValidArgsFunction: s.completeNames,
		RunE:              func(c *cobra.Command, args []string) error { return runScheduleRemove(c.Context(), s, args[0]) },
	}
}

func runScheduleRemove(ctx context.Context, s *schedules, name string) error {
	edit, err := s.editor()
	if err != nil {
		return err
	}
	row, err := edit.Remove(ctx, name)
	if err != nil {
		return err
	}
	if err := s.printName(s.newScheduleJSON(row, 0), "removed"); err != nil {
		return err
	}
	if in := s.crontab(ctx); in.err == nil && in.has(name) {
		s.f.Talk("`iterion schedule install` takes its line out of your crontab")
	}
	return nil
}

func newScheduleEnable(s *schedules) *cobra.Command {
	return &cobra.Command{
		Use: "enable NAME", Short: "Let a schedule fire again", Args: exactly("NAME"),
		Long:              "Let a schedule fire again. Slots count from now on: what passed meanwhile is not made up for.",
		ValidArgsFunction: s.completeNames,
		RunE:              func(c *cobra.Command, args []string) error { return runScheduleSwitch(c.Context(), s, args[0], false) },
	}
}

func newScheduleDisable(s *schedules) *cobra.Command {
	return &cobra.Command{
		Use: "disable NAME", Short: "Keep a schedule from firing; its runs go on", Args: exactly("NAME"),
		Long: "Keep a schedule from firing, from now on; runs of it go on, and `iterion schedule run NAME` starts\n" +
			"it by hand all the same. A line in the crontab does nothing meanwhile.",
		ValidArgsFunction: s.completeNames,
		RunE:              func(c *cobra.Command, args []string) error { return runScheduleSwitch(c.Context(), s, args[0], true) },
	}
}

func runScheduleSwitch(ctx context.Context, s *schedules, name string, off bool) error {
	edit, err := s.editor()
	if err != nil {
		return err
	}
	changed, err := edit.SetDisabled(ctx, name, off)
	if err != nil {
		return err
	}
	v, err := s.view(ctx, name)
	if err != nil {
		return err
	}
	verb := "enabled"
	if off {
		verb = "disabled"
	}
	if !changed {
		verb = "already " + verb + ":"
	}
	if err := s.printName(v, verb); err != nil {
		return err
	}
	if !off {
		s.mentionInstall(ctx)
	}
	return nil
}
