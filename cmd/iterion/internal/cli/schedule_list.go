package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"iterion/sched/hostcron"
)

func newScheduleList(s *schedules) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the schedules", Args: exactly(),
		Long: "List the schedules of the manifest, of all stores: when each is due next, and what was decided\n" +
			"last. --json prints one array with the keys of the manifest and {problems, meaning, next, last,\n" +
			"installed} beside them; none is [] and exit 0. A row that cannot be used is listed with what is\n" +
			"wrong with it.",
		RunE: func(c *cobra.Command, _ []string) error { return runScheduleList(c.Context(), s) },
	}
}

func runScheduleList(ctx context.Context, s *schedules) error {
	m, err := s.load()
	if err != nil {
		return err
	}
	for _, odd := range m.Odd {
		s.f.Warn("%s", odd)
	}
	in := s.crontab(ctx)
	list := make([]scheduleJSON, len(m.Rows))
	for i, row := range m.Rows {
		list[i] = s.newScheduleJSON(row, 1)
		if in.err == nil {
			has := in.has(row.Name)
			list[i].Installed = &has
		}
	}
	switch {
	case s.f.Global.JSON:
		return s.f.PrintJSON(list)
	case s.f.Global.Quiet:
		for _, v := range list {
			s.f.Say("%s", v.Name)
		}
		return nil
	case len(list) == 0:
		s.f.Talk("no schedules yet: iterion schedule add nightly --cron '30 2 * * *' --bot BOT\n" +
			"(those that a daemon keeps by itself: `iterion trigger list`)")
		return nil
	}
	s.printSchedules(list)
	s.mentionRows(m, in, list)
	return nil
}

func (s *schedules) printSchedules(list []scheduleJSON) {
	t := Table{Head: []string{"NAME", "CRON", "ZONE", "BOT", "NEXT", "LAST"}}
	now := s.f.Now()
	for _, v := range list {
		t.Row(v.Name, v.Cron, v.TZ, v.Bot, v.nextText(now), v.Last.text())
	}
	t.Print(s.f)
}

// nextText says when a schedule is due next, in the host's time, or why it is not.
func (v scheduleJSON) nextText(now time.Time) string {
	switch {
	case len(v.Problems) > 0:
		return "unusable"
	case v.Disabled:
		return "disabled"
	case len(v.Next) == 0:
		return ""
	}
	return instant(v.Next[0].At) + " (in " + roughly(v.Next[0].At.Sub(now)) + ")"
}

// roughly writes a span with the two units that matter.
func roughly(d time.Duration) string {
	const day = 24 * time.Hour
	switch d = d.Round(time.Second); {
	case d >= day && d%day >= time.Hour:
		return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
	case d >= day:
		return fmt.Sprintf("%dd", d/day)
	case d >= time.Hour:
		d = d.Truncate(time.Minute)
	}
	return orElse(spanText(d), "0s")
}

func (l *lastJSON) text() string {
	if l == nil {
		return ""
	}
	return l.Decision + " " + instant(l.At)
}

// mentionRows tells what is wrong, and what does not run though it is wanted.
func (s *schedules) mentionRows(m *hostcron.Manifest, in crontabView, list []scheduleJSON) {
	var without []string
	for i, row := range m.Rows {
		for _, p := range row.Problems {
			s.f.Warn("%s", p)
		}
		for _, p := range row.Odd {
			s.f.Warn("%s", p)
		}
		if v := list[i]; len(v.Problems) == 0 && !v.Disabled && v.Installed != nil && !*v.Installed {
			without = append(without, v.Name)
		}
	}
	if n := len(without); n > 0 {
		s.f.Talk("%s %s not in your crontab: `iterion schedule install` puts %s there",
			someNames(without), plural(n, "is", "are"), plural(n, "it", "them"))
	}
	if in.err == nil && in.present && !in.current {
		s.f.Talk("your crontab is not up to date with the manifest: `iterion schedule install`")
	}
}
