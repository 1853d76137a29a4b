package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"iterion/native/spend"
)

type spendOptions struct {
	day  string
	days int
}

func newSpend(f *Factory) *cobra.Command {
	var o spendOptions
	c := &cobra.Command{
		Use: "spend", Short: "Show what the runs of a day cost, against the cap", Args: knownCommand,
		Long: "Show what the runs of a UTC day cost, what the cap still leaves, and which runs cost the most.\n" +
			"The cap is limits.max_cost_per_day_usd in the daemon's configuration. At the cap nothing new\n" +
			"starts, and running bots that can be paused are paused. --json prints one object, with --days\n" +
			"one array, oldest day first.",
		Example: "  iterion spend\n" +
			"  iterion spend --days 7\n" +
			"  iterion spend override --note 'release day'",
		RunE: func(c *cobra.Command, _ []string) error {
			switch fl := c.Flags(); {
			case fl.Changed("days") && fl.Changed("day"):
				return Usagef("--day is one day and --days several: give one of the two")
			case fl.Changed("days"):
				return runSpendDays(f, o)
			}
			return runSpend(f, o)
		},
	}
	c.Flags().StringVar(&o.day, "day", "", "this `day` (YYYY-MM-DD or yesterday; default: today)")
	c.Flags().IntVar(&o.days, "days", 0, "the last so many days, one a line")
	completeFlag(c, "day", f.completeDays)
	c.AddCommand(newSpendOverride(f))
	return c
}

// Ledger opens the store's spending.
func (f *Factory) Ledger() (*spend.Ledger, error) {
	l, err := f.Layout()
	if err != nil {
		return nil, err
	}
	return spend.Open(l.Root, spend.Options{NoFsync: f.Global.NoFsync}), nil
}

func runSpend(f *Factory, o spendOptions) error {
	at, err := o.instant(f.Now())
	if err != nil {
		return err
	}
	ledger, err := f.Ledger()
	if err != nil {
		return err
	}
	s, err := f.spent(ledger, at)
	if err != nil {
		return err
	}
	runs, err := f.Runs()
	if err != nil {
		return err
	}
	return f.printSpent(runs, s)
}

// spent is a day against the cap. The cap is the one of now, so that an earlier
// day is shown without one; one that cannot be read does not hide the day.
func (f *Factory) spent(ledger *spend.Ledger, at time.Time) (spend.Status, error) {
	s, err := ledger.Status(at)
	if spend.DayOf(at) != spend.DayOf(f.Now()) && s.Day.Day != "" {
		return spend.Status{Day: s.Day}, nil
	}
	if err != nil && s.Day.Day != "" {
		f.Warn("the cap is not known, and nothing starts until it is: %v", err)
		return s, nil
	}
	return s, err
}

// instant is a moment of the day that was asked for.
func (o spendOptions) instant(now time.Time) (time.Time, error) {
	switch o.day {
	case "", "today":
		return now, nil
	case "yesterday":
		return now.UTC().AddDate(0, 0, -1), nil
	}
	at, err := time.Parse(time.DateOnly, o.day)
	if err != nil {
		return at, Usagef("--day %q: want a day such as 2026-11-30, or yesterday", o.day)
	}
	return at, nil
}

func runSpendDays(f *Factory, o spendOptions) error {
	if o.days < 1 {
		return Usagef("--days %d: want 1 or more", o.days)
	}
	ledger, err := f.Ledger()
	if err != nil {
		return err
	}
	now := f.Now()
	days, err := ledger.Days(spend.DayOf(now.UTC().AddDate(0, 0, 1-o.days)), spend.DayOf(now))
	if err == nil || len(days) > 0 {
		if perr := f.printDays(days); perr != nil {
			return perr
		}
	}
	if err != nil {
		return fmt.Errorf("some days are missing here: %w", err)
	}
	return nil
}

func (f *Factory) completeDays(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ledger, err := f.Ledger()
	if err != nil {
		return nil, noFiles
	}
	days, _ := ledger.Days("0000", "9999")
	var out []cobra.Completion
	for n := len(days) - 1; n >= 0; n-- {
		out = append(out, cobra.CompletionWithDesc(days[n].Day, spend.Dollars(days[n].TotalUSD)))
	}
	return out, noFiles | cobra.ShellCompDirectiveKeepOrder
}

// underCap refuses to start anything while the day's spending is at the cap.
func (f *Factory) underCap() error {
	ledger, err := f.Ledger()
	if err != nil {
		return err
	}
	err = ledger.Gate(f.Now())
	var reached *spend.CapError
	switch {
	case errors.As(err, &reached):
		return &ExitError{Code: ExitConflict, Err: err, Hint: "`iterion run --over-cap` starts this one run all the same"}
	case err != nil:
		return &ExitError{
			Code: ExitFailed, Err: fmt.Errorf("the day's spending is not known: %w", err),
			Hint: "`iterion run --over-cap` starts this one run all the same",
		}
	}
	return nil
}
