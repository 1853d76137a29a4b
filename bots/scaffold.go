package bots

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"iterion/bots/manifest"
)

//go:embed scaffold/*.txt
var scaffold embed.FS

// NameError is a name that no bot can have.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("%q is no bot name, want %s", e.Name, manifest.NameRule)
}

// Unwrap makes every NameError a manifest.ErrInvalid.
func (e *NameError) Unwrap() error { return manifest.ErrInvalid }

// Scaffold makes the bundle dir/name: a bot that runs as it is and shows in its
// comments how the rest is said. The bundle appears whole or not at all. Errors:
// *NameError, and fs.ErrExist (wrapped) when something of that name is there.
func Scaffold(dir, name string) (string, error) {
	if !manifest.ValidName(name) {
		return "", &NameError{Name: name}
	}
	target := filepath.Join(dir, name)
	switch _, err := os.Lstat(target); {
	case err == nil:
		return "", fmt.Errorf("make bot %s: %s: %w", name, target, fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("make bot %s: %w", name, err)
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		// Bundles are source code, shared like the rest of a repository.
		err = stage(target, 0o755, func(tmp string) error { return writeScaffold(tmp, name, target) })
	}
	if err != nil {
		return "", fmt.Errorf("make bot %s: %w", name, err)
	}
	return target, nil
}

func writeScaffold(into, name, target string) error {
	files, err := fs.ReadDir(scaffold, "scaffold")
	if err != nil {
		return err
	}
	fill := strings.NewReplacer("NAME", name, "DIR", target)
	for _, f := range files {
		data, err := scaffold.ReadFile("scaffold/" + f.Name())
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if isScript(data) {
			mode = 0o755
		}
		path := filepath.Join(into, strings.TrimSuffix(f.Name(), ".txt"))
		if err := os.WriteFile(path, []byte(fill.Replace(string(data))), mode); err != nil {
			return err
		}
	}
	return nil
}
