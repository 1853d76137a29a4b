package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

func newIssueClose(f *Factory) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: "close ID…", Short: "File cards under a terminal column", Args: atLeastOne("ID"),
		Long: "File cards under a terminal column: `done` unless --to names another. Closing a card\n" +
			"into the column it is in clears its gave-up mark. Of several cards each is reported;\n" +
			"the exit code is that of the worst failure.",
		ValidArgsFunction: f.completeIDs,
		RunE:              func(c *cobra.Command, args []string) error { return runIssueClose(c.Context(), f, args, to) },
	}
	c.Flags().StringVar(&to, "to", "", "terminal column (default: done)")
	completeFlag(c, "to", f.completeStates)
	return c
}

func runIssueClose(ctx context.Context, f *Factory, refs []string, to string) error {
	b, schema, err := f.BoardAndSchema(ctx)
	if err != nil {
		return err
	}
	if to, err = pickState(schema, to, board.StateDone, true); err != nil {
		return err
	}
	return f.moveAll(ctx, b, refs, to)
}

// pickState returns the named column, else the preferred one, else the first
// that is (or is not) terminal.
func pickState(s board.Schema, name, preferred string, wantTerminal bool) (string, error) {
	kind := map[bool]string{true: "terminal", false: "working"}
	if name != "" {
		if err := s.CheckState(name); err != nil {
			return "", err
		}
		if s.Terminal(name) != wantTerminal {
			return "", Usagef("--to %s: want a %s column", name, kind[wantTerminal])
		}
		return name, nil
	}
	fits := func(st board.State) bool { return st.Terminal == wantTerminal }
	if i := slices.IndexFunc(s.States, func(st board.State) bool { return fits(st) && st.Name == preferred }); i >= 0 {
		return preferred, nil
	}
	if i := slices.IndexFunc(s.States, fits); i >= 0 {
		return s.States[i].Name, nil
	}
	return "", Conflictf("the board has no %s column", kind[wantTerminal])
}
