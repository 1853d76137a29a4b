package cli

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"iterion/native/board"
)

// completer answers the shell's question of what may come next.
type completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// noFiles keeps the shell from offering file names.
const noFiles = cobra.ShellCompDirectiveNoFileComp

func completeFlag(c *cobra.Command, flag string, fn completer) {
	if err := c.RegisterFlagCompletionFunc(flag, fn); err != nil {
		panic(err) // the flag does not exist: a slip of the program
	}
}

// fixed completes a closed list.
func fixed(words ...string) completer {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words, noFiles
	}
}

func (f *Factory) completeStates(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	b, err := f.Board()
	if err != nil {
		return nil, noFiles
	}
	schema, err := b.Schema(c.Context())
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, s := range schema.States {
		out = append(out, cobra.CompletionWithDesc(s.Name, s.Display))
	}
	return out, noFiles
}

// completeIDs offers the bare uuids, with the titles beside them.
func (f *Factory) completeIDs(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	b, err := f.Board()
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	_, err = eachFile(c.Context(), b, board.Query{Sort: "-updated"}, func(card []byte) error {
		var is struct{ ID, Title, State string }
		if err := json.Unmarshal(card, &is); err != nil {
			return err
		}
		out = append(out, cobra.CompletionWithDesc(strings.TrimPrefix(is.ID, "native:"), visibleLine(is.State+": "+is.Title)))
		return nil
	})
	if err != nil {
		return nil, noFiles
	}
	return out, noFiles | cobra.ShellCompDirectiveKeepOrder
}

func (f *Factory) completeBots(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	reg, err := f.Bots()
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, e := range reg.List() {
		if e.Err == nil && e.ShadowedBy == "" {
			out = append(out, cobra.CompletionWithDesc(e.Bot.Slug(), visibleLine(e.Bot.Manifest.Description)))
		}
	}
	return out, noFiles
}
