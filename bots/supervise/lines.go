package supervise

import "bytes"

// maxReport is the longest line that is read as a report, in bytes. A longer one
// is output like any other.
const maxReport = 1 << 20

// lines cuts a stream into lines and hands each to each, without its newline.
// Lines longer than maxReport are passed over, in bounded memory.
type lines struct {
	each func(line []byte)
	part []byte
	skip bool
}

func (l *lines) add(p []byte) {
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.grow(p)
			return
		}
		l.grow(p[:i])
		l.flush()
		p = p[i+1:]
	}
}

func (l *lines) grow(p []byte) {
	if l.skip || len(l.part)+len(p) > maxReport {
		l.skip, l.part = true, l.part[:0]
		return
	}
	l.part = append(l.part, p...)
}

// flush ends the line that is under way.
func (l *lines) flush() {
	if len(l.part) > 0 && !l.skip {
		l.each(l.part)
	}
	l.skip, l.part = false, l.part[:0]
}
