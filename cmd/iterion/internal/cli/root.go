package cli

import "github.com/spf13/cobra"

// newRoot builds the program's commands. When the command line begins with the
// name of one, only that one is built: all of them cost each start a millisecond.
func newRoot(f *Factory, args []string) *cobra.Command {
	root := group("iterion", "A board whose cards are worked by bots")
	for _, s := range asked(sections(), args) {
		root.AddGroup(&cobra.Group{ID: s.title, Title: s.title + ":"})
		for _, c := range s.commands {
			cmd := c.build(f)
			cmd.GroupID = s.title
			root.AddCommand(cmd)
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
	commands []command
}

// command is a noun or verb of the first level.
type command struct {
	name  string
	build func(*Factory) *cobra.Command
}

// sections are the commands by what one wants to do.
func sections() []section {
	return []section{
		{"Start and work", []command{{"init", newInit}, {"tui", newTUI}, {"daemon", newDaemon}, {"trust", newTrust}}},
		{"Cards", []command{{"issue", newIssue}, {"why", newWhy}, {"workspace", newWorkspace}}},
		{"Bots and their runs", []command{{"bot", newBot}, {"run", newRun}, {"runs", newRuns}, {"report", newReport}, {"spend", newSpend}}},
		{"Clocks and triggers", []command{{"schedule", newSchedule}, {"trigger", newTrigger}}},
		{"The program", []command{{"doctor", newDoctor}, {"completion", newCompletion}, {"version", newVersion}}},
	}
}

// asked is the one command that the line begins with, or else all of them: the
// overview, completion and a guess at a misspelt name need the whole.
func asked(all []section, args []string) []section {
	if len(args) == 0 {
		return all
	}
	for _, s := range all {
		for _, c := range s.commands {
			if c.name == args[0] {
				return []section{{s.title, []command{c}}}
			}
		}
	}
	return all
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
