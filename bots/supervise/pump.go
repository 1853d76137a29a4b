package supervise

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// lastWords is how long after the end of the tree the rest of its output is
	// waited for. The pipe is at its end then, unless somebody outside the tree was
	// handed its other side.
	lastWords = 2 * time.Second
	// piece is how much of a pipe is read at once.
	piece = 64 << 10
	// pipeSize is what a pipe is asked to hold, where it can be asked: the bot is
	// held up less, and the supervisor woken less often.
	pipeSize = 1 << 20
)

// pump drains one pipe of the bot into the log, and its raw bytes into a tap.
type pump struct {
	from *os.File
	into io.Writer
	hide *redactor
	tap  tap    // nil when nobody else reads this pipe
	busy func() // nil when bytes alone are no sign of life
	done chan struct{}
}

// tap takes the raw bytes of a pipe.
type tap interface {
	add(p []byte)
	flush() // the pipe has ended
}

func (p *pump) start() {
	p.done = make(chan struct{})
	go p.run()
}

func (p *pump) run() {
	defer close(p.done)
	buf := make([]byte, piece)
	for {
		n, err := p.from.Read(buf)
		p.take(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.leftover(buf)
		}
		if err != nil {
			break
		}
	}
	if p.tap != nil {
		p.tap.flush()
	}
	_, _ = p.into.Write(p.hide.rest())
}

func (p *pump) take(b []byte) {
	if len(b) > 0 && p.busy != nil {
		p.busy()
	}
	if p.tap != nil {
		p.tap.add(b)
	}
	_, _ = p.into.Write(p.hide.next(b))
}

// leftover takes what lies in the pipe when time is up: a slow disk must not cost
// the last words.
func (p *pump) leftover(buf []byte) {
	raw, err := p.from.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		for total := 0; total < pipeSize; {
			n, err := unix.Read(int(fd), buf) // does not block, as all pipes of ours
			if n <= 0 || err != nil {
				return
			}
			p.take(buf[:n])
			total += n
		}
	})
}

// finish waits for the end of the output, but not for ever.
func (p *pump) finish() {
	_ = p.from.SetReadDeadline(time.Now().Add(lastWords))
	<-p.done
	_ = p.from.Close()
}
