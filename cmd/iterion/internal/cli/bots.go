package cli

import (
	"fmt"
	"path/filepath"

	"iterion/bots"
	"iterion/native"
)

// Bots returns the registry over the folders beside the store and the embedded
// catalog.
func (f *Factory) Bots() (*bots.Registry, error) {
	root, err := f.workRoot()
	if err != nil {
		return nil, err
	}
	return bots.NewRegistry(bots.DefaultPaths(root)), nil
}

// workRoot is the folder that the store lies in, so that a name means the same
// bot in every folder of a project, and in the workspaces that bots call iterion
// from. Without a store, or with one that lies elsewhere under a name of its own,
// it is the working folder.
func (f *Factory) workRoot() (string, error) {
	if l, err := f.Layout(); err == nil && filepath.Base(l.Root) == native.DirName {
		return filepath.Dir(l.Root), nil
	}
	cwd, err := f.Cwd()
	if err != nil {
		return "", fmt.Errorf("find the working folder: %w", err)
	}
	return cwd, nil
}
