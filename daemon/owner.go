package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"iterion/native/filelock"
	"iterion/native/proctree"
)

// rootLockName is the lock that a daemon holds in its workspace root.
const rootLockName = ".dispatcher.lock"

// LockedError refuses a second daemon on a workspace root.
type LockedError struct {
	Root    string
	PID     int
	Host    string
	Since   time.Time
	Stopped bool // the holder is suspended and will not let go by itself
}

func (e *LockedError) Error() string {
	s := fmt.Sprintf("workspace root %s is locked by the daemon with pid %d on %s since %s",
		e.Root, e.PID, e.Host, e.Since.Local().Format(time.DateTime))
	if e.Stopped {
		s += ", which is stopped: `fg` or SIGCONT lets it go on"
	}
	return s
}

// lockRoot makes this process the one daemon of a workspace root.
func lockRoot(root string) (*filelock.Lock, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("make workspace root: %w", err)
	}
	lock, err := takeLock(filepath.Join(root, rootLockName))
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return nil, &LockedError{Root: root, PID: held.Holder.PID, Host: held.Holder.Host,
			Since: held.Holder.Since, Stopped: held.Stopped}
	}
	if err != nil {
		return nil, fmt.Errorf("lock workspace root: %w", err)
	}
	return lock, nil
}

// afterlife is how long the locks of a killed daemon are waited for.
const afterlife = 2 * time.Second

// takeLock takes a lock that daemons hold, or fails at once when one does. A daemon
// that is killed while it starts a supervisor leaves its locks, for a moment, with
// a child that has not come to its exec; that moment is waited out.
func takeLock(path string) (*filelock.Lock, error) {
	for deadline := time.Now().Add(afterlife); ; time.Sleep(10 * time.Millisecond) {
		lock, err := filelock.TryAcquire(path)
		var held *filelock.HeldError
		if !errors.As(err, &held) || !dead(held.Holder) || time.Now().After(deadline) {
			return lock, err
		}
	}
}

// dead reports whether a holder was a process of this host that is gone.
func dead(h filelock.Holder) bool {
	if host, err := os.Hostname(); err != nil || host != h.Host || h.PID == 0 {
		return false
	}
	id, err := proctree.Identify(h.PID)
	if err != nil {
		return errors.Is(err, proctree.ErrGone)
	}
	alive, err := id.Alive()
	return err == nil && !alive // a zombie holds nothing any more
}

// owner is this daemon as the claim journal names it. Whoever can take its lock
// has the proof that it is dead.
type owner struct {
	id   string
	lock *filelock.Lock
}

const ownerSuffix = ".lock"

// takeOwner takes the lock of a new owner and removes the lock files of daemons
// that were killed. It runs under the writer lock, so that nobody takes a file
// that has no taker yet for one of the dead.
func takeOwner(dir string) (*owner, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of owner locks: %w", err)
	}
	if err := sweepOwners(dir); err != nil {
		return nil, err
	}
	id := uuid.NewString()
	lock, err := filelock.TryAcquire(filepath.Join(dir, id+ownerSuffix))
	if err != nil {
		return nil, fmt.Errorf("take owner lock: %w", err)
	}
	return &owner{id, lock}, nil
}

// release lets go. The file goes first: its name is never used again, and a lock
// that does not exist is nobody's.
func (o *owner) release() error {
	return errors.Join(os.Remove(o.lock.File().Name()), o.lock.Release())
}

// ownerAlive reports whether the daemon of that id lives.
func ownerAlive(dir, id string) (bool, error) {
	if id == "" || strings.ContainsAny(id, `/\`) {
		return false, fmt.Errorf("owner %q is not an id", id)
	}
	return filelock.Probe(filepath.Join(dir, id+ownerSuffix))
}

func sweepOwners(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read folder of owner locks: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		held, err := filelock.Probe(path)
		if err != nil {
			return err
		}
		if held || !strings.HasSuffix(path, ownerSuffix) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove lock of dead daemon: %w", err)
		}
	}
	return nil
}
