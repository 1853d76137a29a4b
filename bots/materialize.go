package bots

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Materialize returns a folder that the bot can run from. A bundle that lies in
// a folder is used where it is. An embedded or packed one is put into into/<slug>,
// private to the user, its scripts executable: whole, or not at all. What is there
// already is used, so that a run that goes on keeps the bundle that it began with.
func (b Bot) Materialize(into string) (string, error) {
	if b.Dir != "" {
		return b.Dir, nil
	}
	dir := filepath.Join(into, b.Slug())
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	err := os.MkdirAll(into, 0o700)
	if err == nil {
		err = b.putInto(dir)
	}
	if err != nil {
		return "", fmt.Errorf("unpack bot %s: %w", b.Slug(), err)
	}
	return dir, nil
}

func (b Bot) putInto(dir string) error {
	if b.packed != nil {
		return b.unpack(dir)
	}
	return stage(dir, 0o700, func(tmp string) error { return copyOut(b.files, tmp) })
}

func copyOut(files fs.FS, dir string) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, modeOf(data))
	})
}

// modeOf makes up for the modes that embedding drops.
func modeOf(data []byte) os.FileMode {
	if isScript(data) {
		return 0o700
	}
	return 0o600
}

func isScript(data []byte) bool { return bytes.HasPrefix(data, []byte("#!")) }
