package botz

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Extract unpacks an archive to target, a folder that does not exist yet, in a
// folder that does. It appears whole or not at all; a crash may leave a folder
// beside it whose name begins with a dot. Errors: *Error for an archive that is not
// safe or not whole, fs.ErrExist (wrapped) when target is there.
func Extract(name, target string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return extract(f, name, target, DefaultLimits())
}

func extract(r io.Reader, shown, target string, l Limits) error {
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unpack %s: %s: %w", shown, target, errors.Join(err, fs.ErrExist))
	}
	tmp, err := os.MkdirTemp(filepath.Dir(target), "."+filepath.Base(target)+"-*")
	if err != nil {
		return fmt.Errorf("unpack %s: %w", shown, err)
	}
	defer os.RemoveAll(tmp)
	top, err := unpack(r, shown, tmp, l)
	if err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(tmp, top), target); err != nil {
		return fmt.Errorf("unpack %s: %w", shown, err)
	}
	return nil
}

// unpack fills the empty folder tmp and returns the folder below it that everything
// lies in, if there is one.
func unpack(r io.Reader, shown, tmp string, l Limits) (top string, err error) {
	root, err := os.OpenRoot(tmp)
	if err != nil {
		return "", err
	}
	defer root.Close()
	c, err := walk(r, shown, l, func(e entry, body io.Reader) error { return put(root, e, body) })
	if err != nil {
		return "", err
	}
	// Links come last, when it is known that each of them leads to something inside.
	for _, e := range c.links {
		if err := root.Symlink(e.target, e.name); err != nil {
			return "", fmt.Errorf("%s: entry %q: %w", shown, e.name, err)
		}
	}
	return c.only(), nil
}

func put(root *os.Root, e entry, body io.Reader) error {
	switch e.kind {
	case folder:
		return root.MkdirAll(e.name, 0o700)
	case link:
		return root.MkdirAll(filepath.Dir(e.name), 0o700)
	}
	if err := root.MkdirAll(filepath.Dir(e.name), 0o700); err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
	if e.exec {
		mode = 0o700
	}
	f, err := root.OpenFile(e.name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, body)
	return errors.Join(err, f.Close())
}
