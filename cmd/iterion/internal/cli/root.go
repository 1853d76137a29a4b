package cli

import "github.com/spf13/cobra"

func newRoot(f *Factory) *cobra.Command {
	root := group("iterion", "A board whose cards are worked by bots")
	for _, s := range commands(f) {
		root.AddGroup(&cobra.Group{ID: s.title, Title: s.title + ":"})
		for _, c := range s.commands {
			c.GroupID = s.title
			root.AddCommand(c)
		}
	}
	root.Long = "iterion keeps cards on a board and hands them to bots: any command that does the\n" +
		"work of a card. It supervises each run and files the card by how it ended."
	root.Example = "  iterion init --example    make a store here, with three cards for the built-in bots\n" +
		"  iterion tui               watch them being worked; q leaves"
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SilenceUsage, root.SilenceErrors = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.SetIn(f.IO.In)
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.Err)
	root.SetHelpCommand(newHelp())
	globalFlags(root, &f.Global)
	return root
}

// section is a part of the overview.
type section struct {
	title    string
	commands []*cobra.Command
}

// commands are the nouns and verbs of the first level, by what one wants to do.
func commands(f *Factory) []section {
	return []section{
		{"Start and work", []*cobra.Command{newInit(f), newTUI(f), newDaemon(f), newTrust(f)}},
		{"Cards", []*cobra.Command{newIssue(f), newWhy(f)}},
		{"Bots and their runs", []*cobra.Command{newBot(f), newRun(f), newRuns(f), newReport(f)}},
		{"The program", []*cobra.Command{newDoctor(f), newCompletion(f), newVersion(f)}},
	}
}

func globalFlags(root *cobra.Command, g *Global) {
	p := root.PersistentFlags()
	p.StringVar(&g.StoreDir, "store-dir", "", "store `folder` (default: $ITERION_STORE_DIR, else the nearest .iterion)")
	p.BoolVar(&g.JSON, "json", false, "print the result as JSON")
	p.BoolVar(&g.NoColor, "no-color", false, "print without colours")
	p.BoolVar(&g.NoFsync, "no-fsync", false, "do not wait for the disk: faster, not safe against power loss")
	p.BoolVarP(&g.Quiet, "quiet", "q", false, "print only the result, at its shortest")
	p.BoolVarP(&g.Verbose, "verbose", "v", false, "say more on standard error")
}
