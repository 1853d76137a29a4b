package supervise

import (
	"fmt"
	"os"
	"path/filepath"

	"iterion/bots/manifest"
	"iterion/native/run"
)

// openOutput opens the log and the pipes that the bot writes to. With a plain bot
// stdout and stderr are one pipe, which keeps their order; a bot that reports on
// stdout has one for each.
func (s *supervisor) openOutput() (out, errOut *os.File, pipes []*os.File, err error) {
	s.log, err = openLog(filepath.Join(s.dir, run.LogFile), s.plan.MaxLog, func() {
		s.event(run.Event{Type: run.EventLogTruncated, Data: map[string]any{"limit": s.plan.MaxLog}})
	})
	if err != nil {
		return nil, nil, nil, err
	}
	from, out, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("open pipe: %w", err)
	}
	if s.plan.Protocol != manifest.JSONL {
		return out, out, []*os.File{from}, nil
	}
	fromErr, errOut, err := os.Pipe()
	if err != nil {
		closeAll([]*os.File{from, out})
		return nil, nil, nil, fmt.Errorf("open pipe: %w", err)
	}
	return out, errOut, []*os.File{from, fromErr}, nil
}

// drain begins to read all that the bot says.
func (s *supervisor) drain(pipes []*os.File) {
	hide := newRedactor(s.plan.secrets(os.Environ()))
	s.said = &account{hide: hide, note: s.log.Note, event: s.event}
	s.reports = &tail{path: filepath.Join(s.dir, run.ReportsFile), lines: &lines{each: s.said.line}}
	for i, from := range pipes {
		var tap *lines
		if i == 0 && s.plan.Protocol == manifest.JSONL {
			tap = &lines{each: s.said.line}
		}
		s.pumps = append(s.pumps, startPump(from, s.log, hide.fresh(), tap))
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
