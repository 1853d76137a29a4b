package cli

import (
	"time"

	"github.com/spf13/cobra"
)

type reportFailOptions struct {
	permanent  bool
	retryAfter time.Duration
	code       string
}

func newReportFail(f *Factory) *cobra.Command {
	var o reportFailOptions
	c := &cobra.Command{
		Use: "fail WHY", Short: "Say why the run fails, and whether to try again", Args: atLeastOne("WHY"),
		Long: "Say why the run fails, and whether to try again. The run counts as failed whatever its exit\n" +
			"code; the bot itself goes on until it ends, so leave afterwards.",
		Example: "  iterion report fail --permanent 'there is no Makefile'; exit 78\n" +
			"  iterion report fail --retry-after 5m 'the registry does not answer'; exit 75",
		RunE: func(c *cobra.Command, args []string) error {
			why, err := oneText(c, args)
			if err != nil {
				return err
			}
			return runReportFail(f, o, why, c.Flags().Changed("retry-after"))
		},
	}
	fl := c.Flags()
	fl.BoolVar(&o.permanent, "permanent", false, "trying again is of no use")
	fl.DurationVar(&o.retryAfter, "retry-after", 0, "try again, but not before so long")
	fl.StringVar(&o.code, "code", "", "short `name` of this kind of failure, for programs")
	return c
}

func runReportFail(f *Factory, o reportFailOptions, why string, later bool) error {
	line := map[string]any{"type": "fail", "message": why}
	switch {
	case o.permanent && later:
		return Usagef("report fail: --permanent and --retry-after exclude each other")
	case o.permanent:
		line["class"] = "permanent"
	case later && o.retryAfter <= 0:
		return Usagef("report fail: --retry-after %s: want a duration like 90s or 5m", o.retryAfter)
	case later:
		line["class"] = "transient"
		line["retry_at"] = f.Now().Add(o.retryAfter).UTC().Format(time.RFC3339Nano)
	}
	if o.code != "" {
		line["code"] = o.code
	}
	return f.sayReport(line)
}
