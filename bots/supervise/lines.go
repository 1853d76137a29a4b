package supervise

import "bytes"

const (
	// maxReport is the longest line that is read as a report, in bytes. A longer one
	// is output like any other.
	maxReport = 1 << 20
	// maxSpoken is the longest line of an agent's stream that is read. Images and
	// files come in such lines, never what a run needs to be judged.
	maxSpoken = 4 << 20
	// keptPart is how large a buffer is kept for the next line.
	keptPart = 64 << 10
)

// lines cuts a stream into lines and hands each to each, without its newline.
// Lines longer than max are passed over, in bounded memory.
type lines struct {
	each    func(line []byte)
	max     int
	tooLong func() // may be nil

	part []byte
	skip bool
	open int64 // bytes of the line that is under way
}

func (l *lines) add(p []byte) {
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.grow(p)
			return
		}
		if len(l.part) == 0 && !l.skip && i <= l.max { // whole, as most are
			if i > 0 {
				l.each(p[:i])
			}
		} else {
			l.grow(p[:i])
			l.flush()
		}
		p = p[i+1:]
	}
}

func (l *lines) grow(p []byte) {
	l.open += int64(len(p))
	if l.skip || len(l.part)+len(p) > l.max {
		l.skip = true
		l.drop()
		return
	}
	l.part = append(l.part, p...)
}

// flush ends the line that is under way.
func (l *lines) flush() {
	if l.skip && l.tooLong != nil {
		l.tooLong()
	}
	if len(l.part) > 0 && !l.skip {
		l.each(l.part)
	}
	l.restart()
}

// restart forgets the line that is under way.
func (l *lines) restart() {
	l.skip, l.open = false, 0
	l.drop()
}

// drop empties the buffer, and does not keep one that a long line has grown.
func (l *lines) drop() {
	if l.part = l.part[:0]; cap(l.part) > keptPart {
		l.part = nil
	}
}
