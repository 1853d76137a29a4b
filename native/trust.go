package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
)

// trustFile is ~/.iterion/trusted.json: the stores that may run things on this
// host, by the real path of their folder.
type trustFile struct {
	Stores []trustEntry `json:"stores"`
}

type trustEntry struct {
	Path string    `json:"path"`
	At   time.Time `json:"at"`
}

// Trusted reports whether the store was trusted on this host by the user whose
// home folder is home.
func Trusted(home string, l Layout) (bool, error) {
	real, err := realPath(l)
	if err != nil {
		return false, err
	}
	list, err := readTrust(trustPath(home))
	if err != nil {
		return false, err
	}
	return list.index(real) >= 0, nil
}

// Trust lets the bots of the store run on this host.
func Trust(home string, l Layout) error {
	return changeTrust(home, l, func(list *trustFile, real string) {
		if list.index(real) < 0 {
			list.Stores = append(list.Stores, trustEntry{real, time.Now().UTC()})
		}
	})
}

// Revoke takes Trust back.
func Revoke(home string, l Layout) error {
	return changeTrust(home, l, func(list *trustFile, real string) {
		list.Stores = slices.DeleteFunc(list.Stores, func(e trustEntry) bool { return e.Path == real })
	})
}

func changeTrust(home string, l Layout, change func(*trustFile, string)) error {
	real, err := realPath(l)
	if err != nil {
		return err
	}
	path := trustPath(home)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("trust %s: %w", real, err)
	}
	lock, err := filelock.Acquire(context.Background(), filepath.Join(filepath.Dir(path), ".trusted.lock"), filelock.Options{})
	if err != nil {
		return fmt.Errorf("trust %s: %w", real, err)
	}
	defer lock.Release()
	list, err := readTrust(path)
	if err != nil {
		return err
	}
	change(&list, real)
	return writeTrust(path, list)
}

func writeTrust(path string, list trustFile) error {
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(path, append(data, '\n'), 0o600, atomicfile.Options{}); err != nil {
		return fmt.Errorf("write the list of trusted stores: %w", err)
	}
	return nil
}

func readTrust(path string) (trustFile, error) {
	var list trustFile
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		return trustFile{}, fmt.Errorf("read the list of trusted stores %s: %w", path, err)
	}
	return list, nil
}

func (t trustFile) index(real string) int {
	return slices.IndexFunc(t.Stores, func(e trustEntry) bool { return e.Path == real })
}

func trustPath(home string) string { return filepath.Join(home, DirName, "trusted.json") }

// realPath follows links, so that no other name of an untrusted folder can pass
// for a trusted one.
func realPath(l Layout) (string, error) {
	abs, err := filepath.Abs(l.Root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("find the real path of the store: %w", err)
	}
	return abs, nil
}
