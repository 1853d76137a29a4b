package supervise

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/proctree"
	"iterion/native/run"
)

// launch starts the bot. The record says running, durably, before the bot's first
// instruction; an error before that leaves it queued.
func (s *supervisor) launch() (*proctree.Reaper, error) {
	env := s.plan.environ(s.rec, s.dir, os.Environ())
	program, err := s.plan.program(env)
	if err != nil {
		return nil, err
	}
	if err := checkWorkdir(s.rec.Workdir); err != nil {
		return nil, err
	}
	if err := s.markRunning(); err != nil {
		return nil, err
	}
	out, errOut, pipes, err := s.openOutput()
	if err != nil {
		return nil, err
	}
	pid, err := s.exec(program, env, out, errOut)
	out.Close()
	errOut.Close()
	if err != nil {
		closeAll(pipes)
		return nil, err
	}
	s.drain(pipes)
	return proctree.Reap(pid), nil
}

func (s *supervisor) markRunning() error {
	self, err := proctree.Self()
	if err != nil {
		return err
	}
	owner := run.Owner(self)
	s.rec.Owner = &owner
	if err := s.rec.Become(run.Outcome{Status: run.Running}, time.Now()); err != nil {
		return err
	}
	if s.journal, err = s.runs.Journal(s.rec.ID); err != nil {
		return err
	}
	s.event(run.Event{Type: run.EventStarted, Data: map[string]any{"attempt": s.rec.Attempt}})
	return s.runs.Save(s.rec)
}

// exec starts the bot in a process group of its own. It goes below os/exec,
// because the reaper must be the only one to wait.
func (s *supervisor) exec(program string, env []string, out, errOut *os.File) (int, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	for _, f := range []*os.File{out, errOut} { // few programs can write to a pipe that says try again
		if err := syscall.SetNonblock(int(f.Fd()), false); err != nil {
			return 0, err
		}
	}
	pid, err := syscall.ForkExec(program, s.plan.Argv, &syscall.ProcAttr{
		Dir: s.rec.Workdir, Env: env,
		Files: []uintptr{null.Fd(), out.Fd(), errOut.Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
	switch {
	case errors.Is(err, unix.ENOENT): // the file is there: it was looked for
		return 0, fmt.Errorf("the bot's program %s cannot be started: the interpreter that its first line names does not exist", program)
	case errors.Is(err, unix.ENOEXEC):
		return 0, fmt.Errorf("the bot's program %s cannot be started: it is no program and has no first line that names one, such as #!/bin/sh", program)
	case errors.Is(err, unix.E2BIG):
		return 0, fmt.Errorf("the bot's program %s cannot be started: its environment is too large", program)
	case err != nil:
		return 0, fmt.Errorf("the bot's program %s cannot be started: %w", program, err)
	}
	return pid, nil
}
