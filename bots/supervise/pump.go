package supervise

import (
	"io"
	"os"
	"time"
)

// lastWords is how long after the end of the tree the rest of its output is
// waited for. The pipe is at its end then, unless somebody outside the tree was
// handed its other side.
const lastWords = 2 * time.Second

// pump drains one pipe of the bot into the log, and its raw bytes into lines.
type pump struct {
	from *os.File
	into io.Writer
	hide *redactor
	tap  *lines // nil when nobody reads reports from this pipe
	done chan struct{}
}

func startPump(from *os.File, into io.Writer, hide *redactor, tap *lines) *pump {
	p := &pump{from: from, into: into, hide: hide, tap: tap, done: make(chan struct{})}
	go p.run()
	return p
}

func (p *pump) run() {
	defer close(p.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := p.from.Read(buf)
		if p.tap != nil {
			p.tap.add(buf[:n])
		}
		_, _ = p.into.Write(p.hide.next(buf[:n]))
		if err != nil {
			break
		}
	}
	if p.tap != nil {
		p.tap.flush()
	}
	_, _ = p.into.Write(p.hide.rest())
}

// finish waits for the end of the output, but not for ever.
func (p *pump) finish() {
	_ = p.from.SetReadDeadline(time.Now().Add(lastWords))
	<-p.done
	_ = p.from.Close()
}
