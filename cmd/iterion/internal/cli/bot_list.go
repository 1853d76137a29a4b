package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

func newBotList(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the bots that cards and runs can name", Args: exactly(),
		Long: "List the bots in the order in which a name is looked up: the folders bots/, examples/ and\n" +
			".botz/ beside the store, or those that the daemon's config names; in each the bundles, then\n" +
			"the archives (NAME.botz); then the catalog inside the binary. Bundles that are broken, cannot\n" +
			"be started, or are hidden by an earlier one of the same name are listed with what is the\n" +
			"matter; -q prints the names that can be started.",
		RunE: func(*cobra.Command, []string) error { return runBotList(f) },
	}
}

func runBotList(f *Factory) error {
	reg, err := f.Bots()
	if err != nil {
		return err
	}
	lines := []botLine{}
	for _, e := range reg.List() {
		lines = append(lines, newBotLine(e))
	}
	if f.Global.JSON {
		return f.PrintJSON(lines)
	}
	printBots(f, lines)
	return nil
}

func printBots(f *Factory, lines []botLine) {
	t := Table{Head: []string{"BOT", "VERSION", "WHERE", "ABOUT"}}
	for _, l := range lines {
		switch {
		case !f.Global.Quiet:
			t.Row(l.Slug, l.Version, l.Path, l.about())
		case l.Launchable:
			f.Say("%s", l.Slug)
		}
	}
	if !f.Global.Quiet {
		t.Print(f)
	}
}

func (l botLine) about() string {
	switch {
	case l.ShadowedBy != "":
		return "(not used: " + l.ShadowedBy + " goes before it)"
	case l.MissingProgram != "" && l.Install != "":
		return "(" + l.MissingProgram + " is not installed: " + l.Install + ")"
	case l.Problem != "":
		first, more, _ := strings.Cut(l.Problem, "\n")
		if more != "" {
			first += " …"
		}
		return "(broken: " + first + ")"
	}
	return l.Description
}
