package trigger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
)

// File edits a triggers.yaml. Every edit is made under a lock, replaces the file
// whole, and touches the lines of its own row alone: the rest, comments and blank
// lines included, stays byte for byte. An edit whose row would not be valid is
// refused and changes nothing.
type File struct {
	Options
	NoFsync bool
}

// Sentinels of a File.
var (
	ErrExists = errors.New("already exists")
	// ErrDerived: the subscription comes from its bot's manifest and can be disabled
	// or retuned, but not removed.
	ErrDerived = errors.New("derived from a manifest")
	// ErrChanged: somebody else has saved the file while it was being edited.
	ErrChanged = errors.New("somebody else changed it meanwhile")
)

// Setting is one key of a row and its new value; nil takes the key out. Keys of the
// match are dotted: match.kinds.
type Setting struct {
	Key   string
	Value any
}

// Add appends a subscription of the operator's. Errors: ErrExists, ErrInvalid.
func (f File) Add(ctx context.Context, s Subscription) (Subscription, error) {
	return f.add(ctx, s.ID, func(d *document) error {
		n, err := rowNode(s)
		if err != nil {
			return err
		}
		d.append(n)
		return nil
	})
}

// Create appends a row with these keys; what it does not say is the default of its
// kind. Errors: ErrExists, ErrInvalid.
func (f File) Create(ctx context.Context, id string, settings ...Setting) (Subscription, error) {
	return f.add(ctx, id, func(d *document) error { return insert(d, id, settings) })
}

func insert(d *document, id string, settings []Setting) error {
	settings = append([]Setting{{"id", id}}, settings...)
	slices.SortStableFunc(settings, func(a, b Setting) int { return a.order() - b.order() })
	n, err := mapping(settings...)
	if err != nil {
		return err
	}
	d.append(n)
	return nil
}

// order is the place of the setting's key in a new row.
func (s Setting) order() int {
	top, _, _ := strings.Cut(s.Key, ".")
	return slices.Index(Keys(), top)
}

func (f File) add(ctx context.Context, id string, row func(*document) error) (Subscription, error) {
	if err := CheckID(id); err != nil {
		return Subscription{}, err
	}
	return f.change(ctx, id, func(d *document, set Set) error {
		if _, err := set.Get(id); err == nil || d.index(id) >= 0 {
			return fmt.Errorf("subscription %s: %w", id, ErrExists)
		}
		return row(d)
	})
}

// Preview returns a subscription as these settings would make or change it, and
// writes nothing. Errors: ErrInvalid.
func (f File) Preview(id string, settings ...Setting) (Subscription, error) {
	data, err := os.ReadFile(f.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Subscription{}, err
	}
	_, set, err := f.edited(data, func(d *document, set Set) error {
		if _, err := set.Get(id); errors.Is(err, ErrNoSubscription) && d.index(id) < 0 {
			return insert(d, id, settings)
		}
		return retune(d, set, id, settings)
	})
	if err != nil {
		return Subscription{}, err
	}
	return set.valid(id)
}

// Edit changes keys of a subscription. One that is derived gets a row that retunes
// it. Errors: ErrNoSubscription, ErrUnknown, ErrInvalid.
func (f File) Edit(ctx context.Context, id string, settings ...Setting) (Subscription, error) {
	return f.change(ctx, id, func(d *document, set Set) error { return retune(d, set, id, settings) })
}

// retune changes the row of a subscription, making one where there is none.
func retune(d *document, set Set, id string, settings []Setting) error {
	if _, err := set.Get(id); err != nil {
		return err
	}
	at := d.index(id)
	if at < 0 {
		n, err := mapping(Setting{"id", id})
		if err != nil {
			return err
		}
		at = d.append(n)
	}
	row := d.row(at)
	for _, s := range settings {
		if err := put(row, strings.Split(s.Key, "."), s.Value); err != nil {
			return err
		}
	}
	d.touch(at)
	return nil
}

// Remove takes a row out. Of a derived subscription that leaves what the manifest
// says. Errors: ErrNoSubscription, ErrDerived for one that has no row.
func (f File) Remove(ctx context.Context, id string) error {
	_, err := f.change(ctx, "", func(d *document, set Set) error {
		at := d.index(id)
		if at < 0 {
			if _, err := set.Get(id); err != nil {
				return err
			}
			return fmt.Errorf("subscription %s: %w: disable it instead", id, ErrDerived)
		}
		d.remove(at)
		return nil
	})
	return err
}

// change makes one edit and returns the subscription of that id, which must be
// valid then. Without an id it looks at none.
func (f File) change(ctx context.Context, id string, edit func(*document, Set) error) (Subscription, error) {
	path, err := filepath.EvalSymlinks(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		path, err = f.Path, nil
	}
	if err != nil {
		return Subscription{}, err
	}
	lock, err := filelock.Acquire(ctx, lockPath(f.Path), filelock.Options{})
	if err != nil {
		return Subscription{}, fmt.Errorf("lock the triggers: %w", err)
	}
	defer lock.Release()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Subscription{}, err
	}
	next, set, err := f.edited(data, edit)
	if err != nil {
		return Subscription{}, err
	}
	var sub Subscription
	if id != "" {
		if sub, err = set.valid(id); err != nil {
			return Subscription{}, err
		}
	}
	// An editor takes no lock of ours. What it saved meanwhile is not written over.
	if now, err := os.ReadFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) || !bytes.Equal(now, data) {
		return Subscription{}, errors.Join(fmt.Errorf("edit %s: %w: look at it and try again", f.Path, ErrChanged), err)
	}
	if err := atomicfile.WriteFile(path, next, 0o600, atomicfile.Options{NoFsync: f.NoFsync}); err != nil {
		return Subscription{}, err
	}
	_, err = rewriteState(f.Path, WriteOptions{NoFsync: f.NoFsync}, set.amends)
	return sub, err
}

// valid returns a subscription that can be used. Errors: those of Get, ErrInvalid.
func (s Set) valid(id string) (Subscription, error) {
	sub, err := s.Get(id)
	switch {
	case err != nil:
		return Subscription{}, err
	case sub.Problem != "":
		return Subscription{}, invalid("%s", sub.Problem)
	}
	return sub, nil
}

// edited returns the file as an edit leaves it, and what it says then.
func (f File) edited(data []byte, edit func(*document, Set) error) ([]byte, Set, error) {
	set, err := load(f.Options, data)
	if err != nil {
		return nil, Set{}, err
	}
	d, err := newDocument(f.Path, data)
	if err != nil {
		return nil, Set{}, err
	}
	if err := edit(d, set); err != nil {
		return nil, Set{}, err
	}
	next, err := d.bytes()
	if err != nil {
		return nil, Set{}, err
	}
	set, err = load(f.Options, next)
	return next, set, err
}
