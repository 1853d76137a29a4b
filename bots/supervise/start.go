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
	goesOn := s.continued()
	whole := s.rec
	var err error
	if whole.Inputs, err = s.vars(); err != nil {
		return nil, err
	}
	env := s.plan.environ(whole, s.dir, goesOn, os.Environ())
	program, argv, err := s.command(env)
	if err != nil {
		return nil, &launchError{err}
	}
	std, err := s.openStandard()
	if err != nil {
		return nil, err
	}
	defer std.close()
	if err := s.markRunning(); err != nil {
		closeAll(std.pipes)
		return nil, err
	}
	if goesOn {
		s.log.Note(s.hide.clean("the run goes on" + s.plan.by()))
	}
	pid, err := s.exec(program, argv, env, std)
	if err != nil {
		closeAll(std.pipes)
		return nil, err
	}
	s.drain(std.pipes)
	return proctree.Reap(pid), nil
}

// command returns what is to be started, or why the bot is not fit for it.
func (s *supervisor) command(env []string) (program string, argv []string, err error) {
	if s.talk, err = newTalk(s.plan, s.rec, s.dir); err != nil {
		return "", nil, err
	}
	if program, err = s.plan.program(env); err != nil {
		return "", nil, err
	}
	argv = s.plan.Argv
	if s.talk != nil {
		argv = s.talk.engine.Argv(argv, s.rec.Session)
	}
	return program, argv, checkWorkdir(s.rec.Workdir)
}

// markRunning begins a life of the run. What the last one left is history.
func (s *supervisor) markRunning() error {
	self, err := proctree.Self()
	if err != nil {
		return err
	}
	owner := run.Owner(self)
	next := s.rec
	next.Owner, next.ExitCode, next.Signal = &owner, nil, ""
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
func (s *supervisor) exec(program string, argv, env []string, std standard) (int, error) {
	for _, f := range []*os.File{std.out, std.errOut} { // few programs can write to a pipe that says try again
		if err := syscall.SetNonblock(int(f.Fd()), false); err != nil {
			return 0, err
		}
	}
	pid, err := syscall.ForkExec(program, argv, &syscall.ProcAttr{
		Dir: s.rec.Workdir, Env: env,
		Files: []uintptr{std.in.Fd(), std.out.Fd(), std.errOut.Fd()},
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
