package supervise

import (
	"bytes"
	"fmt"
	"os"
	"sync"
)

// tailKept is how many of the last bytes of a log that was cut are written at its
// end.
const tailKept = 64 << 10

// logFile is run.log: it takes whatever comes and never fails its writer. Past
// its limit it keeps the last bytes in memory and writes them on Close.
type logFile struct {
	mu       sync.Mutex
	f        *os.File
	limit    int64
	size     int64
	onCut    func() // called once, when the limit is reached
	cut      bool
	tail     ring
	cannot   error // the first write that failed; the log ends there
	lastByte byte
}

func openLog(path string, limit int64, onCut func()) (*logFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open log: %w", err)
	}
	return &logFile{f: f, limit: limit, size: info.Size(), onCut: onCut, lastByte: lastByte(f, info.Size())}, nil
}

// lastByte is that of a file which a run that goes on has begun.
func lastByte(f *os.File, size int64) byte {
	last := [1]byte{'\n'}
	if size > 0 {
		_, _ = f.ReadAt(last[:], size-1)
	}
	return last[0]
}

// Write always takes all of p.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take(p)
	return len(p), nil
}

// Line writes a line, on a line of its own.
func (l *logFile) Line(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := text + "\n"
	if l.cut {
		l.take([]byte(line))
		return
	}
	l.take(l.onNewLine(line))
}

func (l *logFile) take(p []byte) {
	room := max(0, l.limit-l.size)
	switch {
	case l.cut:
	case int64(len(p)) <= room:
		l.put(p)
		return
	default:
		l.put(p[:room])
		p = p[room:]
		l.markCut()
	}
	l.tail.add(p)
}

// Note writes a line of iterion's own into the log.
func (l *logFile) Note(text string) {
	line := "[iterion: " + text + "]\n"
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		l.tail.add([]byte(line))
		return
	}
	l.put(l.onNewLine(line))
}

func (l *logFile) onNewLine(line string) []byte {
	if l.lastByte != '\n' {
		line = "\n" + line
	}
	return []byte(line)
}

func (l *logFile) put(p []byte) {
	if len(p) == 0 || l.cannot != nil {
		return
	}
	n, err := l.f.Write(p)
	l.size += int64(n)
	l.cannot = err
	l.lastByte = p[len(p)-1]
}

func (l *logFile) markCut() {
	l.cut = true
	l.put(l.onNewLine(fmt.Sprintf("[iterion: the log reached its limit of %d bytes; only its end will follow]\n", l.limit)))
	l.onCut()
}

// Close writes the kept end and closes the file. The error is the first write
// that failed, if any.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		kept, lost := l.tail.end()
		if lost > 0 {
			l.put(l.onNewLine(fmt.Sprintf("[iterion: %d bytes left out]\n", lost)))
		}
		l.put(kept)
	}
	err := l.f.Close()
	if l.cannot != nil {
		return fmt.Errorf("write log: %w", l.cannot)
	}
	return err
}

// ring keeps the last tailKept bytes of a stream. It holds up to twice as much,
// so that dropping is rare.
type ring struct {
	buf  []byte
	lost int64
}

func (r *ring) add(p []byte) {
	if over := len(p) - 2*tailKept; over > 0 {
		r.lost += int64(len(r.buf) + over)
		r.buf, p = r.buf[:0], p[over:]
	}
	r.buf = append(r.buf, p...)
	if over := len(r.buf) - tailKept; len(r.buf) > 2*tailKept {
		r.drop(over)
	}
}

func (r *ring) drop(n int) {
	r.lost += int64(n)
	r.buf = append(r.buf[:0], r.buf[n:]...)
}

// end returns the kept bytes, from the start of a line where there is one.
func (r *ring) end() (kept []byte, lost int64) {
	if over := len(r.buf) - tailKept; over > 0 {
		r.drop(over)
	}
	if i := bytes.IndexByte(r.buf, '\n'); r.lost > 0 && i >= 0 {
		r.drop(i + 1)
	}
	return r.buf, r.lost
}
