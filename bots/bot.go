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

// Launchable returns why the bot cannot be started, or nil.
func (b Bot) Launchable() error {
	if err := b.Manifest.Launchable(); err != nil {
		return fmt.Errorf("%w (%s)", err, b.Path())
	}
	return b.checkProgram()
}

// checkProgram looks for the file of a command that lies in the bundle, so that
// a missing or non-executable one is named before a run is made.
func (b Bot) checkProgram() error {
	if b.Dir == "" || len(b.Manifest.Run.Command) == 0 {
		return nil
	}
	name := b.Manifest.Run.Command[0]
	if !strings.Contains(name, "/") || filepath.IsAbs(name) {
		return nil
	}
	path := filepath.Join(b.Dir, name)
	switch info, err := os.Stat(path); {
	case err != nil:
		return fmt.Errorf("bot %s: run.command: %w", b.Slug(), err)
	case info.IsDir():
		return fmt.Errorf("bot %s: run.command: %s is a folder", b.Slug(), path)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("bot %s: run.command: %s is not executable, try chmod +x", b.Slug(), path)
	}
	return nil
}
