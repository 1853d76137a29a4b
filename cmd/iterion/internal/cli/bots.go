package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"iterion/bots"
	"iterion/native"
)

// Bots returns the registry over the folders that the store's daemon searches, and
// the embedded catalog.
func (f *Factory) Bots() (*bots.Registry, error) {
	root, err := f.workRoot()
	if err != nil {
		return nil, err
	}
	if paths, ok := f.configuredPaths(root); ok {
		return bots.NewRegistry(paths), nil
	}
	return bots.NewRegistry(bots.DefaultPaths(root)), nil
}

// configuredPaths returns bots.paths of the effective config of the daemon's last
// start, so that a name means the same bot to a command and to the daemon; ok is
// false when there is none, or it says nothing but the default. The default of a
// store in its usual place is reckoned anew, for the project may have been moved.
func (f *Factory) configuredPaths(root string) (paths []string, ok bool) {
	l, err := f.Layout()
	if err != nil {
		return nil, false
	}
	var last struct {
		From string `json:"from"`
		Bots struct {
			Paths []string `json:"paths"`
		} `json:"bots"`
	}
	data, err := os.ReadFile(l.ConfigFile())
	if err != nil || json.Unmarshal(data, &last) != nil {
		return nil, false
	}
	if last.Bots.Paths == nil || last.From == configPreset && filepath.Base(l.Root) == native.DirName {
		return nil, false
	}
	for i, p := range last.Bots.Paths {
		if !filepath.IsAbs(p) {
			last.Bots.Paths[i] = filepath.Join(root, p)
		}
	}
	return last.Bots.Paths, true
}

// configPreset is where an effective config says to come from when the daemon was
// given no file.
const configPreset = "preset"

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
