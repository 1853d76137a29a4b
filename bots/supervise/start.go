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

// launchError says that the bot cannot be started as it is. Any other error of a
// launch is trouble of the world around, and not held against the bot.
type launchError struct{ err error }

func (e *launchError) Error() string { return e.err.Error() }
func (e *launchError) Unwrap() error { return e.err }

// launch starts the bot. The record says running, durably, before the bot's first
// instruction; an error before that leaves it queued.
func (s *supervisor) launch() (*proctree.Reaper, error) {
	env := s.plan.environ(s.rec, s.dir, os.Environ())
	program, err := s.plan.program(env)
	if err == nil {
		err = checkWorkdir(s.rec.Workdir)
	}
	if err != nil {
		return nil, &launchError{err}
	}
	out, errOut, pipes, err := s.openOutput()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	defer errOut.Close()
	if err := s.markRunning(); err != nil {
		closeAll(pipes)
		return nil, err
	}
	pid, err := s.exec(program, env, out, errOut)
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
	next := s.rec
	next.Owner = &owner
	if err := next.Become(run.Outcome{Status: run.Running}, time.Now()); err != nil {
		return err
	}
	if s.journal, err = s.runs.Journal(s.rec.ID); err != nil {
		return err
	}
	if err := s.runs.Save(next); err != nil {
		return err
	}
	s.rec = next
	s.event(run.Event{Type: run.EventStarted, Data: map[string]any{"attempt": s.rec.Attempt}})
	return nil
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
	if err != nil {
		return 0, unstartable(program, err)
	}
	return pid, nil
}

// unstartable says why the system refused to start a program that was there a
// moment ago.
func unstartable(program string, err error) error {
	why := err
	switch {
	case errors.Is(err, unix.ENOENT):
		why = errors.New("the interpreter that its first line names does not exist")
	case errors.Is(err, unix.ENOEXEC):
		why = errors.New("it is no program and has no first line that names one, such as #!/bin/sh")
	case errors.Is(err, unix.E2BIG):
		why = errors.New("its environment is too large")
	}
	sentence := fmt.Errorf("the bot's program %s cannot be started: %w", program, why)
	if worldly(err) {
		return sentence
	}
	return &launchError{sentence}
}

// worldly reports whether an error speaks of a machine that has run out of
// something.
func worldly(err error) bool {
	for _, e := range []error{unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.ENOSPC, unix.EDQUOT, unix.EIO} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
