package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/run"
)

// asideName is the folder that fixes move things to.
const asideName = "aside"

// tree is what a walk over the store's own files found. What bots keep in their
// workspaces is theirs.
type tree struct {
	open, strange []string // other users may look; another user's
	openDirs      int
}

func (x *exam) tree() {
	x.readOnly()
	var t tree
	x.look(&t, x.l.Root)
	x.walk(&t, x.l.Dispatcher())
	x.walk(&t, x.l.Runs())
	x.walk(&t, x.l.Spend())
	if present(x.l.Workspaces()) {
		x.look(&t, x.l.Workspaces())
	}
	x.tellOpen(t)
	x.tellStrange(t)
}

// readOnly tells of a store that this user may only read.
func (x *exam) readOnly() {
	for _, path := range []string{x.l.Dispatcher(), x.l.Issues(), x.l.Staging(), x.l.Events()} {
		err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		x.found(Finding{ID: "store-read-only", Severity: Note, Where: path,
			What:   fmt.Sprintf("you may not write here: %v", err),
			Means:  "reading works; every change, and --fix, is refused",
			Remedy: "if that is not meant: `chmod u+w`, or remount the file system"})
		return
	}
}

func (x *exam) walk(t *tree, dir string) {
	if !present(dir) {
		return
	}
	if !x.look(t, dir) {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && dir != x.l.Issues() { // which the cards tell
		x.found(x.opening(Finding{ID: "folder-unreadable", Severity: Error, Where: dir,
			What:  fmt.Sprintf("the folder cannot be read: %v", bare(err)),
			Means: "what lies in it is not seen by anyone"}, dir))
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && path == x.in(asideName):
			x.look(t, path)
		case e.IsDir() && dir == filepath.Join(x.l.Runs(), filepath.Base(x.l.Staging())):
			x.runStaging(path)
		case filepath.Dir(dir) == x.l.Runs() && !ofRun(e.Name()):
		case e.IsDir():
			x.walk(t, path)
		default:
			x.look(t, path)
			x.temp(path, e.Name())
		}
	}
}

// ofRun reports whether a file in a run's folder is ours. Bots keep things there
// as well.
func ofRun(name string) bool {
	switch name {
	case run.RecordFile, run.LockFile, run.EventsFile, run.LogFile, run.VarsFile, run.OutputFile, run.IntentFile,
		"launch.json", "interactions":
		return true
	}
	return strings.HasPrefix(name, tempPrefix)
}

// look judges mode and owner of one file and reports whether it is a folder.
func (x *exam) look(t *tree, path string) (dir bool) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return false
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != x.host.Owner {
		t.strange = append(t.strange, path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		t.open = append(t.open, path)
		if info.IsDir() {
			t.openDirs++
		}
	}
	return info.IsDir()
}

func (x *exam) tellOpen(t tree) {
	if len(t.open) == 0 {
		return
	}
	x.found(Finding{ID: "perm-open", Severity: Warning, Where: t.open[0] + more(len(t.open)-1),
		What:   fmt.Sprintf("other users may look at %d files and %d folders of the store", len(t.open)-t.openDirs, t.openDirs),
		Means:  "cards, questions and logs are private to you: files 0600, folders 0700, sockets 0600",
		Remedy: "--fix takes the rights of other users away",
	}.mended(byFiles, func(m *mender) error {
		var all error
		for _, path := range t.open {
			all = errors.Join(all, m.close(path))
		}
		return all
	}))
}

func (x *exam) tellStrange(t tree) {
	if x.host.UID != x.host.Owner {
		x.found(Finding{ID: "store-of-another-user", Severity: Note, Where: x.l.Root,
			What:   fmt.Sprintf("the store belongs to uid %d and you are uid %d", x.host.Owner, x.host.UID),
			Means:  "what you write here may be out of its owner's reach",
			Remedy: "work on it as its owner"})
	}
	if len(t.strange) == 0 {
		return
	}
	x.found(Finding{ID: "owner-mismatch", Severity: Warning, Where: t.strange[0] + more(len(t.strange)-1),
		What:   fmt.Sprintf("%d files do not belong to uid %d, who owns the store", len(t.strange), x.host.Owner),
		Means:  "somebody else (root?) wrote here; the owner may not be able to read or replace them",
		Remedy: fmt.Sprintf("`sudo chown -R %d %s`", x.host.Owner, x.l.Root)})
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// temp tells of a temporary file whose writer is gone. Those of the staging
// folder are told as writes that were left.
func (x *exam) temp(path, name string) {
	if !strings.HasPrefix(name, tempPrefix) && !strings.HasSuffix(name, ".path.tmp") || filepath.Dir(path) == x.l.Staging() {
		return
	}
	if dir := filepath.Dir(path); !x.old(path) || filepath.Dir(dir) == x.l.Runs() && x.runAlive(filepath.Base(dir)) {
		return
	}
	x.found(Finding{ID: "temp-left", Severity: Note, Where: path,
		What:   "a temporary file was left by a process that was killed",
		Means:  "nothing; it takes room",
		Remedy: "--fix moves it aside",
	}.mended(byFiles, func(m *mender) error { return m.aside(path) }))
}

// runStaging tells of a run that never came to be.
func (x *exam) runStaging(path string) {
	if !x.old(path) || x.stagingHeld(path) {
		return
	}
	x.found(Finding{ID: "run-staging-left", Severity: Note, Where: path,
		What:   "a launch was killed before its run existed",
		Means:  "nothing; the next launch sweeps it",
		Remedy: "--fix moves it aside",
	}.mended(byFiles, func(m *mender) error {
		if x.stagingHeld(path) {
			return errAtWork
		}
		return m.aside(path)
	}))
}

// old reports that a file was last touched longer ago than any write takes.
func (x *exam) old(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && time.Since(info.ModTime()) > stale
}
