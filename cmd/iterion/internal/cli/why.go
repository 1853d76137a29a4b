package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"iterion/daemon"
	"iterion/daemon/dispatch"
)

func newWhy(f *Factory) *cobra.Command {
	var config string
	c := &cobra.Command{
		Use: "why ISSUE", Short: "Say which rule keeps a card from being started", Args: exactly("ISSUE"),
		Long: "Print every rule that decides whether a card is started, in order, with its answer as it\n" +
			"stands: pass, skip (this card), stop (nothing starts), acts. The running daemon is asked;\n" +
			"without one the answer is what one would find that started now.",
		ValidArgsFunction: f.completeIDs,
		RunE:              func(c *cobra.Command, args []string) error { return runWhy(c.Context(), f, args[0], config) },
	}
	c.Flags().StringVar(&config, "config", "", "config `file` to judge by where no daemon runs")
	return c
}

func runWhy(ctx context.Context, f *Factory, ref, config string) error {
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
	if f.Global.JSON {
		return f.PrintJSON(nonNil(v.Rows))
	}
	t := Table{Head: []string{"#", "RULE", "ANSWER", "REASON"}}
	for _, r := range v.Rows {
		t.Row(strconv.Itoa(r.Row), r.Guard, r.Answer, r.Reason)
	}
	t.Print(f)
	sayRemedies(f, v.Rows)
	return nil
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
