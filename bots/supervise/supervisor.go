package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/filelock"
	"iterion/native/proctree"
	"iterion/native/run"
)

const (
	// lookEvery is how often intent.json and the bot's reports are looked at.
	lookEvery = 100 * time.Millisecond
	// saveEvery is how often progress is written at most.
	saveEvery = time.Second
	// proof is how long a killed process may take to go before the doubt shows.
	proof = 5 * time.Second
)

// supervisor watches over one run. Its fields belong to the main goroutine, but
// for what events guards.
type supervisor struct {
	dir  string
	lock *filelock.Lock // held until the process exits
	plan plan
	runs *run.Dir
	rec  run.Record

	log     *logFile
	pumps   []*pump
	said    *account
	reports *tail
	saved   time.Time // when progress was last written

	events  sync.Mutex
	journal *run.Journal

	complaints sync.Mutex
	complained string
}

// run takes the run from queued to its end. An error means that the end could not
// be written: the record then says running under a free lock, which is what
// Recover is for.
func (s *supervisor) run() error {
	if err := proctree.BecomeSubreaper(); err != nil {
		return err
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)

	in, err := s.runs.Intent(s.rec.ID)
	if err != nil {
		return err
	}
	if in != nil { // the bot has not run, so there is nothing to continue
		return s.done(ending{asked: in}.verdict())
	}
	reaper, err := s.launch()
	if err != nil {
		return s.done(run.Outcome{Status: run.Failed, Code: run.CodeLaunchFailed, Error: err.Error()})
	}
	return s.finish(reaper, s.watch(reaper, signals))
}

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

// watch waits until the bot has exited or is to be ended.
func (s *supervisor) watch(reaper *proctree.Reaper, signals <-chan os.Signal) ending {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var over <-chan time.Time
	if s.plan.Timeout > 0 {
		over = time.After(s.plan.Timeout)
	}
	e := ending{resume: s.plan.Resume}
	for {
		select {
		case e.status = <-reaper.Main:
			e.exited = true
			return e
		case sig := <-signals:
			if sig != syscall.SIGHUP { // a closed terminal is none of our business
				e.asked = &run.Intent{Verb: run.VerbStop, By: "signal " + unix.SignalName(sig.(syscall.Signal))}
				return e
			}
		case <-over:
			e.timeout = s.plan.Timeout
			return e
		case <-look.C:
			if e.asked = s.look(); e.asked != nil {
				return e
			}
		}
	}
}

// look reads what the bot reports and what others ask.
func (s *supervisor) look() *run.Intent {
	if err := s.reports.more(); err != nil {
		s.complain(err)
	}
	s.keepProgress(saveEvery)
	in, err := s.runs.Intent(s.rec.ID)
	if err != nil {
		s.complain(err)
	}
	return in
}

// keepProgress writes what the bot last said, unless that was done a moment ago.
func (s *supervisor) keepProgress(every time.Duration) {
	if time.Since(s.saved) < every {
		return
	}
	said := s.said.progress()
	if said == nil {
		return
	}
	s.saved = time.Now()
	s.rec.Progress, s.rec.UpdatedAt = said, said.At
	data := map[string]any{"text": said.Text}
	if said.Percent != nil {
		data["percent"] = *said.Percent
	}
	s.event(run.Event{Type: run.EventProgress, Data: data})
	if err := s.runs.SaveSoft(s.rec); err != nil {
		s.complain(err)
	}
}

// finish ends the tree, drains what is left of its words and settles the run.
func (s *supervisor) finish(reaper *proctree.Reaper, e ending) error {
	s.endTree(reaper, s.endOnce)
	if !e.exited {
		select { // the tree is gone, so this is a matter of microseconds
		case e.status = <-reaper.Main:
			e.exited = true
		case <-time.After(time.Second):
		}
	}
	for _, p := range s.pumps {
		p.finish()
	}
	if err := s.reports.close(s.said.hide); err != nil {
		s.complain(err)
	}
	s.keepProgress(0)
	var output map[string]any
	output, e.fail = s.said.results()
	if err := s.log.Close(); err != nil {
		s.complain(err)
	}
	if len(output) > 0 {
		if err := s.runs.SetOutput(s.rec.ID, output); err != nil {
			return err
		}
	}
	if e.exited {
		s.noteExit(e.status)
	}
	return s.done(e.verdict())
}

// endTree returns when nothing of the tree is left. While that cannot be proven
// the record says so, and once a second it is tried again.
func (s *supervisor) endTree(reaper *proctree.Reaper, once func() error) {
	select {
	case <-reaper.Empty: // no child left: the kernel's own proof
		return
	case <-time.After(2 * time.Millisecond):
	}
	for err := once(); err != nil; err = once() {
		if s.rec.Error != err.Error() || !s.rec.Doubtful() {
			s.rec.Doubt(err.Error(), time.Now())
			s.complain(err)
			if err := s.runs.Save(s.rec); err != nil {
				s.complain(err)
			}
		}
		select {
		case <-reaper.Empty:
			return
		case <-time.After(time.Second):
		}
	}
}

func (s *supervisor) endOnce() error {
	own := os.Getpid()
	tree := func() ([]proctree.Process, error) { return proctree.Descendants(own, apart) }
	return proctree.End(context.Background(), tree, proctree.Patience{Grace: s.plan.Grace, Proof: proof})
}

func (s *supervisor) noteExit(ws unix.WaitStatus) {
	if ws.Signaled() {
		s.rec.Signal = unix.SignalName(ws.Signal())
	} else if ws.Exited() {
		code := ws.ExitStatus()
		s.rec.ExitCode = &code
	}
}

// done writes the final record and its event. The lock goes with the process.
func (s *supervisor) done(o run.Outcome) error {
	if s.said != nil {
		o.Error = s.said.hide.clean(o.Error)
	}
	if err := s.rec.Become(o, time.Now()); err != nil {
		return err
	}
	if err := s.runs.Save(s.rec); err != nil {
		return err
	}
	if s.journal == nil {
		return s.runs.EnsureOutcome(s.rec)
	}
	s.events.Lock()
	defer s.events.Unlock()
	err := s.journal.Append(run.OutcomeEvent(s.rec), true)
	s.removeEmptyLog()
	return err
}

func (s *supervisor) removeEmptyLog() {
	path := filepath.Join(s.dir, supervisorLog)
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		_ = os.Remove(path)
	}
}

// event notes what happened, for readers. The record alone decides, so that a
// failure here is only mentioned.
func (s *supervisor) event(e run.Event) {
	s.events.Lock()
	defer s.events.Unlock()
	if err := s.journal.Append(e, false); err != nil {
		s.complain(err)
	}
}

// complain says what went wrong where nobody waits for an answer, once in a row.
func (s *supervisor) complain(err error) {
	s.complaints.Lock()
	defer s.complaints.Unlock()
	if text := err.Error(); text != s.complained {
		s.complained = text
		fmt.Fprintln(os.Stderr, time.Now().UTC().Format(time.RFC3339), text)
	}
}
