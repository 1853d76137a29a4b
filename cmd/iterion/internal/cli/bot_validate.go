package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"iterion/bots"
	"iterion/bots/manifest"
)

func newBotValidate(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "validate PATH…", Aliases: []string{"check"}, Short: "Check bundles: every problem with file and line",
		Long: "Check bundles, given by their folder, their manifest.yaml or their archive. Problems are\n" +
			"written to standard error as file:line: key: what is wrong, and the exit code is 2. Keys that\n" +
			"mean nothing to this version, and what would keep a valid bot from being started, are warnings.",
		Args: atLeastOne("PATH"),
		RunE: func(_ *cobra.Command, args []string) error { return runBotValidate(f, args) },
	}
}

// checkedBot is the verdict on one bundle, and one element of the JSON.
type checkedBot struct {
	Path     string       `json:"path"`
	Slug     string       `json:"slug,omitempty"`
	Valid    bool         `json:"valid"`
	Problems []botProblem `json:"problems"`
	Ignored  []string     `json:"ignored"`
	// Obstacle keeps a valid bot from being launched.
	Obstacle string `json:"obstacle,omitempty"`
}

type botProblem struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Key  string `json:"key,omitempty"`
	What string `json:"what"`
}

func runBotValidate(f *Factory, paths []string) error {
	checked := make([]checkedBot, 0, len(paths))
	code := ExitOK
	for _, path := range paths {
		c, err := checkBundle(path)
		if errors.Is(err, os.ErrNotExist) {
			code = max(code, ExitNotFound)
		} else if err != nil {
			code = max(code, ExitUsage)
		}
		checked = append(checked, c)
	}
	if f.Global.JSON {
		if err := f.PrintJSON(checked); err != nil {
			return err
		}
	} else {
		printChecked(f, checked)
	}
	if code != ExitOK {
		return &ExitError{Code: code}
	}
	return nil
}

// loadBundle reads a bundle by whatever names it: folder, manifest or archive.
func loadBundle(path string) (bots.Bot, error) {
	if filepath.Base(path) == manifest.FileName {
		return bots.Load(filepath.Dir(path))
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return bots.LoadArchive(path)
	}
	return bots.Load(path)
}

func checkBundle(path string) (checkedBot, error) {
	c := checkedBot{Path: path, Problems: []botProblem{}, Ignored: []string{}}
	b, err := loadBundle(path)
	var all *manifest.Error
	switch {
	case errors.As(err, &all):
		for _, p := range all.Problems {
			c.Problems = append(c.Problems, botProblem(p))
		}
	case err != nil:
		c.Problems = append(c.Problems, botProblem{File: path, What: err.Error()})
	default:
		c.Valid, c.Slug, c.Ignored = true, b.Slug(), nonNil(b.Manifest.Ignored)
		if err := b.Launchable(); err != nil {
			c.Obstacle = err.Error()
		}
	}
	return c, err
}

func printChecked(f *Factory, checked []checkedBot) {
	for _, c := range checked {
		for _, p := range c.Problems {
			fmt.Fprintln(f.IO.Err, visibleText(p.text()))
		}
		if !c.Valid {
			continue
		}
		if len(c.Ignored) > 0 {
			f.Warn("%s: ignored, for this version does not know them: %s", c.Path, ignoredText(c.Ignored))
		}
		if c.Obstacle != "" {
			f.Warn("%s", c.Obstacle)
		}
		f.Say("%s: bot %s is valid", c.Path, c.Slug)
	}
}

// ignoredText tells a slip from a key of another program.
func ignoredText(keys []string) string {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = key
		if near := manifest.Nearest(key, manifest.Keys()); near != "" {
			texts[i] += " (did you mean " + near + "?)"
		}
	}
	return strings.Join(texts, ", ")
}

func (p botProblem) text() string {
	if p.Line == 0 {
		return p.What
	}
	return manifest.Problem(p).String()
}
