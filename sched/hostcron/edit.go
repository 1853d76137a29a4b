package hostcron

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
)

// Editor changes a manifest. All its verbs return *Error (ErrInvalid) for what
// cannot be validated, and write nothing then.
type Editor struct {
	Paths   Paths
	Host    *time.Location
	NoFsync bool
	Now     func() time.Time // nil: time.Now

	wait time.Duration // for the lock; 0: as usual
}

// Add appends a row, making the file when it is missing, and arms the schedule.
// Errors: ErrExists.
func (e Editor) Add(ctx context.Context, s Schedule) error {
	if problems := s.Check(e.Host); problems != nil {
		return &Error{problems}
	}
	_, err := e.change(ctx, func(d *draft) error {
		if i := d.find(s.Name, true); i >= 0 {
			return fmt.Errorf("schedule %s: %w in line %d of %s", s.Name, ErrExists, d.m.Rows[i].Line, d.m.Path)
		}
		if err := d.appendRow(s); err != nil {
			return err
		}
		return d.expect(len(d.m.Rows)-1, s)
	})
	if err != nil {
		return err
	}
	return Arm(ctx, e.Paths, e.now(), e.NoFsync, s.Name)
}

// Remove takes a row out and returns it as it was. State and log of the schedule
// stay.
func (e Editor) Remove(ctx context.Context, name string) (Row, error) {
	var gone Row
	_, err := e.change(ctx, func(d *draft) error {
		i := d.find(name, false)
		if i < 0 {
			_, err := d.m.Find(name)
			return err
		}
		gone = d.m.Rows[i]
		return d.removeRow(i)
	})
	return gone, err
}

// SetDisabled switches a row off or on, and arms the schedule that comes on.
// changed is false when it was so already.
func (e Editor) SetDisabled(ctx context.Context, name string, off bool) (changed bool, err error) {
	changed, err = e.change(ctx, func(d *draft) error {
		i := d.find(name, false)
		switch {
		case i < 0:
			_, err := d.m.Find(name)
			return err
		case d.m.Rows[i].Disabled == off:
			return nil
		case !off && d.m.Rows[i].Err() != nil:
			return d.m.Rows[i].Err()
		}
		return d.set(i, "disabled", scalar(fmt.Sprint(off)))
	})
	if changed && !off {
		err = errors.Join(err, Arm(ctx, e.Paths, e.now(), e.NoFsync, name))
	}
	return changed, err
}

// Update changes a row by what fn does to it; the name stays. Only the keys that
// differ are written. changed is false when none does.
func (e Editor) Update(ctx context.Context, name string, fn func(*Schedule) error) (changed bool, err error) {
	var before, after Schedule
	changed, err = e.change(ctx, func(d *draft) error {
		i := d.find(name, false)
		if i < 0 {
			_, err := d.m.Find(name)
			return err
		}
		before = d.m.Rows[i].Schedule
		after = before
		after.Vars = maps.Clone(before.Vars)
		if err := fn(&after); err != nil {
			return err
		}
		if after.Name != name {
			return fmt.Errorf("%w: the name of a schedule stays: remove %s and add %s", ErrInvalid, name, after.Name)
		}
		if problems := after.Check(e.Host); problems != nil {
			return &Error{problems}
		}
		if err := d.rewrite(i, before, after); err != nil || bytes.Equal(d.data, d.old) {
			return err
		}
		return d.expect(i, after)
	})
	if changed && (before.Cron != after.Cron || before.TZ != after.TZ || before.Disabled && !after.Disabled) {
		err = errors.Join(err, Arm(ctx, e.Paths, e.now(), e.NoFsync, name))
	}
	return changed, err
}

func (e Editor) now() time.Time {
	if e.Now != nil {
		return e.Now()
	}
	return time.Now()
}

// change runs one edit under the manifest's lock and writes what came out of it.
func (e Editor) change(ctx context.Context, edit func(*draft) error) (changed bool, err error) {
	if err := folder(e.Paths.Manifest); err != nil {
		return false, fmt.Errorf("edit the schedules: %w", err)
	}
	lock, err := filelock.Acquire(ctx, e.Paths.manifestLock(), filelock.Options{Wait: e.wait})
	if err != nil {
		return false, fmt.Errorf("edit the schedules: %w", err)
	}
	defer lock.Release()
	target, mode, data, err := e.read()
	if err != nil {
		return false, err
	}
	d, err := newDraft(e.Paths.Manifest, data, e.Host)
	if err != nil {
		return false, err
	}
	if err := edit(d); err != nil || bytes.Equal(d.data, data) {
		return false, err
	}
	// An editor takes no lock of ours. What it saved meanwhile is not written over.
	if _, _, now, err := e.read(); err != nil || !bytes.Equal(now, data) {
		return false, errors.Join(fmt.Errorf("edit %s: %w by somebody else, look and try again", e.Paths.Manifest, ErrConflict), err)
	}
	if err := atomicfile.WriteFile(target, d.data, mode, atomicfile.Options{NoFsync: e.NoFsync}); err != nil {
		return false, fmt.Errorf("edit the schedules: %w", err)
	}
	return true, nil
}

// read returns the manifest's text, where it really lies and its permissions. A
// missing one is empty.
func (e Editor) read() (target string, mode fs.FileMode, data []byte, err error) {
	target, err = filepath.EvalSymlinks(e.Paths.Manifest)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(e.Paths.Manifest); err == nil {
			return "", 0, nil, fmt.Errorf("edit the schedules: %s is a link to a file that does not exist", e.Paths.Manifest)
		}
		return e.Paths.Manifest, 0o600, nil, nil
	}
	if err != nil {
		return "", 0, nil, fmt.Errorf("edit the schedules: %w", err)
	}
	info, err := os.Stat(target)
	if err == nil {
		data, err = os.ReadFile(target)
	}
	if err != nil {
		return "", 0, nil, fmt.Errorf("edit the schedules: %w", err)
	}
	return target, info.Mode().Perm(), data, nil
}
