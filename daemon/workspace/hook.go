package workspace

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/proctree"
)

// Hook is a command that runs in a card's folder: a text for sh, or a program.
type Hook struct {
	Script  string
	Path    string
	Timeout time.Duration
}

// Hooks are the commands around the work on a card. Nil ones are left out.
//
// The first two run before the bot and keep it from starting when they fail; the
// last two run behind it and are only logged.
type Hooks struct {
	AfterCreate  *Hook // once in each new folder, again until it succeeds
	BeforeRun    *Hook // before each start
	AfterRun     *Hook // whenever a run has ended
	BeforeRemove *Hook // before a folder is removed
}

const (
	hookProof = 2 * time.Second // for the end of a hook's processes after KILL
	hookTail  = 2 << 10         // of a failed hook's output, for its error
)

// run runs a hook and waits for its end. Processes that it left in the background
// stay, unless it had to be ended: then none of its session does.
func (h *Hook) run(ctx context.Context, name, dir string, env []string) error {
	if h == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	argv := []string{"sh", "-c", h.Script} // no login shell: it would read the user's profile
	if h.Path != "" {
		argv = []string{h.Path}
	}
	out := &tail{}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return endSession(cmd.Process.Pid) }
	cmd.WaitDelay = hookProof
	err := cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // something in the background holds its output open
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("it took longer than %s", h.Timeout)
	case ctx.Err() != nil:
		return fmt.Errorf("hook %s: %w", name, ctx.Err())
	}
	return fmt.Errorf("%w: hook %s: %w%s", dispatch.ErrHook, name, err, out.quoted())
}

func endSession(pid int) error {
	leader, err := proctree.Identify(pid)
	if err != nil {
		return syscall.Kill(-pid, syscall.SIGKILL)
	}
	mine := proctree.BySession(leader)
	find := func() ([]proctree.Process, error) {
		return proctree.Orphans(mine, func(proctree.Process) bool { return false })
	}
	return proctree.End(context.Background(), find, proctree.Patience{Proof: hookProof})
}

// hookEnv is what a hook is told, on top of what every bot may have.
func (m *Manager) hookEnv(is board.Issue, runID, dir string) []string {
	return append(append([]string{}, m.o.Env...),
		"ITERION_ISSUE_ID="+is.ID, "ITERION_ISSUE_IDENTIFIER="+board.ShortID(is.ID), "ITERION_ISSUE_STATE="+is.State,
		"ITERION_RUN_ID="+runID, "ITERION_WORKSPACE="+dir)
}

// tail keeps the end of what is written to it.
type tail struct{ data []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if over := len(t.data) - hookTail; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(p), nil
}

// quoted is the last line, fit for a message.
func (t *tail) quoted() string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(t.data), "?")), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return fmt.Sprintf(": %q", last)
	}
	return ""
}
