package supervise

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"iterion/native/proctree"
	"iterion/native/run"
)

const (
	// lookEvery is how often intent.json, the bot's reports and the clocks are
	// looked at while the bot says something.
	lookEvery = 100 * time.Millisecond
	// lookIdle is how often they are looked at while it does not.
	lookIdle = 250 * time.Millisecond
	// lookWatched is how often they are then looked at where the system tells of
	// changes. A run that waits for hours must cost nothing.
	lookWatched = 2 * time.Second
	// stirEvery is how often the system may tell.
	stirEvery = 20 * time.Millisecond
)

// watch waits until the bot has exited or is to be ended.
func (s *supervisor) watch(reaper *proctree.Reaper) ending {
	look := time.NewTimer(0)
	defer look.Stop()
	stirred := stirs(s.dir)
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
		case <-s.urgent:
			s.keep()
		case <-s.capReached():
			if e.asked = s.overCap(); e.asked != nil {
				return e
			}
		case <-stirred:
			look.Reset(0)
		case <-look.C:
			rest := s.look(&e)
			if e.asked != nil || e.stall > 0 || e.lingered {
				return e
			}
			look.Reset(s.pause(rest, stirred != nil))
		}
	}
}

// pause is how long until the next look: sooner when more reports wait, while the
// bot is busy, and when one of its clocks is to run out.
func (s *supervisor) pause(rest, watched bool) time.Duration {
	silence := s.active.silence()
	wait := lookIdle
	switch {
	case rest:
		return 0
	case silence < time.Second:
		wait = lookEvery
	case watched:
		wait = lookWatched
	}
	if s.plan.Stall > 0 {
		wait = min(wait, s.plan.Stall-silence+time.Millisecond)
	}
	if s.talk != nil && s.talk.lingers() > 0 {
		wait = min(wait, s.plan.Linger-s.talk.lingers()+time.Millisecond)
	}
	return max(wait, time.Millisecond)
}

// look reads what the bot reports and what others ask, and looks at the clocks. It
// reports whether more reports wait to be read.
func (s *supervisor) look(e *ending) (rest bool) {
	rest, err := s.reports.more()
	if err != nil {
		s.complain(err)
	}
	if time.Since(s.saved) >= saveEvery {
		s.keep()
	}
	e.asked = s.intent()
	silence := s.active.silence()
	if s.plan.Stall > 0 && silence > s.plan.Stall {
		e.stall = s.plan.Stall
	}
	e.lingered = s.talk != nil && s.talk.lingers() > s.plan.Linger
	return rest
}

// intent returns what is asked of the run. A run whose folder was removed can be
// neither asked nor settled any more, so it asks for its own end.
func (s *supervisor) intent() *run.Intent {
	if _, err := os.Stat(filepath.Join(s.dir, run.IntentFile)); err != nil {
		if s.gone() {
			return &run.Intent{Verb: run.VerbStop, Note: "the folder of the run was removed"}
		}
		return nil
	}
	in, err := s.runs.Intent(s.rec.ID)
	if err != nil {
		s.complain(err)
	}
	if in != nil && in.Verb == run.VerbPause && !s.plan.Resume {
		s.complain(fmt.Errorf("pause: %w", ErrNotResumable))
		return nil
	}
	return in
}

// capReached receives when the day's spending reaches its cap.
func (s *supervisor) capReached() <-chan struct{} {
	if s.purse == nil {
		return nil
	}
	return s.purse.reached
}

// overCap pauses a run that can be paused and was not let past the cap.
func (s *supervisor) overCap() *run.Intent {
	if !s.plan.Resume || s.plan.OverCap {
		return nil
	}
	return &run.Intent{Verb: run.VerbPause, Note: run.PauseCostCap}
}

// keep writes what the bot said since the last time.
func (s *supervisor) keep() {
	said, spent := s.said.news()
	if said.none() {
		return
	}
	s.saved = time.Now()
	s.rec.UpdatedAt = s.saved.UTC()
	s.rec.ReportsRead = s.reports.done()
	spent.into(&s.rec)
	s.rec.Session = s.said.sessionID()
	if said.progress != nil {
		s.rec.Progress = said.progress
	}
	for _, e := range said.events(spent) {
		s.event(e)
	}
	if len(said.outputs) > 0 { // first, for the record says how far reports were read
		if err := s.saveOutput(); err != nil {
			s.complain(err)
		}
	}
	save := s.runs.SaveSoft
	if said.session { // the work of an agent hangs on it
		save = s.runs.Save
	}
	if err := save(s.rec); err != nil {
		s.complain(err)
	}
	if said.cost {
		s.pay(spent.usd())
	}
}

func (s *supervisor) pay(total float64) {
	if s.purse == nil {
		s.purse = newPurse(s.plan, s.rec, s.complain)
	}
	s.purse.pay(total)
}

// events tells of news.
func (n news) events(spent tally) []run.Event {
	var all []run.Event
	if n.progress != nil {
		data := map[string]any{"text": n.progress.Text}
		if n.progress.Percent != nil {
			data["percent"] = *n.progress.Percent
		}
		all = append(all, run.Event{Type: run.EventProgress, Data: data})
	}
	if n.cost {
		all = append(all, run.Event{Type: run.EventCost,
			Data: map[string]any{"cost_usd": spent.usd(), "tokens_in": spent.in, "tokens_out": spent.out}})
	}
	if len(n.outputs) > 0 {
		all = append(all, run.Event{Type: run.EventOutput, Data: map[string]any{"names": n.outputs}})
	}
	return all
}

func (s *supervisor) noteExit(ws unix.WaitStatus) {
	if ws.Signaled() {
		s.rec.Signal = unix.SignalName(ws.Signal())
	} else if ws.Exited() {
		code := ws.ExitStatus()
		s.rec.ExitCode = &code
	}
}

// urge asks for what was said to be written at once.
func (s *supervisor) urge() {
	select {
	case s.urgent <- struct{}{}:
	default:
	}
}
