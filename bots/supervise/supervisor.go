package supervise

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/filelock"
	"iterion/native/jsonl"
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
	output  map[string]any
	reports *tail
	saved   time.Time // when progress was last written

	signals chan os.Signal

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
	s.signals = make(chan os.Signal, 4)
	signal.Notify(s.signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)

	in, err := s.runs.Intent(s.rec.ID)
	if err != nil {
		return err
	}
	if in != nil { // the bot has not run, so there is nothing to continue
		return s.done(ending{asked: in}.verdict())
	}
	reaper, err := s.launch()
	var unfit *launchError
	switch {
	case errors.As(err, &unfit):
		return s.done(run.Outcome{Status: run.Failed, Code: run.CodeLaunchFailed, Error: err.Error()})
	case err != nil && s.rec.Status == run.Queued:
		return err // the run never began, which is for Recover to say
	case err != nil:
		return s.done(run.Outcome{Status: run.Failed, Code: run.CodeSupervisorLost, Error: err.Error()})
	}
	return s.finish(reaper, s.watch(reaper))
}

// watch waits until the bot has exited or is to be ended.
func (s *supervisor) watch(reaper *proctree.Reaper) ending {
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
		case sig := <-s.signals:
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

// look reads what the bot reports and what others ask. A run whose folder was
// removed can be neither asked nor settled any more, so it asks for its own end.
func (s *supervisor) look() *run.Intent {
	if err := s.reports.more(); err != nil {
		s.complain(err)
	}
	s.keepProgress(saveEvery)
	in, err := s.runs.Intent(s.rec.ID)
	if err != nil {
		s.complain(err)
	}
	if in == nil && s.gone() {
		in = &run.Intent{Verb: run.VerbStop, Note: "the folder of the run was removed"}
	}
	return in
}

func (s *supervisor) gone() bool {
	_, err := os.Stat(s.dir)
	return errors.Is(err, fs.ErrNotExist)
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
	s.output, e.fail = s.said.results()
	if err := s.log.Close(); err != nil {
		s.complain(err)
	}
	if e.exited {
		s.noteExit(e.status)
	}
	return s.done(e.verdict())
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
	if err := s.insist(s.saveResults); err != nil {
		return err
	}
	if s.journal == nil {
		return s.runs.EnsureOutcome(s.rec)
	}
	s.events.Lock()
	defer s.events.Unlock()
	err := s.insist(func() error { return s.journal.Append(run.OutcomeEvent(s.rec), true) })
	s.removeEmptyLog()
	return err
}

func (s *supervisor) saveResults() error {
	if len(s.output) > 0 {
		if err := s.runs.SetOutput(s.rec.ID, s.output); err != nil {
			return err
		}
	}
	return s.runs.Save(s.rec)
}

// insist does a write until it works. A verdict lost to a full disk would make an
// orphan of a run that ended well, and its work would be done again; meanwhile the
// lock keeps others away. Only a signal, or the loss of the folder, ends it.
func (s *supervisor) insist(write func() error) error {
	for pause := lookEvery; ; pause = min(2*pause, 5*time.Second) {
		err := write()
		if err == nil || errors.Is(err, jsonl.ErrUnsure) || s.gone() {
			return err
		}
		s.complain(err)
		select {
		case sig := <-s.signals:
			if sig != syscall.SIGHUP {
				return err
			}
		case <-time.After(pause):
		}
	}
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
