package runs

import (
	"bytes"
	"strings"

	"iterion/daemon/control"
)

// Sizes in bytes.
const (
	chunk   = 256 << 10 // asked for at once
	logMax  = 16 << 20  // kept
	lineMax = 4 << 10   // a longer line becomes several rows
)

// logText is the part of a run's log that is held: rows of raw bytes, in order,
// without their line breaks.
type logText struct {
	rows []string
	// from and next are the offsets of the first byte held and of the byte after
	// the last one.
	from, next int64
	size       int64 // of the log when last asked
	open       bool  // the last row has no line break yet
	end        bool  // nothing more will come
	asked      bool  // a first answer has come
	lazy       bool  // read on only when the person comes near the end
}

// start sets the log up to be read from near its end.
func (l *logText) start(size int64) {
	l.from = max(0, size-chunk)
	l.next, l.size, l.asked = l.from, size, true
}

// add appends a chunk and returns how many rows it drops at the beginning. A chunk
// that is not the awaited one is left alone.
func (l *logText) add(c control.LogChunk) (dropped int) {
	if c.Offset != l.next {
		return 0
	}
	data := c.Data
	if l.next == l.from && l.from > 0 { // begin with a whole line
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			data = data[i+1:]
		}
		l.from = c.Next - int64(len(data))
	}
	l.next, l.size, l.end = c.Next, c.Size, c.End
	if len(data) > 0 {
		l.append(data)
	}
	return l.trim()
}

func (l *logText) append(data []byte) {
	if l.open {
		last := len(l.rows) - 1
		data = append([]byte(l.rows[last]), data...)
		l.rows = l.rows[:last]
	}
	l.open = data[len(data)-1] != '\n'
	l.rows = append(l.rows, split(data)...)
}

// prepend puts a chunk that ends where the log held begins before it, and
// returns how many rows came.
func (l *logText) prepend(c control.LogChunk) int {
	if c.Next != l.from || len(c.Data) == 0 {
		return 0
	}
	data := c.Data
	l.from = c.Offset
	if c.Offset > 0 {
		if i := bytes.IndexByte(data, '\n'); i >= 0 && i+1 < len(data) {
			data = data[i+1:]
			l.from = c.Next - int64(len(data))
		}
	}
	rows := split(data)
	l.rows = append(rows, l.rows...)
	return len(rows)
}

// trim drops the oldest rows of a log that has grown too long, and returns how many.
func (l *logText) trim() (n int) {
	if l.next-l.from <= logMax {
		return 0
	}
	for n < len(l.rows)-1 && l.next-l.from > logMax*3/4 {
		l.from += int64(len(l.rows[n])) + 1
		n++
	}
	l.rows = append([]string(nil), l.rows[n:]...)
	return n
}

// split cuts data into rows, leaving out the line breaks.
func split(data []byte) []string {
	text := strings.TrimSuffix(string(data), "\n")
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		for len(line) > lineMax {
			rows, line = append(rows, line[:lineMax]), line[lineMax:]
		}
		rows = append(rows, line)
	}
	return rows
}

// rowAt returns the row that holds the byte at an offset, -1 when it is not held. Rows
// that were cut from one long line, or that ended in \r\n, make it an estimate that
// is too early rather than too late.
func (l *logText) rowAt(offset int64) int {
	if offset < l.from || offset >= l.next {
		return -1
	}
	at := l.from
	for i, row := range l.rows {
		if at += int64(len(row)) + 1; at > offset {
			return i
		}
	}
	return len(l.rows) - 1
}

// find returns the row nearest to from, in a direction, that holds text without
// regard to case; -1 when there is none.
func (l *logText) find(text string, from, by int) int {
	text = strings.ToLower(text)
	for i := from; i >= 0 && i < len(l.rows); i += by {
		if strings.Contains(strings.ToLower(l.rows[i]), text) {
			return i
		}
	}
	return -1
}
