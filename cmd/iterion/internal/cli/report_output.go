package cli

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
)

func newReportOutput(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "output KEY=VALUE…", Short: "Leave results behind", Args: atLeastOne("KEY=VALUE"),
		Long: "Leave results behind for whoever looks at the run. A value that is JSON is kept as JSON,\n" +
			"anything else as text; write '\"42\"' for the text 42. A later report of a key replaces it.",
		Example: `  iterion report output tests=412 ok=true "summary=All green" 'files=["a.go","b.go"]'`,
		RunE:    func(_ *cobra.Command, args []string) error { return runReportOutput(f, args) },
	}
}

func runReportOutput(f *Factory, pairs []string) error {
	data := make(map[string]any, len(pairs))
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || strings.TrimSpace(key) == "" {
			return Usagef("report output: %q: want KEY=VALUE", pair)
		}
		data[key] = jsonOrText(value)
	}
	return f.sayReport(map[string]any{"type": "output", "data": data})
}

// jsonOrText keeps JSON as it was written: a number of twenty digits loses none.
func jsonOrText(s string) any {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return s
}
