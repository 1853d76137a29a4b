package supervise

import (
	"fmt"
	"os"
	"path/filepath"

	"iterion/bots/manifest"
	"iterion/native/run"
)

// standard is what a bot finds open when it starts, and our ends of its pipes.
type standard struct {
	in, out, errOut *os.File
	pipes           []*os.File // that of stdout, that of stderr if it is another one
}

// close lets go of the bot's side.
func (s standard) close() { closeAll([]*os.File{s.in, s.out, s.errOut}) }

// openStandard opens the log, makes ready to listen, and opens what the bot reads
// from and writes to.
func (s *supervisor) openStandard() (standard, error) {
	var err error
	s.log, err = openLog(filepath.Join(s.dir, run.LogFile), s.plan.MaxLog, func() {
		s.event(run.Event{Type: run.EventLogTruncated, Data: map[string]any{"limit": s.plan.MaxLog}})
	})
	if err != nil {
		return standard{}, err
	}
	if err := s.listen(); err != nil {
		return standard{}, err
	}
	in, err := s.openInput()
	if err != nil {
		return standard{}, err
	}
	std, err := s.openPipes()
	if err != nil {
		in.Close()
		return standard{}, err
	}
	std.in = in
	return std, nil
}

// openInput opens the prompt of an agent. Other bots have nothing to read.
func (s *supervisor) openInput() (*os.File, error) {
	if s.talk != nil {
		return s.prompt()
	}
	return os.Open(os.DevNull)
}

// openPipes opens one pipe for stdout and stderr of a plain bot, which keeps their
// order; a bot that is listened to on stdout has one for each.
func (s *supervisor) openPipes() (standard, error) {
	from, out, err := pipe()
	if err != nil {
		return standard{}, err
	}
	if s.plan.Protocol == manifest.Plain {
		return standard{out: out, errOut: out, pipes: []*os.File{from}}, nil
	}
	fromErr, errOut, err := pipe()
	if err != nil {
		closeAll([]*os.File{from, out})
		return standard{}, err
	}
	return standard{out: out, errOut: errOut, pipes: []*os.File{from, fromErr}}, nil
}

func pipe() (from, to *os.File, err error) {
	from, to, err = os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("open pipe: %w", err)
	}
	widen(from)
	return from, to, nil
}

// listen makes ready for all that the bot will say.
func (s *supervisor) listen() error {
	s.hide = newRedactor(s.plan.secrets(os.Environ()))
	s.active.touch()
	s.said = &account{hide: s.hide, note: s.log.Note, busy: s.active.touch, urge: s.urge,
		spent: tallyOf(s.rec), session: s.rec.Session}
	s.reports = &tail{path: filepath.Join(s.dir, run.ReportsFile), at: s.rec.ReportsRead, hide: s.hide,
		lines: &lines{each: s.said.line, max: maxReport, tooLong: func() { s.said.tooLong("a report", maxReport) }}}
	if err := s.catchUp(); err != nil || s.talk == nil {
		return err
	}
	var err error
	s.talk.said, s.talk.log, s.talk.hide = s.said, s.log, s.hide
	s.talk.stream, err = openLog(filepath.Join(s.dir, run.StreamFile), s.plan.MaxLog, func() {
		s.log.Note(fmt.Sprintf("%s reached its limit of %d bytes; the agent is listened to all the same", run.StreamFile, s.plan.MaxLog))
	})
	return err
}

// catchUp takes over what earlier lives of the run reported, also what their
// supervisor did not live to read. What it cost and brought counts; how it was to
// end does not.
func (s *supervisor) catchUp() error {
	var err error
	if s.said.output, err = readResults(s.dir); err != nil {
		s.complain(err) // no reason not to go on
	}
	err = s.reports.close()
	s.said.mu.Lock()
	defer s.said.mu.Unlock()
	s.said.fail, s.said.ask = nil, nil
	return err
}

// drain begins to read all that the bot says.
func (s *supervisor) drain(pipes []*os.File) {
	out := &pump{from: pipes[0], into: s.log, hide: s.hide.fresh(), busy: s.active.touch}
	s.pumps = append(s.pumps, out)
	if len(pipes) > 1 {
		s.pumps = append(s.pumps, &pump{from: pipes[1], into: s.log, hide: s.hide.fresh(), busy: s.active.touch})
	}
	switch {
	case s.talk != nil:
		out.into, out.busy = s.talk.stream, nil
		out.tap, s.pumps[1].tap = s.talk.hears(), &s.talk.complaints
	case s.plan.Protocol == manifest.JSONL:
		out.tap = &lines{each: s.said.line, max: maxReport}
	}
	for _, p := range s.pumps {
		p.start()
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
