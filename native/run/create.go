package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
)

// stale is how old a staged folder with a free lock must be before it is taken
// for litter: between its mkdir and its lock a live one looks just the same.
const stale = time.Minute

// Create makes the folder of a new run and returns its lock, held. The record is
// durable when Create returns; the other files, named by base name, are not, for
// they matter only to a process that a power cut ends as well. ErrExists when a
// run of that id is there; then nothing was changed.
func (d *Dir) Create(ctx context.Context, rec Record, files map[string][]byte) (*filelock.Lock, error) {
	if !plainName(rec.ID) {
		return nil, fmt.Errorf("create run %q: %w", rec.ID, ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("create run %s: %w", rec.ID, err)
	}
	lock, err := d.create(rec, files)
	if err != nil {
		return nil, fmt.Errorf("create run %s: %w", rec.ID, err)
	}
	return lock, nil
}

func (d *Dir) create(rec Record, files map[string][]byte) (*filelock.Lock, error) {
	if _, err := os.Lstat(d.Path(rec.ID)); err == nil {
		return nil, ErrExists
	}
	stage, err := d.stage(rec.ID)
	if err != nil {
		return nil, err
	}
	lock, err := filelock.TryAcquire(filepath.Join(stage, LockFile))
	if err == nil {
		err = d.fill(stage, rec, files)
	}
	if err == nil {
		err = d.publish(stage, rec.ID)
	}
	if err == nil {
		return lock, nil
	}
	_ = os.RemoveAll(stage)
	if lock != nil {
		_ = lock.Release()
	}
	return nil, err
}

// stage makes a folder of its own for one launch. Two launches of one id do not
// meet before the rename.
func (d *Dir) stage(id string) (string, error) {
	staging := filepath.Join(d.root, stagingDir)
	if err := os.MkdirAll(staging, 0o700); err != nil {
		return "", err
	}
	sweep(staging, time.Now())
	return os.MkdirTemp(staging, id+"-") // 0700
}

func (d *Dir) fill(stage string, rec Record, files map[string][]byte) error {
	for name, data := range files {
		soft := atomicfile.Options{NoFsync: true}
		if err := atomicfile.Write(filepath.Join(stage, name), data, 0o600, soft); err != nil {
			return err
		}
	}
	data, err := rec.Encode()
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(stage, RecordFile), data, 0o600, d.durable()); err != nil {
		return err
	}
	return atomicfile.SyncDir(stage, d.durable())
}

// publish makes the run appear. A rename onto a folder that is not empty fails,
// and no run folder is ever empty.
func (d *Dir) publish(stage, id string) error {
	err := os.Rename(stage, d.Path(id))
	if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, fs.ErrExist) || errors.Is(err, unix.ENOTDIR) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	if err := atomicfile.SyncDir(d.root, d.durable()); err != nil {
		_ = os.RemoveAll(d.Path(id)) // the caller will hear that no such run exists
		return err
	}
	return nil
}

// sweep removes what dead launchers left in the staging folder.
func sweep(staging string, now time.Time) {
	entries, err := os.ReadDir(staging)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(staging, e.Name())
		info, err := e.Info()
		if err != nil || e.Name() == trashName || now.Sub(info.ModTime()) < stale {
			continue
		}
		if held, err := filelock.Probe(filepath.Join(dir, LockFile)); err == nil && !held {
			_ = os.RemoveAll(dir)
		}
	}
}
