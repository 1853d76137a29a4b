package cli

import "github.com/spf13/cobra"

// newHelp is the command of that name; a word that is no command is refused here
// as anywhere else.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND…]", Short: "Help about any command",
		ValidArgsFunction: completeCommands,
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			if err != nil {
				return Usagef("%w", err)
			}
			if err := knownCommand(of, rest); err != nil {
				return err
			}
			return of.Help()
		},
	}
}

// completeCommands offers the commands below those that were typed.
func completeCommands(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	of, rest, err := c.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, sub := range of.Commands() {
		if sub.IsAvailableCommand() {
			out = append(out, cobra.CompletionWithDesc(sub.Name(), sub.Short))
		}
	}
	return out, noFiles
}
