package bots

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"iterion/bots/manifest"
)

// Tiers of a bot.
const (
	TierFolder  = "folder"
	TierCatalog = "catalog"
)

// Bot is one bundle that was found and understood.
type Bot struct {
	Manifest manifest.Manifest
	Dir      string // absolute folder of the bundle; empty for an embedded one
	Tier     string // TierFolder or TierCatalog

	files fs.FS // of an embedded bundle
}

// Slug returns the bot's name.
func (b Bot) Slug() string { return b.Manifest.Name }

// Path says where the bundle lies: its folder, or catalog:<slug>.
func (b Bot) Path() string {
	if b.Dir != "" {
		return b.Dir
	}
	return TierCatalog + ":" + b.Slug()
}

// Launchable returns why the bot cannot be started from this process, or nil.
// Errors: *MissingProgramError, or what the manifest lacks.
func (b Bot) Launchable() error { return b.LaunchableOn(os.Getenv("PATH")) }

// LaunchableOn is Launchable for a process with another PATH.
func (b Bot) LaunchableOn(path string) error {
	if err := b.Manifest.Launchable(); err != nil {
		return fmt.Errorf("%w (%s)", err, b.Path())
	}
	if len(b.Manifest.Run.Command) == 0 {
		return nil
	}
	name := b.Manifest.Run.Command[0]
	switch {
	case !strings.Contains(name, "/"):
		return b.checkPath(name, path)
	case filepath.IsAbs(name):
		return b.checkFile(name)
	case b.Dir != "":
		return b.checkFile(filepath.Join(b.Dir, name))
	}
	return nil
}
