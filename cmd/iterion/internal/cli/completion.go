package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newCompletion(f *Factory) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print a completion script for " + strings.Join(shells, ", "),
		Long: "Print a completion script. It completes commands, flags, states, ids (with titles) and bots.\n\n" +
			"  bash:  source <(iterion completion bash)\n" +
			"  zsh:   iterion completion zsh > \"${fpath[1]}/_iterion\"\n" +
			"  fish:  iterion completion fish | source",
		Args: exactly("SHELL"), ValidArgsFunction: fixed(shells...),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(shells, args[0]) {
				return Usagef("unknown shell %q%s", args[0], didYouMean(args[0], shells))
			}
			return runCompletion(f, c.Root(), args[0])
		},
	}
}

func runCompletion(f *Factory, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(f.IO.Out, true)
	case "zsh":
		return root.GenZshCompletion(f.IO.Out)
	case "fish":
		return root.GenFishCompletion(f.IO.Out, true)
	}
	return root.GenPowerShellCompletionWithDesc(f.IO.Out)
}
