package supervise

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"iterion/native/filelock"
	"iterion/native/proctree"
	"iterion/native/run"
)

const (
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

	hide    *redactor
	log     *logFile
	pumps   []*pump
	talk    *talk // nil without an agent
	said    *account
	reports *tail
	purse   *purse // nil until something was spent
	active  activity
	saved   time.Time // when news were last written

	signals chan os.Signal
	urgent  chan struct{} // something was said that should be written at once

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
	switch {
	case err != nil:
		return err
	case in != nil && in.Verb == run.VerbPause:
		err = s.markRunning() // a run is paused from there
	}
	if err != nil {
		return err
	}
	goesOn := s.continued()
	if in != nil { // a bot that has not run has nothing to continue
		return s.done(ending{asked: in, resume: goesOn}.outcome(), nil)
	}
	reaper, err := s.launch()
	var unfit *launchError
	switch {
	case errors.As(err, &unfit):
		return s.done(ending{resume: goesOn}.retryable(run.CodeLaunchFailed, err.Error()), nil)
	case err != nil && s.rec.Status == run.Queued:
		return err // the run never began, which is for Recover to say
	case err != nil:
		return s.done(ending{resume: goesOn}.retryable(run.CodeSupervisorLost, err.Error()), nil)
	}
	return s.finish(reaper, s.watch(reaper))
}

// continued reports whether this is not the first life of the run. It is asked
// before the record says running.
func (s *supervisor) continued() bool { return s.rec.Status == run.Queued && !s.rec.StartedAt.IsZero() }

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
	if err := s.reports.close(); err != nil {
		s.complain(err)
	}
	s.judge(&e)
	s.keep()
	s.rec.ReportsRead = s.reports.done()
	s.payUp()
	s.closeLogs()
	if e.exited {
		s.noteExit(e.status)
	}
	return s.done(e.outcome(), e.ask)
}

// judge gathers what the bot and its agent said of the end.
func (s *supervisor) judge(e *ending) {
	if s.talk != nil {
		v := s.talk.verdict(e.status, e.lingered)
		e.verdict = &v
		s.said.addResult(v.Result)
		if v.NoSession {
			s.said.forgetSession()
		}
		if e.lingered {
			s.log.Note(fmt.Sprintf("the agent did not exit within %s of its last word and was ended; what it said counts", s.plan.Linger))
		}
	}
	s.said.mu.Lock()
	defer s.said.mu.Unlock()
	e.fail, e.ask = s.said.fail, s.said.ask
}

// payUp makes sure that the day's ledger knows what the run has cost.
func (s *supervisor) payUp() {
	if s.purse == nil {
		return
	}
	if err := s.purse.close(); err != nil {
		s.complain(err)
		s.log.Note(s.hide.clean(err.Error()))
	}
}

func (s *supervisor) closeLogs() {
	if s.talk != nil {
		if err := s.talk.stream.Close(); err != nil {
			s.complain(err)
		}
	}
	if err := s.log.Close(); err != nil {
		s.complain(err)
	}
}

func (s *supervisor) gone() bool {
	_, err := os.Stat(s.dir)
	return errors.Is(err, fs.ErrNotExist)
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
