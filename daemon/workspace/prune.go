package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Folder is one card's folder as it stands.
type Folder struct {
	Key     string    `json:"key"`
	Path    string    `json:"path"`
	IssueID string    `json:"issue_id,omitempty"` // empty: nobody knows, the mark is gone
	RunID   string    `json:"run_id,omitempty"`   // that holds it
	At      time.Time `json:"at,omitzero"`        // when its mark was last written
}

// List returns the folders of a root, by name. It takes no lock; a root that does
// not exist has none.
func List(root string) ([]Folder, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read workspace root: %w", err)
	}
	var folders []Folder
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		f := Folder{Key: e.Name(), Path: filepath.Join(root, e.Name())}
		if m, err := readMark(filepath.Join(root, marksDir, e.Name()+".json")); err == nil && m != nil {
			f.IssueID, f.RunID, f.At = m.IssueID, m.RunID, m.At
		}
		folders = append(folders, f)
	}
	return folders, nil
}

// Pruned is a folder with what became of it.
type Pruned struct {
	Folder
	Removed bool   `json:"removed"`
	Kept    string `json:"kept,omitempty"` // why it was not
}

// Prune removes the folders that keep has no reason to keep and that nobody is
// inside of. Their before_remove hooks do not run: no run returns. keep is asked while no folder can be
// handed out. dry tells and removes nothing.
func (m *Manager) Prune(keep func(Folder) string, dry bool) ([]Pruned, error) {
	folders, err := List(m.root)
	if err != nil {
		return nil, err
	}
	out := make([]Pruned, 0, len(folders))
	var failed []error
	for _, f := range folders {
		p, err := m.prune(f, keep, dry)
		if err != nil {
			failed = append(failed, err)
			p.Kept = err.Error()
		}
		out = append(out, p)
	}
	return out, errors.Join(failed...)
}

func (m *Manager) prune(f Folder, keep func(Folder) string, dry bool) (Pruned, error) {
	m.turn.Lock()
	defer m.turn.Unlock()
	p := Pruned{Folder: f}
	if p.Kept = keep(f); p.Kept != "" {
		return p, nil
	}
	by, err := FindOccupant(f.Path)
	switch {
	case errors.Is(err, ErrUnprovable):
		p.Kept = err.Error()
		return p, nil
	case err != nil:
		return p, err
	case by != nil:
		p.Kept = "in use by " + by.String()
		return p, nil
	}
	if !dry {
		if err := m.remove(f.Key); err != nil {
			return p, err
		}
		_, err := os.Lstat(f.Path)
		p.Removed = errors.Is(err, os.ErrNotExist)
	}
	return p, nil
}
