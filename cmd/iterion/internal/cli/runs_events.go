package cli

import (
	"github.com/spf13/cobra"
)

func newRunsEvents(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "events RUN", Short: "Print what happened to a run, oldest first", Args: exactly("RUN"),
		ValidArgsFunction: f.completeRuns,
		RunE:              func(_ *cobra.Command, args []string) error { return runRunsEvents(f, args[0]) },
	}
}

func runRunsEvents(f *Factory, ref string) error {
	runs, id, err := f.findRun(ref)
	if err != nil {
		return err
	}
	events, err := runs.Events(id, -1)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(nonNil(events))
	}
	for _, e := range events {
		f.Say("%s", visibleLine(instant(e.Timestamp)+"  "+string(e.Type)+"  "+fieldsText(e.Data)))
	}
	return nil
}
