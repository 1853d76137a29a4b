package bots

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"iterion/bots/botz"
	"iterion/bots/manifest"
)

// Tiers of a bot: the kinds of place that it may be found in.
const (
	TierFolder  = "folder"
	TierArchive = "archive"
	TierCatalog = "catalog"
)

// Bot is one bundle that was found and understood.
type Bot struct {
	Manifest manifest.Manifest
	Dir      string // absolute folder of a bundle that lies unpacked; else empty
	Archive  string // absolute file of a packed one; else empty
	Tier     string // one of the Tier constants

	files  fs.FS         // of an embedded bundle
	packed *botz.Archive // of a packed one
}

// Slug returns the bot's name.
func (b Bot) Slug() string { return b.Manifest.Name }

// Path says where the bundle lies: its folder, its archive, or catalog:<slug>.
func (b Bot) Path() string {
	switch {
	case b.Dir != "":
		return b.Dir
	case b.Archive != "":
		return b.Archive
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
	case b.packed != nil:
		return b.checkPacked(name)
	case b.Dir != "":
		return b.checkFile(filepath.Join(b.Dir, name))
	}
	return nil
}
