package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"iterion/native/atomicfile"
	"iterion/native/board"
)

// opening makes a finding about something that may not be read one that Fix
// mends, where it belongs to whoever examines.
func (x *exam) opening(f Finding, path string) Finding {
	info, err := os.Lstat(path)
	if err != nil {
		f.Remedy = fmt.Sprintf("give it back to the store's owner: `sudo chown -R %d %s`", x.host.Owner, x.l.Root)
		return f
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != x.host.UID {
		f.Remedy = fmt.Sprintf("it belongs to uid %d: `sudo chown -R %d %s`", st.Uid, x.host.Owner, x.l.Root)
		return f
	}
	f.Remedy = "--fix gives you the right to read and write it"
	return f.mended(byOwner, func(m *mender) error { return m.open(path) })
}

func (m *mender) open(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	mode := info.Mode().Perm() | 0o600
	if info.IsDir() {
		mode |= 0o700
	}
	if err := os.Chmod(path, mode); err != nil {
		return err
	}
	m.did("made %s readable to you", path)
	return nil
}

// close takes the rights of other users away.
func (m *mender) close(path string) error {
	info, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	if err := os.Chmod(path, info.Mode().Perm()&^0o077); err != nil {
		return err
	}
	m.did("closed %s to other users", path)
	return nil
}

// rename gives a file that holds a card of another name its own. Where that one is
// taken by a card that is misplaced as well, the two change places, until what is
// under path belongs there or has nowhere to go.
func (m *mender) rename(path string) error {
	for {
		c := readCard(path)
		if c.err != nil || !misplaced(path) {
			return nil // somebody has mended it
		}
		right := m.x.l.IssueFile(c.id)
		switch {
		case board.CheckID(c.id) != nil, present(right) && !misplaced(right):
			return m.aside(path)
		case present(right):
			if err := m.swap(path, right); err != nil {
				return err
			}
			continue
		}
		if err := os.Rename(path, right); err != nil {
			return err
		}
		m.did("renamed %s to %s", path, filepath.Base(right))
		return atomicfile.SyncDir(filepath.Dir(right), m.o)
	}
}

// swap lets two cards change places. Killed in between, it leaves one of them
// under a temporary name, as its own old copy; nothing is lost.
func (m *mender) swap(a, b string) error {
	tmp := filepath.Join(filepath.Dir(a), tempPrefix+filepath.Base(a))
	if err := os.Link(a, tmp); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(b, a), os.Rename(tmp, b)); err != nil {
		return err
	}
	m.did("let %s and %s change places", a, filepath.Base(b))
	return atomicfile.SyncDir(filepath.Dir(a), m.o)
}

// asideCard moves a card out of the way, unless somebody works on it.
func (m *mender) asideCard(path, id string) error {
	entries, err := readJournal(m.x.l.Claims())
	if err != nil {
		busy, perr := m.x.anyAlive()
		if err = errors.Join(perr, err); busy || perr != nil {
			return fmt.Errorf("look whether it is worked on: %w", err)
		}
	}
	for _, e := range entries {
		if e.IssueID == id && (m.x.ownerAlive(e.Owner) || m.x.runAlive(e.RunID)) {
			return errAtWork
		}
	}
	return m.aside(path)
}

// dropIdle takes the entries out of the claim journal that stand for nothing.
func (m *mender) dropIdle() error {
	path := m.x.l.Claims()
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	entries, err := readJournal(path)
	if err != nil {
		return err
	}
	keep := make([]json.RawMessage, 0, len(entries))
	for _, e := range entries {
		if !m.x.idle(e) {
			keep = append(keep, e.raw)
		}
	}
	if len(keep) == len(entries) {
		return nil
	}
	return m.replaceJournal(path, old, keep)
}

func (m *mender) replaceJournal(path string, old []byte, keep []json.RawMessage) error {
	to, err := m.place(path)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(to, old, 0o600, m.o); err != nil {
		return fmt.Errorf("keep the old journal: %w", err)
	}
	data, err := json.MarshalIndent(keep, "", "  ")
	if err != nil {
		return err
	}
	o := m.o
	o.TempDir = m.x.l.Staging()
	if err := atomicfile.WriteFile(path, append(data, '\n'), 0o600, o); err != nil {
		return err
	}
	m.did("took idle entries out of the claim journal; it was as kept in %s", to)
	return nil
}

// dropMark moves a note away that does not fit a log that was rewritten.
func (m *mender) dropMark() error {
	path := m.x.in(markName)
	if !present(path) || m.x.markFits(path) {
		return nil
	}
	return m.aside(path)
}
