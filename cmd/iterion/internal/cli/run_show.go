package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"iterion/native/run"
)

// show is an attended run on the screen: its log as it grows and, on a
// terminal, one line below it that tells how far the bot is.
type show struct {
	f    *Factory
	runs *run.Dir
	id   string

	log    *logReader
	out    io.Writer
	status *statusLine // nil when nobody would see it move
	looked time.Time   // at the record
}

func newShow(f *Factory, runs *run.Dir, id string) *show {
	s := &show{f: f, runs: runs, id: id, log: newLogReader(runs.LogPath(id), 0)}
	tty := f.IO.OutTTY
	s.out = f.IO.Out
	if f.Global.JSON { // stdout is for the one object at the end
		s.out, tty = f.IO.Err, f.IO.ErrTTY
	}
	if tty {
		s.out = &visibleWriter{w: s.out}
	}
	if f.IO.ErrTTY && !f.Global.Quiet && f.Env("TERM") != "dumb" {
		s.status = &statusLine{w: f.IO.Err, width: f.IO.Width}
	}
	return s
}

// more shows what is new.
func (s *show) more() {
	for {
		chunk := s.log.next()
		if len(chunk) == 0 {
			break
		}
		s.status.clear()
		_, _ = s.out.Write(chunk)
		s.status.after(chunk)
	}
	s.progress()
}

// rest shows what is left of a run that has ended.
func (s *show) rest() {
	s.looked = time.Now() // the verdict says it better than a last progress line
	s.more()
}

// progress redraws the status line a few times a second.
func (s *show) progress() {
	if s.status == nil || time.Since(s.looked) < 200*time.Millisecond {
		return
	}
	s.looked = time.Now()
	if rec, err := s.runs.Get(s.id); err == nil {
		s.status.draw(progressLine(rec, s.looked))
	}
}

func progressLine(rec run.Record, now time.Time) string {
	line := rec.Bot + " " + string(rec.Status)
	if !rec.StartedAt.IsZero() {
		line += " " + now.Sub(rec.StartedAt).Truncate(time.Second).String()
	}
	if p := progressText(rec.Progress); p != "" {
		line += " · " + p
	}
	return visibleLine(line)
}

// talk writes a line for people without tearing the status line.
func (s *show) talk(text string) {
	s.status.clear()
	s.f.Talk("%s", text)
}

func (s *show) close() {
	s.status.clear()
	s.log.close()
	if v, ok := s.out.(*visibleWriter); ok {
		v.flush()
	}
}

// statusLine is the last line of a terminal. A nil one draws nothing.
type statusLine struct {
	w     io.Writer
	width int
	drawn bool
	text  string // what was drawn last
	mid   bool   // the log ends in the middle of a line: no room for ours
}

func (l *statusLine) clear() {
	if l != nil && l.drawn {
		_, _ = io.WriteString(l.w, "\r\x1b[K")
		l.drawn = false
	}
}

func (l *statusLine) after(chunk []byte) {
	if l != nil {
		l.mid = chunk[len(chunk)-1] != '\n'
	}
}

func (l *statusLine) draw(text string) {
	if l.width > 0 {
		text = cut(text, l.width-1)
	}
	if l.mid || l.drawn && l.text == text {
		return
	}
	fmt.Fprintf(l.w, "\r\x1b[K%s", text)
	l.drawn, l.text = true, text
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
