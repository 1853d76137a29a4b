package cli

import (
	"math"
	"strconv"

	"github.com/spf13/cobra"
)

func newReportProgress(f *Factory) *cobra.Command {
	var percent string
	c := &cobra.Command{
		Use: "progress TEXT", Short: "Say how far the run is", Args: atLeastOne("TEXT"),
		Example: `  iterion report progress "12 of 30 files" --percent 40`,
		RunE: func(c *cobra.Command, args []string) error {
			text, err := oneText(c, args)
			if err != nil {
				return err
			}
			return runReportProgress(f, text, percent)
		},
	}
	c.Flags().StringVarP(&percent, "percent", "p", "", "how much is done, `0 to 100`")
	return c
}

func runReportProgress(f *Factory, text, percent string) error {
	line := map[string]any{"type": "progress", "text": text}
	if percent != "" {
		n, err := strconv.ParseFloat(percent, 64)
		if err != nil || math.IsNaN(n) || n < 0 || n > 100 {
			return Usagef("report progress: --percent %q: want a number from 0 to 100", percent)
		}
		line["percent"] = n
	}
	return f.sayReport(line)
}
