package cli

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"iterion/bots"
)

func newBotNew(f *Factory) *cobra.Command {
	dir := "bots"
	c := &cobra.Command{
		Use: "new NAME", Short: "Make a bot that runs as it is, ready to be changed", Args: exactly("NAME"),
		Long: "Make a folder with a manifest, a script and a README. The bot runs at once; the comments in\n" +
			"its files show how progress, results and failures are said. Nothing is overwritten.",
		Example: "  iterion bot new fix-lint\n  iterion run fix-lint --var prompt='tidy up'",
		RunE:    func(_ *cobra.Command, args []string) error { return runBotNew(f, dir, args[0]) },
	}
	c.Flags().StringVar(&dir, "dir", dir, "`folder` that the bot's folder is made in")
	return c
}

func runBotNew(f *Factory, dir, name string) error {
	cwd, err := f.Cwd()
	if err != nil {
		return err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	f.warnTaken(name)
	path, err := bots.Scaffold(dir, name)
	if errors.Is(err, fs.ErrExist) {
		return &ExitError{Code: ExitConflict, Err: err, Hint: "choose another name, or remove the folder first"}
	}
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(cwd, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return f.printNewBot(name, path)
}

// warnTaken tells of a bot elsewhere that has the name already.
func (f *Factory) warnTaken(name string) {
	reg, err := f.Bots()
	if err != nil {
		return
	}
	if b, err := reg.Resolve(name); err == nil && b.Tier == bots.TierCatalog {
		f.Warn("%s goes before the bot of that name in the catalog", name)
	}
}

func (f *Factory) printNewBot(name, path string) error {
	switch {
	case f.Global.JSON:
		return f.PrintJSON(map[string]string{"slug": name, "path": path})
	case f.Global.Quiet:
		f.Say("%s", path)
	default:
		f.Say("created %s", path)
		f.Talk("try it: iterion run %s", name)
	}
	return nil
}
