package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"iterion/native"
	"iterion/native/atomicfile"
	"iterion/native/board"
)

var errAtWork = errors.New("a run or a daemon is at work on it; try again when it has ended")

// Mending is what Fix did.
type Mending struct {
	Aside  string   `json:"aside,omitempty"` // the folder that things were moved to
	Did    []string `json:"did"`             // one sentence each
	Failed []string `json:"failed"`
}

// mender mends a store. All but its first steps are done under the writer lock.
type mender struct {
	x *exam
	o atomicfile.Options
	Mending
}

// Fix mends what an examination found to be fixable. Each step looks again before
// it acts, so that what was settled since is left alone. Errors:
// board.ErrReadOnly, board.ErrBusy; what could not be mended is in Failed.
func Fix(ctx context.Context, o Options, rep Report) (Mending, error) {
	m := &mender{x: newExam(o), o: atomicfile.Options{NoFsync: o.NoFsync}}
	m.Did, m.Failed = []string{}, []string{}
	if !rep.Fixable() {
		return m.Mending, nil
	}
	m.each(rep, byOwner)
	s, err := native.Open(o.Layout, native.Options{NoFsync: o.NoFsync})
	if err != nil {
		return m.Mending, err
	}
	defer s.Close()
	err = m.mend(ctx, s, rep)
	return m.Mending, err
}

func (m *mender) mend(ctx context.Context, s *native.Store, rep Report) error {
	if err := s.KeepStray(ctx, m.aside); err != nil {
		return fmt.Errorf("move what was never committed aside: %w", err)
	}
	log := m.readLog(rep)
	err := s.Exclusive(ctx, func() error {
		m.each(rep, byFiles)
		for _, path := range m.x.unreadableVerbs() { // we may just have given up on one
			m.try(path, func() error { return m.aside(path) })
		}
		if log != nil {
			m.try("the event log", func() error { return m.trimLog(log) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.Exclusive(ctx, m.dropMark); err != nil {
		return err
	}
	x, suspects := m.suspects()
	return s.Tell(ctx, func() ([]board.Event, error) { return m.tell(x, suspects) })
}

func wants(rep Report, o order) bool {
	return slices.ContainsFunc(rep.Findings, func(f Finding) bool { return f.Fixable && f.order == o })
}

// each mends the findings of one order.
func (m *mender) each(rep Report, o order) {
	for _, f := range rep.Findings {
		if f.order == o && f.fix != nil {
			m.try(f.Where, func() error { return f.fix(m) })
		}
	}
}

func (m *mender) try(what string, fix func() error) {
	if err := fix(); err != nil {
		m.Failed = append(m.Failed, fmt.Sprintf("%s: %v", what, err))
	}
}

func (m *mender) did(format string, args ...any) {
	m.Did = append(m.Did, fmt.Sprintf(format, args...))
}

// suspects looks for cards that the log does not agree with, outside of the lock:
// it reads them all.
func (m *mender) suspects() (*exam, map[string]quarrel) {
	x := newExam(m.x.o)
	x.readLog()
	x.readCards()
	if !x.log.read {
		return x, nil
	}
	return x, x.quarrels()
}

// tell returns the events that make the log agree with those of the suspects that
// still quarrel with it.
func (m *mender) tell(x *exam, suspects map[string]quarrel) ([]board.Event, error) {
	if len(suspects) == 0 {
		return nil, nil
	}
	x.readAgain(slices.Collect(maps.Keys(suspects)))
	if err := x.scanLog(); err != nil {
		return nil, err
	}
	now := x.quarrels()
	maps.DeleteFunc(now, func(id string, _ quarrel) bool { _, was := suspects[id]; return !was })
	events := x.told(now)
	for _, e := range events {
		m.did("noted in the log: %s %s", e.Type, e.IssueID)
	}
	return events, nil
}

// aside moves a file or a folder out of the way, to the same place below the
// folder of this mending.
func (m *mender) aside(path string) error {
	if !present(path) {
		return nil
	}
	to, err := m.place(path)
	if err != nil {
		return err
	}
	if err := os.Rename(path, to); err != nil {
		return err
	}
	m.did("moved %s to %s", path, to)
	return errors.Join(atomicfile.SyncDir(filepath.Dir(to), m.o), atomicfile.SyncDir(filepath.Dir(path), m.o))
}

// place returns where path goes when it is set aside.
func (m *mender) place(path string) (string, error) {
	rel, err := filepath.Rel(m.x.l.Root, path)
	if err != nil {
		return "", err
	}
	if err := m.makeAside(); err != nil {
		return "", fmt.Errorf("make the folder to move things to: %w", err)
	}
	to := filepath.Join(m.Aside, rel)
	for n := 1; present(to); n++ {
		to = fmt.Sprintf("%s.%d", filepath.Join(m.Aside, rel), n)
	}
	return to, os.MkdirAll(filepath.Dir(to), 0o700)
}

// makeAside makes the folder of this mending, named by its instant.
func (m *mender) makeAside() error {
	if m.Aside != "" {
		return nil
	}
	if err := os.MkdirAll(m.x.in(asideName), 0o700); err != nil {
		return err
	}
	base := filepath.Join(m.x.in(asideName), m.x.now.UTC().Format("20060102T150405Z"))
	dir := base
	for n := 2; ; n++ {
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			m.Aside = dir
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		dir = fmt.Sprintf("%s-%d", base, n)
	}
}
