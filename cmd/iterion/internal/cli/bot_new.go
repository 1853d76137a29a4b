package cli

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"iterion/bots"
	"iterion/bots/manifest"
)

type botNewOptions struct {
	dir, protocol, lang string
}

func newBotNew(f *Factory) *cobra.Command {
	var o botNewOptions
	c := &cobra.Command{
		Use: "new NAME", Short: "Make a bot that runs as it is, ready to be changed", Args: exactly("NAME"),
		Long: "Make a folder with a manifest, a program and a README. The bot runs at once; the comments in\n" +
			"its files show how progress, results, questions and failures are said. With the protocol of an\n" +
			"agent (claude, codex, gemini, opencode) it is a copy of the built-in bot of that name, to be\n" +
			"tuned. Nothing is overwritten.",
		Example: "  iterion bot new fix-lint\n  iterion run fix-lint --var prompt='tidy up'\n" +
			"  iterion bot new triage --lang python --protocol jsonl\n  iterion bot new reviewer --protocol claude",
		RunE: func(c *cobra.Command, args []string) error {
			r, err := o.recipe(args[0], c.Flags().Changed("lang"))
			if err != nil {
				return err
			}
			return runBotNew(f, o.dir, r)
		},
		ValidArgsFunction: fixed(),
	}
	fl := c.Flags()
	fl.StringVar(&o.dir, "dir", "", "`folder` that the bot's folder is made in (default: where bots are looked for first)")
	fl.StringVar(&o.protocol, "protocol", string(manifest.Plain), "how it makes reports: "+strings.Join(protocols(), ", "))
	fl.StringVar(&o.lang, "lang", "sh", "what it is written in: "+strings.Join(bots.Langs(), ", "))
	completeFlag(c, "protocol", fixed(protocols()...))
	completeFlag(c, "lang", fixed(bots.Langs()...))
	return c
}

func protocols() []string {
	var names []string
	for _, p := range manifest.Protocols() {
		names = append(names, string(p))
	}
	return names
}

func (o botNewOptions) recipe(name string, langGiven bool) (bots.Recipe, error) {
	r := bots.Recipe{Name: name, Protocol: manifest.Protocol(o.protocol), Lang: o.lang}
	switch {
	case !slices.Contains(protocols(), o.protocol):
		return r, Usagef("--protocol %q: want one of %s%s", o.protocol, strings.Join(protocols(), ", "), didYouMean(o.protocol, protocols()))
	case !slices.Contains(bots.Langs(), o.lang):
		return r, Usagef("--lang %q: want one of %s%s", o.lang, strings.Join(bots.Langs(), ", "), didYouMean(o.lang, bots.Langs()))
	case r.Protocol.Agent() && langGiven:
		return r, Usagef("--lang goes with the protocols plain and jsonl: %s is a program of its own", o.protocol)
	}
	return r, nil
}

func runBotNew(f *Factory, dir string, r bots.Recipe) error {
	cwd, err := f.Cwd()
	if err != nil {
		return err
	}
	if dir, err = f.bundleFolder(cwd, dir); err != nil {
		return err
	}
	f.warnTaken(r.Name)
	path, err := bots.Scaffold(dir, r)
	if errors.Is(err, fs.ErrExist) {
		return &ExitError{Code: ExitConflict, Err: err, Hint: "choose another name, or remove the folder first"}
	}
	if err != nil {
		return err
	}
	return f.printNewBot(r.Name, f.shortPath(path))
}

// shortPath is relative to the working folder for what lies below it.
func (f *Factory) shortPath(path string) string {
	cwd, err := f.Cwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(cwd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
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
	if err != nil {
		return "", err
	}
	if paths, _ := f.configuredPaths(root); len(paths) > 0 {
		return paths[0], nil
	}
	return filepath.Join(root, "bots"), nil
}

// warnTaken tells of a bot elsewhere that has the name already.
func (f *Factory) warnTaken(name string) {
	reg, err := f.Bots()
	if err != nil {
		return
	}
	if b, err := reg.Resolve(name); err == nil && b.Tier != bots.TierFolder {
		f.Warn("%s goes before the bot of that name in %s", name, where(b))
	}
}

func where(b bots.Bot) string {
	if b.Tier == bots.TierCatalog {
		return "the catalog"
	}
	return b.Path()
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
