// Package atomicfile replaces whole files so that a reader, or a process killed
// at any instant, sees either the old content or the new one.
//
// A write goes to a unique temporary file on the same file system, is synced,
// renamed over the target, and the folder is synced last: when WriteFile
// returns nil, the new content survives a power cut. On macOS a sync is
// F_FULLFSYNC, because plain fsync leaves the data in the drive's cache there.
package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
)

// Options tune a write. The zero value is the durable one.
type Options struct {
	// NoFsync leaves out every sync: the write is still atomic towards other
	// processes, and no longer survives a power cut.
	NoFsync bool
	// TempDir is where the temporary file is made; empty means the target's own
	// folder. It must be on the target's file system.
	TempDir string
}

// TempPrefix starts the name of every temporary file, so that sweepers and
// watchers know them.
const TempPrefix = ".tmp-"

// WriteFile replaces path by a file that holds data and has permission perm.
func WriteFile(path string, data []byte, perm os.FileMode, o Options) error {
	tmp, err := stage(o.tempDir(path), data, perm, o)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return err
	}
	return SyncDir(filepath.Dir(path), o)
}

func (o Options) tempDir(path string) string {
	if o.TempDir != "" {
		return o.TempDir
	}
	return filepath.Dir(path)
}

// stage writes data to a fresh, synced file in dir and returns its path.
func stage(dir string, data []byte, perm os.FileMode, o Options) (string, error) {
	f, err := os.CreateTemp(dir, TempPrefix+"*")
	if err != nil {
		return "", err
	}
	if err := fill(f, data, perm, o); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// Write makes the file path, which lies in a private folder and which nobody
// reads yet, hold data and syncs it. Unlike WriteFile it may leave half a file
// behind when it is killed.
func Write(path string, data []byte, perm os.FileMode, o Options) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	if err := fill(f, data, perm, o); err != nil {
		os.Remove(path)
		return err
	}
	return nil
}

func fill(f *os.File, data []byte, perm os.FileMode, o Options) error {
	if err := write(f, data, perm, o); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func write(f *os.File, data []byte, perm os.FileMode, o Options) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Chmod(perm); err != nil { // the umask must not decide
		return err
	}
	return Sync(f, o)
}

// Sync makes the content of f durable, unless o says not to.
func Sync(f *os.File, o Options) error {
	if o.NoFsync {
		return nil
	}
	// os.File.Sync is F_FULLFSYNC on macOS and fsync elsewhere.
	return f.Sync()
}

// SyncDir makes the names in dir durable, unless o says not to.
func SyncDir(dir string, o Options) error {
	if o.NoFsync {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync folder %s: %w", dir, err)
	}
	return nil
}
