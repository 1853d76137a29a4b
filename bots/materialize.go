package bots

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Materialize returns a folder that the bot can run from. A bundle that lies in
// a folder is used where it is; an embedded one is copied to into/<slug>, private
// to the user, its scripts executable.
func (b Bot) Materialize(into string) (string, error) {
	if b.files == nil {
		return b.Dir, nil
	}
	dir := filepath.Join(into, b.Slug())
	if err := copyOut(b.files, dir); err != nil {
		return "", fmt.Errorf("copy bot %s out of the binary: %w", b.Slug(), err)
	}
	return dir, nil
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
