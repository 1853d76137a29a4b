package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"iterion/daemon/dispatch"
	"iterion/native/board"
)

// The persist policies.
const (
	Keep              = "keep"
	CleanupOnDone     = "cleanup_on_done"     // when the card reached done
	CleanupOnTerminal = "cleanup_on_terminal" // when it reached any terminal column
)

// Policies returns the persist policies, the default first.
func Policies() []string { return []string{Keep, CleanupOnDone, CleanupOnTerminal} }

const (
	marksDir       = ".marks"
	removingPrefix = ".removing-"
)

// Options say how folders are handed out.
type Options struct {
	Root    string
	Persist string // one of the policies; empty: Keep
	Owner   string // of the daemon, for the marks
	// Live reports whether a run's supervisor is alive.
	Live func(runID string) (bool, error)
	// Env is the environment of hooks, but for what says which card and run.
	Env   []string
	Hooks Hooks
	Log   *slog.Logger
}

// Manager hands out the folders of one root. It implements dispatch.Workspaces.
type Manager struct {
	o     Options
	root  string // free of links
	hooks atomic.Pointer[Hooks]
	turn  sync.Mutex // folders are handed out and pruned one at a time
}

var _ dispatch.Workspaces = (*Manager)(nil)

// Open makes the root where it is missing and sweeps what a crash left half
// removed. The caller holds the root's lock.
func Open(o Options) (*Manager, error) {
	if err := os.MkdirAll(filepath.Join(o.Root, marksDir), 0o700); err != nil {
		return nil, fmt.Errorf("make workspace root: %w", err)
	}
	root, err := filepath.EvalSymlinks(o.Root)
	if err != nil {
		return nil, fmt.Errorf("resolve workspace root: %w", err)
	}
	if root, err = filepath.Abs(root); err != nil {
		return nil, fmt.Errorf("resolve workspace root: %w", err)
	}
	m := &Manager{o: o, root: root}
	m.SetHooks(o.Hooks)
	return m, m.sweep()
}

// SetHooks puts other hooks in force; those that run already go on.
func (m *Manager) SetHooks(h Hooks) { m.hooks.Store(&h) }

func (m *Manager) sweep() error {
	entries, err := os.ReadDir(m.root)
	if err != nil {
		return fmt.Errorf("read workspace root: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), removingPrefix) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(m.root, e.Name())); err != nil {
			m.o.Log.Warn("sweep half removed workspace", "path", e.Name(), "err", err)
		}
	}
	return nil
}

// Prepare makes or reuses the card's folder and marks it as runID's, see
// dispatch.Workspaces.
func (m *Manager) Prepare(ctx context.Context, is board.Issue, runID string, again bool) (string, error) {
	dir, mark, err := m.hold(is, runID, again)
	if err != nil {
		return "", err
	}
	env, hooks := m.hookEnv(is, runID, dir), m.hooks.Load()
	if mark.Unfinished {
		if err := hooks.AfterCreate.run(ctx, "after_create", dir, env); err != nil {
			return "", err
		}
		mark.Unfinished = false
		if err := writeMark(m.markPath(filepath.Base(dir)), mark); err != nil {
			return "", err
		}
	}
	return dir, hooks.BeforeRun.run(ctx, "before_run", dir, env)
}

// Returned runs the after_run hook.
func (m *Manager) Returned(ctx context.Context, is board.Issue, runID string) {
	key, err := Key(is.ID)
	if err != nil {
		return
	}
	dir := filepath.Join(m.root, key)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return
	}
	m.tell(is.ID, m.hooks.Load().AfterRun.run(ctx, "after_run", dir, m.hookEnv(is, runID, dir)))
}

func (m *Manager) tell(issueID string, err error) {
	if err != nil {
		m.o.Log.Warn("hook", "issue_id", issueID, "err", err)
	}
}

// hold makes or reuses the folder and marks it.
func (m *Manager) hold(is board.Issue, runID string, again bool) (string, Mark, error) {
	m.turn.Lock()
	defer m.turn.Unlock()
	key, err := Key(is.ID)
	if err != nil {
		return "", Mark{}, err
	}
	if again && m.elsewhere(is, key, runID) {
		return m.holdElsewhere(is, key, runID)
	}
	dir := filepath.Join(m.root, key)
	mark, err := m.mark(key, is.ID)
	if err != nil {
		return "", Mark{}, err
	}
	if again {
		if err := knows(dir, mark, runID); err != nil {
			return "", Mark{}, err
		}
	}
	fresh, err := makeFolder(dir)
	if err != nil {
		return "", Mark{}, err
	}
	if !fresh {
		if err := m.checkFree(dir, mark, runID); err != nil {
			return "", Mark{}, err
		}
	}
	if fresh || mark == nil {
		mark = &Mark{IssueID: is.ID, Generation: uuid.NewString(), Unfinished: fresh}
	}
	mark.RunID, mark.Owner, mark.At = runID, m.o.Owner, time.Now().UTC()
	mark.remember(runID)
	return dir, *mark, writeMark(m.markPath(key), *mark)
}

// Release takes runID's mark off and removes the folder when the policy says so.
// A folder that became another run's meanwhile is left alone.
func (m *Manager) Release(ctx context.Context, is board.Issue, runID string, done, terminal bool) error {
	key, err := Key(is.ID)
	if err != nil {
		return err
	}
	mark, err := m.mark(key, is.ID)
	if err != nil || mark == nil || (mark.RunID != runID && mark.RunID != "") {
		return err
	}
	mark.RunID, mark.Owner, mark.At = "", "", time.Now().UTC()
	if err := writeMark(m.markPath(key), *mark); err != nil {
		return err
	}
	if m.o.Persist == CleanupOnDone && done || m.o.Persist == CleanupOnTerminal && terminal {
		return m.removeFor(ctx, key, is, runID)
	}
	return nil
}

func (m *Manager) removeFor(ctx context.Context, key string, is board.Issue, runID string) error {
	dir := filepath.Join(m.root, key)
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		m.tell(is.ID, m.hooks.Load().BeforeRemove.run(ctx, "before_remove", dir, m.hookEnv(is, runID, dir)))
	}
	return m.remove(key)
}

func (m *Manager) markPath(key string) string { return filepath.Join(m.root, marksDir, key+".json") }

// mark reads a folder's mark. One that is unreadable binds nobody by itself: the
// process table still says whether the folder is in use. A mark of another card
// means that two ids met in one key, which no folder survives.
func (m *Manager) mark(key, issueID string) (*Mark, error) {
	mark, err := readMark(m.markPath(key))
	var torn *tornMarkError
	if errors.As(err, &torn) {
		m.o.Log.Warn("workspace mark is unreadable and will be written anew", "issue_id", issueID, "err", err)
		return nil, nil
	}
	if err == nil && mark != nil && mark.IssueID != issueID {
		return nil, fmt.Errorf("workspace %s belongs to card %s", key, mark.IssueID)
	}
	return mark, err
}

// makeFolder reports whether it made the folder. A link or a file in its place
// is refused: it could lead out of the root.
func makeFolder(dir string) (fresh bool, err error) {
	err = os.Mkdir(dir, 0o700)
	if err == nil {
		return true, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("make workspace: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return false, fmt.Errorf("look at workspace: %w", err)
	}
	if !info.IsDir() {
		return false, fmt.Errorf("workspace %s is not a folder of its own, refused", dir)
	}
	return false, nil
}

// elsewhere reports whether a run worked for its card in the folder of another root:
// it was dispatched by a daemon that is gone, and goes on here.
func (m *Manager) elsewhere(is board.Issue, key, runID string) bool {
	dir := is.LastWorkdir
	return is.LastRunID == runID && filepath.IsAbs(dir) && filepath.Base(dir) == key && filepath.Dir(dir) != m.root
}

// holdElsewhere hands out the folder of another root that the run knows. Its mark is
// that root's and stays as it is.
func (m *Manager) holdElsewhere(is board.Issue, key, runID string) (string, Mark, error) {
	dir := is.LastWorkdir
	mark, err := readMark(filepath.Join(filepath.Dir(dir), marksDir, key+".json"))
	if err == nil {
		err = knows(dir, mark, runID)
	}
	if err == nil {
		err = m.checkFree(dir, mark, runID)
	}
	if err != nil {
		return "", Mark{}, err
	}
	mark.Unfinished = false
	return dir, *mark, nil
}

// knows refuses a folder that is not the one that runID worked in.
func knows(dir string, mark *Mark, runID string) error {
	_, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: its workspace %s was removed", dispatch.ErrNotResumable, dir)
	case err != nil:
		return fmt.Errorf("look at workspace: %w", err)
	case mark == nil || !slices.Contains(mark.Runs, runID):
		return fmt.Errorf("%w: workspace %s was made anew since", dispatch.ErrNotResumable, dir)
	}
	return nil
}

// checkFree refuses a folder that another run, or any process, still uses.
func (m *Manager) checkFree(dir string, mark *Mark, runID string) error {
	if mark != nil && mark.RunID != "" && mark.RunID != runID {
		live, err := m.o.Live(mark.RunID)
		if err != nil {
			return fmt.Errorf("look at run that owns workspace %s: %w", dir, err)
		}
		if live {
			return &dispatch.WorkspaceBusyError{Dir: dir, By: "run " + mark.RunID}
		}
	}
	by, err := FindOccupant(dir)
	if errors.Is(err, ErrUnprovable) {
		return nil // the run's lock has spoken
	}
	if err != nil {
		return err
	}
	if by != nil {
		return &dispatch.WorkspaceBusyError{Dir: dir, By: by.String()}
	}
	return nil
}

// remove takes a folder away once nobody is inside. One that is in use stays
// for good: the card is settled, and people may be looking.
func (m *Manager) remove(key string) error {
	dir := filepath.Join(m.root, key)
	by, err := FindOccupant(dir)
	if err != nil || by != nil {
		m.o.Log.Info("workspace kept", "path", dir, "used_by", by, "err", err)
		return nil
	}
	out := filepath.Join(m.root, removingPrefix+key)
	if err := os.Rename(dir, out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove workspace: %w", err)
	}
	if err := os.Remove(m.markPath(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove workspace mark: %w", err)
	}
	if err := os.RemoveAll(out); err != nil {
		return fmt.Errorf("remove workspace: %w", err)
	}
	return nil
}
