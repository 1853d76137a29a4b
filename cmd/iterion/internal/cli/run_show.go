package cli

import (
	"io"
	"os"
	"time"

	"iterion/native/run"
)

// How often a watched run is drawn, and its record looked at.
const (
	drawEvery = 100 * time.Millisecond
	askEvery  = 250 * time.Millisecond
)

// show is an attended run on the screen: its log as it grows and, on a
// terminal, one line below it that tells how far the bot is.
type show struct {
	f    *Factory
	runs *run.Dir
	id   string

	log    *logReader
	out    io.Writer
	scroll *scroll // nil: the log alone

	rec    run.Record // as it was last looked at
	looked time.Time
	drawn  time.Time
}

func newShow(f *Factory, runs *run.Dir, id string) *show {
	s := &show{f: f, runs: runs, id: id, log: newLogReader(runs.LogPath(id), 0)}
	tty := f.IO.OutTTY
	s.out = f.IO.Out
	if f.Global.JSON { // stdout is for the one object at the end
		s.out, tty = f.IO.Err, f.IO.ErrTTY
	}
	if s.lively() {
		s.scroll = &scroll{out: s.out, footer: &footer{w: f.IO.Err, width: f.IO.width, faint: f.Color()}}
		s.out = s.scroll
	}
	if tty {
		s.out = &visibleWriter{w: s.out}
	}
	return s
}

// lively reports whether a line may be redrawn: on a terminal that can, which
// shows both streams and nothing else.
func (s *show) lively() bool {
	f := s.f
	return f.IO.OutTTY && f.IO.ErrTTY && !f.Global.JSON && !f.Global.Quiet && f.Env("TERM") != "dumb"
}

// more shows what is new.
func (s *show) more(now time.Time) {
	copyLog(s.out, s.log)
	if s.scroll == nil || now.Sub(s.drawn) < drawEvery {
		return
	}
	s.drawn = now
	if now.Sub(s.looked) >= askEvery {
		s.looked = now
		if rec, err := s.runs.Get(s.id); err == nil {
			s.rec = rec
		}
	}
	if s.rec.ID != "" {
		s.scroll.draw(liveLine(s.rec, now, s.f.IO.width()))
	}
}

// talk writes a line for people without tearing the status line.
func (s *show) talk(text string) {
	if s.scroll != nil {
		s.scroll.footer.clear()
	}
	s.f.Talk("%s", text)
}

// rest shows what is left of the log of a run that has ended or paused, and
// leaves the terminal as it was found. More may come when the run goes on.
func (s *show) rest() {
	copyLog(s.out, s.log)
	if v, ok := s.out.(*visibleWriter); ok {
		v.flush()
	}
	if s.scroll != nil {
		s.scroll.end()
	}
}

func (s *show) close() {
	s.rest()
	s.log.close()
}

// logReader reads a log that still grows. A log that is not there yet is empty.
type logReader struct {
	path string
	file *os.File
	at   int64
	buf  []byte
}

func newLogReader(path string, from int64) *logReader {
	return &logReader{path: path, at: from, buf: make([]byte, 32<<10)}
}

// next returns the next piece, or nothing for now; valid until the next call.
func (r *logReader) next() []byte {
	if r.file == nil {
		file, err := os.Open(r.path)
		if err != nil {
			return nil
		}
		r.file = file
	}
	n, _ := r.file.ReadAt(r.buf, r.at)
	r.at += int64(n)
	return r.buf[:n]
}

func (r *logReader) close() {
	if r.file != nil {
		r.file.Close()
	}
}
