package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"iterion/native/filelock"
)

// locks looks at who holds the writer lock and the daemon lock, and at what a
// daemon that is gone left behind.
func (x *exam) locks() {
	x.holder(x.l.WriterLock(), "writer", "every other writer waits 5 s and then fails")
	x.daemon = x.holder(x.l.DaemonLock(), "daemon", "no card is started, no trigger fires, and the screen gets no answer")
	x.socket()
	x.owners()
}

func (x *exam) holder(path, who, means string) *filelock.HeldError {
	held, err := filelock.Look(path)
	if err != nil {
		x.found(Finding{ID: who + "-lock-unreadable", Severity: Error, Where: path,
			What:   fmt.Sprintf("the %s lock cannot be looked at: %v", who, err),
			Means:  "nobody can tell whether it is held",
			Remedy: "give the file back to the store's owner: chown and `chmod 600`"})
		return nil
	}
	if held == nil {
		return nil
	}
	h := held.Holder
	if held.Stopped {
		x.found(Finding{ID: who + "-stopped", Severity: Error, Where: path,
			What:   fmt.Sprintf("the holder of the %s lock, pid %d, is stopped", who, h.PID),
			Means:  means,
			Remedy: fmt.Sprintf("`kill -CONT %d`, or `fg` in its shell", h.PID)})
	}
	if h.PID != 0 && x.host.Name != "" && h.Host != x.host.Name {
		x.found(Finding{ID: who + "-elsewhere", Severity: Note, Where: path,
			What:   fmt.Sprintf("the %s lock is held by pid %d on %s, not on this host", who, h.PID, h.Host),
			Means:  "another container or machine works on this store; its processes cannot be signalled from here",
			Remedy: "nothing on one machine; over a network, keep the store to one host"})
	}
	return held
}

// socket looks for a control socket that nobody listens on.
func (x *exam) socket() {
	for _, path := range []string{x.l.Socket(), x.l.ControlPath()} {
		if !present(path) || x.daemon != nil {
			continue
		}
		x.found(Finding{ID: "socket-stale", Severity: Note, Where: path,
			What:   "a control socket was left by a daemon that is gone",
			Means:  "nothing; the next daemon replaces it",
			Remedy: "--fix moves it aside",
		}.mended(byFiles, func(m *mender) error {
			held, err := filelock.Probe(x.l.DaemonLock())
			if err != nil || held {
				return err
			}
			return m.aside(path)
		}))
	}
}

// owners looks for the lock files of daemons that were killed.
func (x *exam) owners() {
	entries, _ := os.ReadDir(x.l.Owners()) // a folder that cannot be read is told by the tree
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ownerSuffix)
		if !ok || x.aliveSoon(id) {
			continue
		}
		path := x.ownerLock(id)
		x.found(Finding{ID: "owner-left", Severity: Note, Where: path,
			What:   "a daemon was killed and left its lock file",
			Means:  "nothing; the next daemon sweeps it",
			Remedy: "--fix moves it aside",
		}.mended(byFiles, func(m *mender) error {
			if held, err := filelock.Probe(path); err != nil || held {
				return err
			}
			return m.aside(path)
		}))
	}
}

const ownerSuffix = ".lock"

func (x *exam) ownerLock(id string) string { return x.l.Owners() + "/" + id + ownerSuffix }

// aliveSoon gives a daemon that has made its file the time to lock it.
func (x *exam) aliveSoon(id string) bool {
	if x.ownerAlive(id) {
		return true
	}
	info, err := os.Lstat(x.ownerLock(id))
	return err != nil || x.now.Sub(info.ModTime()) < settling
}

// ownerAlive reports whether the daemon of that id lives, or that nobody knows.
func (x *exam) ownerAlive(id string) bool {
	if id == "" || strings.ContainsAny(id, `/\`) {
		return false
	}
	held, err := filelock.Probe(x.ownerLock(id))
	return held || err != nil
}

func present(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
