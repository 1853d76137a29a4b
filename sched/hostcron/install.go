package hostcron

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
)

// Installer keeps the managed block of the user's crontab.
type Installer struct {
	Paths Paths
	Host  *time.Location
	// CronZone is the zone that cron lives in; nil: Host. See SystemZone.
	CronZone *time.Location
	Binary   string // absolute
	Path     string // PATH, for the ticks
	Crontab  Crontab
	// CronHome is the home folder that cron will set; see CronHome.
	CronHome string
	NoFsync  bool
	Now      func() time.Time // nil: time.Now
}

// Result is what an install or an uninstall did.
type Result struct {
	Block    Block
	Changed  bool     // the crontab is another one now
	Backup   string   // of the crontab before; empty: there was none, or nothing changed
	Warnings []string // of what in the crontab bears on the block
}

// backupsKept is how many crontabs of before are kept.
const backupsKept = 5

// attempts is how often a crontab that changes under the install is looked at anew.
const attempts = 3

// Block returns the block that Install would write; it needs no crontab program.
func (i Installer) Block() (Block, error) {
	m, err := Load(i.Paths.Manifest, i.Host)
	if err != nil {
		return Block{}, err
	}
	return i.caller().block(m)
}

func (i Installer) caller() caller {
	return caller{
		paths: i.Paths, binary: i.Binary, host: i.Host, cron: cmp.Or(i.CronZone, i.Host), now: i.now(),
		manifest: i.CronHome == "" || i.Paths != Default(i.CronHome),
	}
}

// Install writes the block, in place of the one that is there. Schedules that had
// no line before are armed. Errors: ErrNoCrontab, ErrDamaged, ErrConflict.
func (i Installer) Install(ctx context.Context) (Result, error) {
	block, err := i.Block()
	if err != nil {
		return Result{}, err
	}
	unlock, err := i.lock(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	if err := os.MkdirAll(i.Paths.logs(), 0o700); err != nil {
		return Result{}, fmt.Errorf("install the schedules: %w", err)
	}
	for _, name := range block.Names {
		if err := privateLog(i.Paths, name); err != nil {
			return Result{}, err
		}
	}
	// The ticks that the new lines start need the note.
	if err := i.note(); err != nil {
		return Result{}, err
	}
	r, was, err := i.change(ctx, func(text []byte) ([]byte, error) { return Rewrite(text, block.Text) })
	r.Block = block
	if err != nil {
		return r, err
	}
	fresh := slices.DeleteFunc(slices.Clone(block.Names), func(name string) bool { return hasLine(was, name) })
	return r, Arm(ctx, i.Paths, i.now(), i.NoFsync, fresh...)
}

// Uninstall takes the block out.
func (i Installer) Uninstall(ctx context.Context) (Result, error) {
	unlock, err := i.lock(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	r, _, err := i.change(ctx, Remove)
	return r, err
}

// change brings the crontab from what it is to what edit makes of it.
func (i Installer) change(ctx context.Context, edit func([]byte) ([]byte, error)) (r Result, was []byte, err error) {
	for range attempts {
		if was, err = i.Crontab.Read(ctx); err != nil {
			return r, was, err
		}
		is, err := edit(was)
		if err != nil {
			return r, was, err
		}
		r.Warnings = warnings(is)
		if bytes.Equal(was, is) {
			return r, was, nil
		}
		if r.Backup, err = i.backup(was); err != nil {
			return r, was, err
		}
		err = i.Crontab.replace(ctx, was, is)
		if err == nil {
			r.Changed = true
			return r, was, nil
		}
		if !errors.Is(err, ErrConflict) {
			return r, was, keptIn(r.Backup, err)
		}
	}
	return r, was, fmt.Errorf("the crontab changes again and again: %w", ErrConflict)
}

// keptIn adds to what went wrong where the crontab of before is.
func keptIn(backup string, err error) error {
	if backup == "" {
		return err
	}
	return fmt.Errorf("%w; as it was it is in %s", err, backup)
}

// lock keeps two installs on one manifest apart.
func (i Installer) lock(ctx context.Context) (unlock func(), err error) {
	path := i.Paths.state(".install.lock")
	if err := folder(path); err != nil {
		return nil, fmt.Errorf("install the schedules: %w", err)
	}
	lock, err := filelock.Acquire(ctx, path, filelock.Options{Wait: crontabTimeout})
	if err != nil {
		return nil, fmt.Errorf("install the schedules: %w", err)
	}
	return func() { _ = lock.Release() }, nil
}

// backup keeps a crontab, and of the earlier ones the newest.
func (i Installer) backup(text []byte) (string, error) {
	if len(text) == 0 {
		return "", nil
	}
	path := filepath.Join(i.Paths.Backups(), "crontab-"+i.now().UTC().Format("20060102T150405.000000000Z"))
	err := folder(path)
	if err == nil {
		err = atomicfile.WriteFile(path, text, 0o600, atomicfile.Options{NoFsync: i.NoFsync})
	}
	if err != nil {
		return "", fmt.Errorf("keep a copy of the crontab: %w", err)
	}
	kept, err := filepath.Glob(filepath.Join(i.Paths.Backups(), "crontab-*Z"))
	if err != nil {
		return path, nil // an odd folder name; the copy is there
	}
	slices.Sort(kept)
	for _, old := range kept[:max(0, len(kept)-backupsKept)] {
		_ = os.Remove(old) // one too many is no harm
	}
	return path, nil
}

func (i Installer) now() time.Time {
	if i.Now != nil {
		return i.Now()
	}
	return time.Now()
}
