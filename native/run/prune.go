package run

import (
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

// Prune says which runs may be removed.
type Prune struct {
	Before   time.Time // only runs that ended before
	KeepLast int       // never one of so many newest, whatever they are
	// Statuses are those that may go; they must be final. Empty: finished, failed
	// and cancelled. One that is failed_resumable may still go on and is removed
	// only when it is named.
	Statuses []Status
	// Kept returns the ids of the runs that somebody still points at. It is called
	// after the runs were listed, so that a run that came later is in no danger. An
	// error ends the pruning before anything was removed. nil: nobody points.
	Kept   func(context.Context) (map[string]bool, error)
	DryRun bool // only say what would be removed
}

// Pruned is what a pruning did.
type Pruned struct {
	Removed []PrunedRun // oldest first
	Freed   int64       // bytes, leftovers of killed prunings included
	Spared  int         // runs that were old enough, but are pointed at or in use
	Failed  []Broken    // runs that could not be removed, or not be looked at
}

// PrunedRun is a run that was removed, or would be.
type PrunedRun struct {
	Record Record
	Bytes  int64
}

// prunable are the statuses that go when none are named.
func prunable() []Status { return []Status{Finished, Failed, Cancelled} }

func (p Prune) check() error {
	for _, s := range p.Statuses {
		if !s.Final() {
			return fmt.Errorf("prune runs: one that is %s is never removed: %w", s, ErrInvalid)
		}
	}
	if p.KeepLast < 0 {
		return fmt.Errorf("prune runs: keep last %d: %w", p.KeepLast, ErrInvalid)
	}
	return nil
}

// may reports whether a record is of a kind and age that goes.
func (p Prune) may(rec Record) bool {
	statuses := p.Statuses
	if len(statuses) == 0 {
		statuses = prunable()
	}
	ended := rec.FinishedAt
	if ended.IsZero() {
		ended = rec.UpdatedAt
	}
	return rec.Status.Final() && slices.Contains(statuses, rec.Status) && ended.Before(p.Before)
}

// Prune removes runs that have ended. Each is taken out of the runs folder whole,
// by a rename, before anything of it is deleted: killed at any instant, this
// leaves every run either complete or gone, and what lies in the trash is deleted
// by the next pruning. Symbolic links are deleted, never followed. What one run
// meets with keeps no other back; it is in Failed.
func (d *Dir) Prune(ctx context.Context, p Prune) (Pruned, error) {
	if err := p.check(); err != nil {
		return Pruned{}, err
	}
	found, err := d.List(Query{})
	if err != nil {
		return Pruned{}, err
	}
	kept := map[string]bool{}
	if p.Kept != nil {
		if kept, err = p.Kept(ctx); err != nil {
			return Pruned{}, fmt.Errorf("prune runs: %w", err)
		}
	}
	done := Pruned{Failed: found.Broken}
	bin, err := d.openTrash(p.DryRun)
	if err != nil || bin == nil {
		return done, err
	}
	defer bin.close()
	if !p.DryRun {
		done.Freed = bin.empty()
	}
	old := found.Records[min(p.KeepLast, len(found.Records)):]
	for _, rec := range slices.Backward(old) {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		switch {
		case !p.may(rec):
		case kept[rec.ID]:
			done.Spared++
		default:
			done.remove(d, bin, p, rec)
		}
	}
	return done, nil
}

// remove takes the run's lock first: a run that is being resumed, or settled, is
// not removed under somebody's hands.
func (done *Pruned) remove(d *Dir, bin *trash, p Prune, rec Record) {
	lock, err := d.TryLock(rec.ID)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		done.Spared++
		return
	}
	if err != nil {
		done.Failed = append(done.Failed, Broken{ID: rec.ID, Err: fmt.Errorf("remove run %s: %w", rec.ID, err)})
		return
	}
	defer lock.Release()
	rec, err = d.Get(rec.ID)
	switch {
	case errors.Is(err, ErrNotFound): // somebody else prunes
		return
	case err == nil && !p.may(rec): // it went on meanwhile
		done.Spared++
		return
	}
	size := int64(0)
	if err == nil {
		size = bin.size(rec.ID)
	}
	if err == nil && !p.DryRun {
		err = bin.take(rec.ID)
	}
	if err != nil {
		done.Failed = append(done.Failed, Broken{ID: rec.ID, Err: fmt.Errorf("remove run %s: %w", rec.ID, err)})
		return
	}
	done.Removed = append(done.Removed, PrunedRun{rec, size})
	done.Freed += size
}

// trashDir is where runs go on their way out. It is on the file system of the
// runs, and Create leaves it alone.
var trashDir = filepath.Join(stagingDir, trashName)

// trash removes runs. Whatever it does stays below the runs folder, wherever
// links in it may lead.
type trash struct {
	root *os.Root
	o    atomicfile.Options
	path string
}

// openTrash returns nil when there are no runs.
func (d *Dir) openTrash(dry bool) (*trash, error) {
	root, err := os.OpenRoot(d.root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !dry {
		err = root.MkdirAll(trashDir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("prune runs: %w", err)
	}
	return &trash{root: root, o: d.durable(), path: d.root}, nil
}

func (t *trash) close() { _ = t.root.Close() }

// take moves a run into the trash and deletes it there. The rename is on disk
// before the first file is deleted: no power cut brings back half a run.
func (t *trash) take(id string) error {
	name := filepath.Join(trashDir, id+"-"+NewID())
	if err := t.root.Rename(id, name); err != nil {
		return err
	}
	for _, dir := range []string{t.path, filepath.Join(t.path, trashDir)} {
		if err := atomicfile.SyncDir(dir, t.o); err != nil {
			return err
		}
	}
	return t.delete(name)
}

// empty deletes what killed prunings left and returns the bytes.
func (t *trash) empty() int64 {
	dir, err := t.root.Open(trashDir)
	if err != nil {
		return 0
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	freed := int64(0)
	for _, name := range names {
		left := filepath.Join(trashDir, name)
		size := t.size(left)
		if t.delete(left) == nil {
			freed += size
		}
	}
	return freed
}

// delete removes a folder, also one with folders that may not be written to, as
// package managers make them.
func (t *trash) delete(name string) error {
	if t.root.RemoveAll(name) == nil {
		return nil
	}
	t.walk(name, func(path string, e os.FileInfo) {
		if e.IsDir() {
			_ = t.root.Chmod(path, 0o700)
		}
	})
	return t.root.RemoveAll(name)
}

// size is what the files of a folder hold.
func (t *trash) size(name string) int64 {
	total := int64(0)
	t.walk(name, func(_ string, e os.FileInfo) {
		if e.Mode().IsRegular() {
			total += e.Size()
		}
	})
	return total
}

// walk calls fn for a file or folder and then for all below it; it follows no
// links and passes over what it may not read.
func (t *trash) walk(name string, fn func(path string, e os.FileInfo)) {
	info, err := t.root.Lstat(name)
	if err != nil {
		return
	}
	fn(name, info)
	if !info.IsDir() {
		return
	}
	dir, err := t.root.Open(name)
	if err != nil {
		return
	}
	below, _ := dir.Readdirnames(-1)
	_ = dir.Close()
	for _, e := range below {
		t.walk(filepath.Join(name, e), fn)
	}
}
