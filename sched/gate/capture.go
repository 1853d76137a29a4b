package gate

import (
	"bytes"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// capture reads what a process prints, through a pipe whose end it does not have to
// wait for.
type capture struct {
	r, w *os.File
	max  int
	tail bool          // keep the last max bytes instead of the first
	full chan struct{} // closed when more than max bytes came and tail is false
	done chan struct{}
	buf  []byte
}

func newCapture(max int, tail bool) (*capture, error) {
	r, w, err := os.Pipe() // close-on-exec
	if err != nil {
		return nil, err
	}
	return &capture{r: r, w: w, max: max, tail: tail, full: make(chan struct{}), done: make(chan struct{})}, nil
}

// abandon gives up a capture that was not started.
func (c *capture) abandon() {
	_ = c.r.Close()
	_ = c.w.Close()
}

// start begins to read, once the process has its copy of the writing end.
func (c *capture) start() {
	_ = c.w.Close()
	go func() {
		defer close(c.done)
		over := false
		for chunk := make([]byte, 64<<10); ; {
			n, err := c.r.Read(chunk)
			if !over && !c.keep(chunk[:n]) { // read on: a full pipe would hold up its end
				over = true
				close(c.full)
			}
			if err != nil {
				return
			}
		}
	}()
}

// keep adds what came and reports whether it was not too much.
func (c *capture) keep(b []byte) bool {
	c.buf = append(c.buf, b...)
	if len(c.buf) <= c.max {
		return true
	}
	if !c.tail {
		c.buf = c.buf[:c.max]
		return false
	}
	if len(c.buf) > 4*c.max { // now and then, so that it costs linear time
		c.buf = append(c.buf[:0], c.buf[len(c.buf)-c.max:]...)
	}
	return true
}

// drainTime is how long to read on after the last writer has gone, which empties a
// pipe many times over. It is only spent on one that withstands its end.
const drainTime = 250 * time.Millisecond

// rest reads what is in the pipe and returns what was kept.
func (c *capture) rest() []byte {
	select {
	case <-c.done:
	case <-time.After(drainTime):
		_ = c.r.SetReadDeadline(time.Now())
		<-c.done
	}
	_ = c.r.Close()
	if c.tail && len(c.buf) > c.max {
		return c.buf[len(c.buf)-c.max:]
	}
	return c.buf
}

// tailOf returns the end of b as text of at most TailMax bytes. What is not UTF-8
// is replaced.
func tailOf(b []byte) string {
	if len(b) > TailMax {
		b = b[len(b)-TailMax:]
		for n := 0; n < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); n++ {
			b = b[1:] // the rest of a character that was cut
		}
	}
	if utf8.Valid(b) {
		return string(b)
	}
	s := string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
	for len(s) > TailMax {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s
}

// lastLine returns the last line of b that says something, for a reason.
func lastLine(b []byte) string {
	const most = 200
	s := strings.TrimSpace(tailOf(b))
	s = strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
	for len(s) > most {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}
