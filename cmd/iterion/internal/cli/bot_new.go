package cli

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"iterion/bots"
)

func newBotNew(f *Factory) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "new NAME", Short: "Make a bot that runs as it is, ready to be changed", Args: exactly("NAME"),
		Long: "Make a folder with a manifest, a script and a README. The bot runs at once; the comments in\n" +
			"its files show how progress, results and failures are said. Nothing is overwritten.",
		Example: "  iterion bot new fix-lint\n  iterion run fix-lint --var prompt='tidy up'",
		RunE:    func(_ *cobra.Command, args []string) error { return runBotNew(f, dir, args[0]) },
	}
	c.Flags().StringVar(&dir, "dir", "", "`folder` that the bot's folder is made in (default: bots, beside the store)")
	return c
}

func runBotNew(f *Factory, dir, name string) error {
	cwd, err := f.Cwd()
	if err != nil {
		return err
	}
	if dir, err = f.bundleFolder(cwd, dir); err != nil {
		return err
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

// bundleFolder is where a new bot goes: unless told otherwise, where it will be
// found.
func (f *Factory) bundleFolder(cwd, dir string) (string, error) {
	switch {
	case filepath.IsAbs(dir):
		return dir, nil
	case dir != "":
		return filepath.Join(cwd, dir), nil
	}
	root, err := f.workRoot()
	return filepath.Join(root, "bots"), err
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
