package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"iterion/daemon"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/hostcron"
)

func newWhy(f *Factory) *cobra.Command {
	var config string
	s := &schedules{f: f}
	c := &cobra.Command{
		Use: "why ISSUE|SCHEDULE|RUN", Short: "Say why a card is not started, or a schedule does not fire", Args: exactly("ISSUE|SCHEDULE|RUN"),
		Long: "Print every rule that decides whether a card is started, or a schedule fires, in order, with its\n" +
			"answer as it stands: pass, skip (this card, this tick), stop (nothing starts), acts. The running\n" +
			"daemon is asked; without one the answer is what one would find that started now. A card that\n" +
			"somebody has claimed gets a last row for what the watchdog makes of that claim.\n\n" +
			"What is given is taken for the id of a card if there is one, else for the name of a schedule of\n" +
			"the host's cron or the id of one that the daemon keeps, else for a run: that is answered for\n" +
			"whatever started it.",
		Example: "  iterion why 3f2a\n" +
			"  iterion why nightly",
		ValidArgsFunction: s.completeSubjects,
		RunE:              func(c *cobra.Command, args []string) error { return runWhy(c.Context(), s, args[0], config) },
	}
	c.Flags().StringVar(&config, "config", "", "config `file` to judge a card by where no daemon runs")
	c.Flags().StringVar(&s.manifest, "manifest", "", manifestUsage)
	return c
}

func runWhy(ctx context.Context, s *schedules, ref, config string) error {
	err := whyCard(ctx, s, ref, config)
	var several *board.AmbiguousError
	if code, _ := Exit(err); code != ExitNotFound && !errors.Is(err, board.ErrInvalid) && !errors.As(err, &several) {
		return err
	}
	for _, why := range []func(context.Context, string) (bool, error){s.whySchedule, s.whyResident} {
		if found, err := why(ctx, ref); found || err != nil {
			return err
		}
	}
	if several != nil {
		return err
	}
	if found, rerr := whyRun(ctx, s, ref, config); found || rerr != nil {
		return rerr
	}
	return s.nothingOf(ref, err)
}

func whyCard(ctx context.Context, s *schedules, ref, config string) error {
	f := s.f
	o, err := f.daemonOptions(config)
	if err != nil {
		return err
	}
	v, err := daemon.Why(ctx, o, ref)
	if err != nil {
		return err
	}
	if v.Offline {
		f.Talk("no daemon is running: this is what one would find that started now")
	}
	if slices.Contains(s.names(), ref) {
		f.Talk("this is about the card; there is a schedule of that name, too: `iterion schedule why %s`", ref)
	}
	return printVerdicts(f, v.Rows)
}

// whySchedule answers for a schedule of the host's cron, if there is one of that
// name.
func (s *schedules) whySchedule(ctx context.Context, name string) (found bool, err error) {
	rows, err := s.why(ctx, name)
	if errors.Is(err, hostcron.ErrUnknown) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, printVerdicts(s.f, rows)
}

// whyRun answers for whatever started a run.
func whyRun(ctx context.Context, s *schedules, ref, config string) (found bool, err error) {
	runs, id, err := s.f.findRun(ref)
	if code, _ := Exit(err); code == ExitNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	rec, err := runs.Get(id)
	if err != nil {
		return false, err
	}
	s.f.Talk("run %s is %s", run.Short(id), statusWords(rec))
	switch src := rec.Source; {
	case src.IssueID != "":
		s.f.Talk("it was started for card %s:", board.ShortID(src.IssueID))
		return true, whyCard(ctx, s, src.IssueID, config)
	case src.ScheduleName != "":
		s.f.Talk("it was started by schedule %s:", src.ScheduleName)
		for _, why := range []func(context.Context, string) (bool, error){s.whySchedule, s.whyResident} {
			if found, err := why(ctx, src.ScheduleName); found || err != nil {
				return true, err
			}
		}
	}
	return true, &ExitError{Code: ExitNotFound, Err: fmt.Errorf("no rule that is there now started run %s (%s)", run.Short(id), rec.Source.Kind),
		Hint: "`iterion runs show " + run.Short(id) + "` tells of the run itself"}
}

// names are the schedules of the manifest, as far as it can be read.
func (s *schedules) names() []string {
	m, err := s.load()
	if err != nil {
		return nil
	}
	var names []string
	for _, row := range m.Rows {
		names = append(names, row.Name)
	}
	return names
}

// nothingOf says that nothing is called so. Without a store, that is what is said.
func (s *schedules) nothingOf(ref string, err error) error {
	if !errors.Is(err, board.ErrNotFound) && !errors.Is(err, board.ErrInvalid) {
		return err
	}
	return &ExitError{Code: ExitNotFound, Err: fmt.Errorf("no card, schedule or run is called %q%s", ref, didYouMean(ref, s.names())),
		Hint: "`iterion issue list`, `iterion schedule list` and `iterion runs list` show them"}
}

// sayRemedies prints what to do about each row that does not simply let the card
// through.
func sayRemedies(f *Factory, rows []dispatch.Verdict) {
	for _, r := range rows {
		if r.Remedy != "" && r.Answer != dispatch.AnswerPass {
			f.Say("%s: %s", r.Guard, r.Remedy)
		}
	}
}
