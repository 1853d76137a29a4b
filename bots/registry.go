package bots

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"iterion/bots/catalog"
	"iterion/bots/manifest"
)

// DefaultPaths returns the folders that are searched when nothing else is
// configured.
func DefaultPaths(workdir string) []string {
	return []string{
		filepath.Join(workdir, "bots"), filepath.Join(workdir, "examples"), filepath.Join(workdir, ".botz"),
	}
}

// Registry resolves slugs. It holds no state but its search path: each call
// looks at the folders as they are.
type Registry struct {
	paths []string
}

// NewRegistry returns a registry over folders of bundles, in this order, and
// the embedded catalog after them. Folders that do not exist are passed over.
func NewRegistry(paths []string) *Registry { return &Registry{paths: paths} }

// Entry is one line of List.
type Entry struct {
	Bot  Bot    // with Manifest.Name set to the folder's name when Err is not nil
	Err  error  // why the bundle cannot be read
	Path string // folder of the bundle, or catalog:<slug>
	// ShadowedBy is the Path of the bundle that wins over this one, if any.
	ShadowedBy string
}

// NotFoundError is a slug that no bundle has.
type NotFoundError struct {
	Slug    string
	Nearest string   // what may have been meant; may be empty
	Looked  []string // folders searched before the catalog
}

func (e *NotFoundError) Error() string {
	s := fmt.Sprintf("no bot %q in %s", e.Slug, strings.Join(append(slices.Clone(e.Looked), "the catalog"), ", "))
	if e.Nearest != "" {
		s += fmt.Sprintf("; did you mean %s?", e.Nearest)
	}
	return s
}

// Resolve returns the bot that slug names. Errors: *NotFoundError, or what is
// wrong with the bundle of that name.
func (r *Registry) Resolve(slug string) (Bot, error) {
	for _, root := range r.roots() {
		names, err := root.bundles()
		if err != nil {
			return Bot{}, err
		}
		for _, name := range names {
			if manifest.SameSlug(name, slug) {
				return root.load(name)
			}
		}
	}
	return Bot{}, r.notFound(slug)
}

func (r *Registry) notFound(slug string) error {
	var slugs []string
	for _, e := range r.List() {
		slugs = append(slugs, e.Bot.Slug())
	}
	return &NotFoundError{Slug: slug, Nearest: manifest.Nearest(slug, slugs), Looked: r.paths}
}

// List returns every bundle in search order: the broken ones with their
// problem, the shadowed ones with who shadows them.
func (r *Registry) List() []Entry {
	var entries []Entry
	for _, root := range r.roots() {
		names, err := root.bundles()
		if err != nil {
			entries = append(entries, Entry{Err: err, Path: root.path})
		}
		for _, name := range names {
			entries = append(entries, shade(root.entry(name), entries))
		}
	}
	return entries
}

// shade marks e when an earlier entry has its slug.
func shade(e Entry, earlier []Entry) Entry {
	for _, won := range earlier {
		if won.ShadowedBy == "" && manifest.SameSlug(won.Bot.Slug(), e.Bot.Slug()) {
			e.ShadowedBy = won.Path
			return e
		}
	}
	return e
}

func (r *Registry) roots() []root {
	roots := make([]root, 0, len(r.paths)+1)
	for _, p := range r.paths {
		roots = append(roots, root{path: p, files: os.DirFS(p), tier: TierFolder})
	}
	return append(roots, root{files: catalog.FS(), tier: TierCatalog})
}

// root is one place of the search path.
type root struct {
	path  string // empty for the catalog
	files fs.FS
	tier  string
}

// bundles returns the names of the folders that hold a manifest, sorted.
func (r root) bundles() ([]string, error) {
	all, err := fs.ReadDir(r.files, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for bots in %s: %w", r.path, err)
	}
	var names []string
	for _, entry := range all {
		if r.isBundle(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// isBundle counts a manifest that cannot be looked at as one that is there.
func (r root) isBundle(name string) bool {
	if strings.HasPrefix(name, ".") {
		return false
	}
	info, err := fs.Stat(r.files, name)
	if err != nil || !info.IsDir() {
		return false
	}
	_, err = fs.Stat(r.files, name+"/"+manifest.FileName)
	return !errors.Is(err, fs.ErrNotExist)
}

func (r root) entry(name string) Entry {
	b, err := r.load(name)
	if err != nil {
		b = Bot{Manifest: manifest.Manifest{Name: name}, Tier: r.tier, Dir: r.dir(name)}
	}
	return Entry{Bot: b, Err: err, Path: b.Path()}
}

func (r root) dir(name string) string {
	if r.tier == TierCatalog {
		return ""
	}
	return filepath.Join(r.path, name)
}

func (r root) load(name string) (Bot, error) {
	if r.tier != TierCatalog {
		return Load(filepath.Join(r.path, name))
	}
	files, err := fs.Sub(r.files, name)
	if err != nil {
		return Bot{}, err
	}
	m, err := read(files, TierCatalog+":"+name+"/"+manifest.FileName, name)
	return Bot{Manifest: m, Tier: TierCatalog, files: files}, err
}
