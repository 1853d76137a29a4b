package bots

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"iterion/bots/manifest"
)

// DefaultPaths returns the folders that are searched when nothing else is
// configured.
func DefaultPaths(workdir string) []string {
	return []string{
		filepath.Join(workdir, "bots"), filepath.Join(workdir, "examples"), filepath.Join(workdir, ".botz"),
	}
}

// Registry resolves slugs. Each call looks at the places as they are.
type Registry struct {
	paths  []string
	places []place
}

// NewRegistry returns a registry over the baked tier: folders of bundles and of
// archives, in this order, and the catalog behind them. Folders that do not exist,
// and files in their place, are passed over. A tier that goes before is one more place at the head of places.
func NewRegistry(paths []string) *Registry {
	r := &Registry{paths: slices.Clone(paths)}
	known := newShelf()
	for _, p := range paths {
		r.places = append(r.places, folder{path: p, archives: known})
	}
	r.places = append(r.places, embedded())
	return r
}

// Paths returns the folders that are searched before the catalog.
func (r *Registry) Paths() []string { return slices.Clone(r.paths) }

// Entry is one line of List.
type Entry struct {
	Bot  Bot    // with Manifest.Name set to the bundle's name when Err is not nil
	Err  error  // why the bundle cannot be read
	Path string // folder or archive of the bundle, or catalog:<slug>
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
	for _, p := range r.places {
		found, err := p.bundles()
		if err != nil {
			return Bot{}, err
		}
		for _, b := range found {
			if manifest.SameSlug(b.name, slug) {
				return b.load()
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
	for _, p := range r.places {
		found, err := p.bundles()
		if err != nil {
			entries = append(entries, Entry{Err: err, Path: p.String()})
		}
		for _, b := range found {
			entries = append(entries, shade(b.entry(), entries))
		}
	}
	return entries
}

// Shadowed returns the bundles that stand behind the one that slug resolves to, in
// search order.
func (r *Registry) Shadowed(slug string) []Entry {
	var behind []Entry
	for _, e := range r.List() {
		if e.ShadowedBy != "" && manifest.SameSlug(e.Bot.Slug(), slug) {
			behind = append(behind, e)
		}
	}
	return behind
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
