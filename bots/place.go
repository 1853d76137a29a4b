package bots

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"iterion/bots/botz"
	"iterion/bots/catalog"
	"iterion/bots/manifest"
)

// place is one step of the walk that resolves a slug.
type place interface {
	// bundles returns what lies here, in the order in which it wins. A place that
	// does not exist, or is no folder, is empty.
	bundles() ([]found, error)
	// String names the place for people.
	String() string
}

// found is a bundle of which no more is known than its name.
type found struct {
	name string
	at   Bot // without a manifest
	load func() (Bot, error)
}

func (f found) entry() Entry {
	b, err := f.load()
	if err != nil {
		b = f.at
		b.Manifest.Name = f.name
	}
	return Entry{Bot: b, Err: err, Path: b.Path()}
}

// folder holds bundles, and archives of bundles behind them: what is unpacked is
// what somebody works on.
type folder struct {
	path     string
	archives *shelf
}

func (f folder) String() string { return f.path }

func (f folder) bundles() ([]found, error) {
	files := os.DirFS(f.path)
	all, err := list(files)
	if err != nil {
		return nil, fmt.Errorf("look for bots in %s: %w", f.path, err)
	}
	var out, packed []found
	for _, name := range all {
		path := filepath.Join(f.path, name)
		if isBundle(files, name) {
			load := func() (Bot, error) { return Load(path) }
			out = append(out, found{name, Bot{Tier: TierFolder, Dir: path}, load})
		} else if slug, ok := strings.CutSuffix(name, botz.Suffix); ok && isFile(files, name) {
			load := func() (Bot, error) { return f.archives.load(path) }
			packed = append(packed, found{slug, Bot{Tier: TierArchive, Archive: path}, load})
		}
	}
	return append(out, packed...), nil
}

// builtIn is the catalog.
type builtIn struct{ files fs.FS }

func embedded() place { return builtIn{files: catalog.FS()} }

func (builtIn) String() string { return TierCatalog }

func (c builtIn) bundles() ([]found, error) {
	all, err := list(c.files)
	if err != nil {
		return nil, err
	}
	var out []found
	for _, name := range all {
		if isBundle(c.files, name) {
			load := func() (Bot, error) { return c.load(name) }
			out = append(out, found{name, Bot{Tier: TierCatalog}, load})
		}
	}
	return out, nil
}

func (c builtIn) load(name string) (Bot, error) {
	files, err := fs.Sub(c.files, name)
	if err != nil {
		return Bot{}, err
	}
	m, err := read(files, TierCatalog+":"+name+"/"+manifest.FileName, name)
	return Bot{Manifest: m, Tier: TierCatalog, files: files}, err
}

// list returns the names in a folder, sorted, without the hidden ones. What is no
// folder holds no bundle: a repository may have a file named like a default folder.
func list(files fs.FS) ([]string, error) {
	all, err := fs.ReadDir(files, ".")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	var names []string
	for _, e := range all {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// isBundle counts a manifest that cannot be looked at as one that is there.
func isBundle(files fs.FS, name string) bool {
	info, err := fs.Stat(files, name)
	if err != nil || !info.IsDir() {
		return false
	}
	_, err = fs.Stat(files, name+"/"+manifest.FileName)
	return !errors.Is(err, fs.ErrNotExist)
}

func isFile(files fs.FS, name string) bool {
	info, err := fs.Stat(files, name)
	return err == nil && info.Mode().IsRegular()
}
