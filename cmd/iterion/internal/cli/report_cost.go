package cli

import (
	"math"
	"strconv"

	"github.com/spf13/cobra"
)

type reportCostOptions struct {
	in, out int64
	total   bool
}

func newReportCost(f *Factory) *cobra.Command {
	var o reportCostOptions
	c := &cobra.Command{
		Use: "cost USD", Short: "Say what something has cost", Args: exactly("USD"),
		Long: "Say what the last piece of work has cost, in US dollars; it is added to what the run has cost.\n" +
			"With --total, say what the run has cost so far instead. It goes into the day's ledger, see\n" +
			"`iterion spend`.",
		Example: "  iterion report cost 0.12 --tokens-in 8400 --tokens-out 912\n" +
			"  iterion report cost 1.50 --total",
		RunE: func(_ *cobra.Command, args []string) error { return runReportCost(f, o, args[0]) },
	}
	fl := c.Flags()
	fl.Int64Var(&o.in, "tokens-in", 0, "tokens read")
	fl.Int64Var(&o.out, "tokens-out", 0, "tokens written")
	fl.BoolVar(&o.total, "total", false, "these are the totals of the run so far")
	return c
}

func runReportCost(f *Factory, o reportCostOptions, text string) error {
	usd, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(usd) || math.IsInf(usd, 0) || usd < 0 {
		return Usagef("report cost: %q: want US dollars, such as 0.12", text)
	}
	line := map[string]any{"type": "cost"}
	for name, n := range map[string]int64{"tokens_in": o.in, "tokens_out": o.out} {
		if n < 0 {
			return Usagef("report cost: %d tokens: want 0 or more", n)
		}
		if n > 0 {
			line[name] = n
		}
	}
	if o.total {
		line["total_usd"] = usd
	} else {
		line["usd"] = usd
	}
	return f.sayReport(line)
}
