package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// newReport groups what a bot says of its own run. Bots call these in loops, so
// they open nothing but the one file they append to.
func newReport(f *Factory) *cobra.Command {
	c := group("report", "Say something about the run that this is called in",
		newReportProgress(f),
		newReportCost(f),
		newReportOutput(f),
		newReportAsk(f),
		newReportFail(f),
	)
	c.Long = "Say something about the run that this is called in. For use by bots: it appends one JSON line\n" +
		"to the file named by $ITERION_EVENTS, which iterion sets for every run. Any other way of\n" +
		"appending such a line does the same."
	return c
}

// sayReport appends one line with a single write, so that lines of processes
// that report at once do not mix.
func (f *Factory) sayReport(line map[string]any) error {
	path := f.Env("ITERION_EVENTS")
	if path == "" {
		return &ExitError{
			Code: ExitUsage,
			Err:  fmt.Errorf("report: not inside a run: $ITERION_EVENTS is not set"),
			Hint: "iterion sets it for the bots that it starts; `iterion run BOT` starts one",
		}
	}
	data, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = file.Write(append(data, '\n'))
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// oneText joins the words of a report and refuses an empty one.
func oneText(c *cobra.Command, args []string) (string, error) {
	text := strings.TrimSpace(strings.Join(args, " "))
	if text == "" {
		return "", Usagef("%s: the text is empty: %s", c.CommandPath(), c.UseLine())
	}
	return text, nil
}
