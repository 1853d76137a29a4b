package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"iterion/native/run"
	"iterion/native/spend"
)

// errNoCap answers who wants to lift what is not there.
var errNoCap = errors.New("no cap is set, so nothing holds runs back")

func newSpendOverride(f *Factory) *cobra.Command {
	var note string
	c := &cobra.Command{
		Use: "override --note WHY", Short: "Lift the cap for the rest of the UTC day", Args: exactly(),
		Long: "Lift the cap for the rest of the UTC day. Who did it, when and why is written into the day's\n" +
			"ledger. A running daemon then starts what waits, and goes on with the cards whose runs were\n" +
			"paused at the cap; runs without a card go on by `iterion runs resume`.",
		Example: "  iterion spend override --note 'release day'",
		RunE:    func(c *cobra.Command, _ []string) error { return runSpendOverride(c.Context(), f, note) },
	}
	c.Flags().StringVar(&note, "note", "", "why; required")
	return c
}

func runSpendOverride(ctx context.Context, f *Factory, note string) error {
	if strings.TrimSpace(note) == "" {
		return Usagef("--note is missing: say why, for whoever looks at the ledger later")
	}
	ledger, err := f.Ledger()
	if err != nil {
		return err
	}
	now := f.Now()
	before, err := ledger.Status(now)
	if err != nil {
		return err
	}
	if before.CapUSD == 0 {
		return &ExitError{
			Code: ExitConflict, Err: errNoCap,
			Hint: "limits.max_cost_per_day_usd in the daemon's configuration sets one",
		}
	}
	s, err := ledger.Override(ctx, now, f.granter(), note)
	if err != nil {
		return err
	}
	return f.printLifted(s)
}

// granter is who lifts the cap; a bot does not pass for the person it works for.
func (f *Factory) granter() string {
	if id := f.Env("ITERION_RUN_ID"); id != "" {
		return f.Actor() + " (run " + run.Short(id) + ")"
	}
	return f.Actor()
}

func (f *Factory) printLifted(s spend.Status) error {
	if f.Global.JSON {
		runs, err := f.Runs()
		if err != nil {
			return err
		}
		return f.PrintJSON(newSpendJSON(runs, s))
	}
	if !f.Global.Quiet {
		f.Say("the cap of %s is lifted for the rest of %s (UTC)", spend.Dollars(s.CapUSD), s.Day.Day)
	}
	return nil
}
