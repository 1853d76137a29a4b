package cli

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"iterion/sched/gate"
)

func newScheduleShow(s *schedules) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a schedule", Args: exactly("NAME"),
		ValidArgsFunction: s.completeNames,
		RunE:              func(c *cobra.Command, args []string) error { return runScheduleShow(c.Context(), s, args[0]) },
	}
}

func runScheduleShow(ctx context.Context, s *schedules, name string) error {
	v, err := s.view(ctx, name)
	if err != nil {
		return err
	}
	if s.f.Global.JSON {
		return s.f.PrintJSON(v)
	}
	for _, row := range s.rowsOf(v) {
		if row[1] != "" {
			s.f.Say("%-12s %s", row[0], strings.ReplaceAll(row[1], "\n", "\n             "))
		}
	}
	for i, name := range slices.Sorted(maps.Keys(v.Vars)) {
		s.f.Say("%-12s %s=%s", head("vars", i), name, oneLine(v.Vars[name]))
	}
	if spec, err := v.row.Spec(time.Local); err == nil && len(v.Next) > 0 {
		s.f.Say("")
		sayDue(s.f, spec, v.Next)
	}
	return nil
}

func (s *schedules) rowsOf(v scheduleJSON) [][2]string {
	store, workdir := v.StoreDir, v.Workdir
	if p, err := s.f.placeOf(v.row.Schedule); err == nil {
		store, workdir = p.layout.Root, p.workdir
	}
	return [][2]string{
		{"name", v.Name},
		{"description", v.Description},
		{"problem", strings.Join(v.Problems, "\n")},
		{"cron", v.Cron},
		{"zone", v.TZ},
		{"meaning", v.Meaning},
		{"enabled", yesNo(!v.Disabled)},
		{"installed", installedText(v.Installed)},
		{"bot", v.Bot},
		{"store", store},
		{"workdir", workdir},
		{"timeout", v.Timeout},
		{"overlap", overlapText(v)},
		{"guard", v.Guard},
		{"guard time", v.GuardTimeout},
		{"guard var", v.GuardVar},
		{"retry", allowanceText(v)},
		{"last", v.Last.text()},
		{"last run", v.Last.run()},
	}
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func installedText(in *bool) string {
	switch {
	case in == nil:
		return "not known: the crontab cannot be read"
	case *in:
		return "yes"
	}
	return "no: `iterion schedule install` puts it in your crontab"
}

// overlapText says what happens when an earlier run is still at it.
func overlapText(v scheduleJSON) string {
	s := string(v.Overlap)
	switch {
	case v.Overlap == gate.Keepalive:
		s += ", a run that is silent for " + v.StaleAfter + " does not count"
	case v.MaxConcurrent > 0:
		s += ", at most " + strconv.Itoa(v.MaxConcurrent) + " at once"
	}
	return s
}

func allowanceText(v scheduleJSON) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	add("usage window", v.RetryUsageWindow)
	if v.RetryMaxAttempts != nil {
		add("max attempts", strconv.Itoa(*v.RetryMaxAttempts))
	}
	add("max wait", v.RetryMaxWait)
	add("jitter", v.RetryJitter)
	return strings.Join(parts, ", ")
}

func (l *lastJSON) run() string {
	if l == nil {
		return ""
	}
	return l.RunID
}
