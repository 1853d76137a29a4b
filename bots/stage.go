package bots

import (
	"os"
	"path/filepath"
)

// stage lets fill make a folder beside target and renames it there, so that target
// is whole or does not exist. The leading dot hides it from registries meanwhile.
func stage(target string, mode os.FileMode, fill func(tmp string) error) error {
	tmp, err := os.MkdirTemp(filepath.Dir(target), "."+filepath.Base(target)+"-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := fill(tmp); err != nil {
		return err
	}
	if err := os.Chmod(tmp, mode); err != nil {
		return err
	}
	return os.Rename(tmp, target)
}
