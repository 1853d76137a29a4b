package bots

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"iterion/bots/botz"
	"iterion/bots/manifest"
)

// LoadArchive reads a packed bundle without unpacking it. All of the archive is
// checked. Errors: *botz.Error for an archive that is not safe or not whole,
// *manifest.Error for what is wrong with its manifest.
func LoadArchive(file string) (Bot, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return Bot{}, fmt.Errorf("load bot %s: %w", file, err)
	}
	a, err := botz.Open(file, maxManifest, manifest.FileName)
	if err != nil {
		return Bot{}, err
	}
	b := Bot{Tier: TierArchive, Archive: abs, packed: a}
	data, ok := a.Kept(manifest.FileName)
	if !ok {
		return Bot{}, fmt.Errorf("%s: there is no %s in it of at most %d bytes", file, manifest.FileName, maxManifest)
	}
	shown := filepath.Join(file, manifest.FileName)
	if b.Manifest, err = manifest.Parse(shown, data); err != nil {
		return Bot{}, err
	}
	return b, b.Manifest.CheckName(shown, "archive", strings.TrimSuffix(filepath.Base(abs), botz.Suffix))
}

// checkPacked looks for a command of the bundle in its archive.
func (b Bot) checkPacked(name string) error {
	name = path.Clean(name)
	switch {
	case !b.packed.Has(name):
		return fmt.Errorf("bot %s: run.command: there is no %s in %s", b.Slug(), name, b.Archive)
	case !b.packed.Executable(name):
		return fmt.Errorf("bot %s: run.command: %s is not executable in %s, try chmod +x and pack it again", b.Slug(), name, b.Archive)
	}
	return nil
}

// unpack puts the bundle into dir, which appears whole or not at all. An archive
// that was replaced since the bot was loaded is refused: the run's plan is made from
// the manifest that was read then.
func (b Bot) unpack(dir string) error {
	if err := botz.Extract(b.Archive, dir); err != nil {
		return err
	}
	was, _ := b.packed.Kept(manifest.FileName)
	is, err := os.ReadFile(filepath.Join(dir, manifest.FileName))
	if err == nil && !bytes.Equal(was, is) {
		err = fmt.Errorf("%s was replaced at this very moment, start the run again", b.Archive)
	}
	if err != nil {
		os.RemoveAll(dir)
	}
	return err
}

// shelf remembers what archives hold, so that a daemon that resolves a slug at each
// look at the board unpacks an archive once, and again only when its file changes.
type shelf struct {
	mu   sync.Mutex
	seen map[string]shelved // by path
}

type shelved struct {
	info os.FileInfo
	bot  Bot
	err  error
}

func newShelf() *shelf { return &shelf{seen: map[string]shelved{}} }

// settled is how old a file must be before its time tells it from a later one:
// coarser than the clock of any file system.
const settled = 3 * time.Second

func (s *shelf) load(path string) (Bot, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Bot{}, err
	}
	s.mu.Lock()
	was, ok := s.seen[path]
	s.mu.Unlock()
	if ok && os.SameFile(was.info, info) && was.info.Size() == info.Size() && was.info.ModTime().Equal(info.ModTime()) {
		return was.bot, was.err
	}
	bot, err := LoadArchive(path)
	if time.Since(info.ModTime()) > settled {
		s.mu.Lock()
		s.seen[path] = shelved{info, bot, err}
		s.mu.Unlock()
	}
	return bot, err
}
