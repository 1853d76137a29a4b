package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// MaxLine is the longest line that is handed out, in bytes. A longer one is
// skipped like any other line that is no record.
const MaxLine = 16 << 20

// Line is one line of a log.
type Line struct {
	Offset int64  // of its first byte
	End    int64  // of the byte behind its newline
	Data   []byte // without newline; valid until the next line is read; nil when longer than MaxLine
}

// Seq returns the record's sequence number; ok is false when the line is no
// record or carries none.
func (l Line) Seq() (seq int64, ok bool) {
	var rec struct {
		Seq *int64 `json:"seq"`
	}
	if len(l.Data) == 0 || json.Unmarshal(l.Data, &rec) != nil || rec.Seq == nil {
		return 0, false
	}
	return *rec.Seq, true
}

// ErrStop, returned by a callback of Scan, ends it without error.
var ErrStop = errors.New("stop")

// Scan hands each full line from offset from on to fn. A log that does not
// exist is empty. It returns the offset behind the last line that fn saw.
func Scan(path string, from int64, fn func(Line) error) (end int64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return from, nil
	}
	if err != nil {
		return from, err
	}
	defer f.Close()
	end, err = scan(f, from, fn)
	if err != nil {
		return end, fmt.Errorf("read %s: %w", path, err)
	}
	return end, nil
}

func scan(f io.ReaderAt, from int64, fn func(Line) error) (int64, error) {
	return read(io.NewSectionReader(f, from, 1<<62), from, fn)
}

// Read hands each full line of in to fn like Scan, for a log that is no file of
// its own. Offsets count from the beginning of in.
func Read(in io.Reader, fn func(Line) error) (end int64, err error) { return read(in, 0, fn) }

func read(in io.Reader, from int64, fn func(Line) error) (int64, error) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		data, n, err := readLine(r)
		if err == io.EOF {
			return from, nil
		}
		if err != nil {
			return from, err
		}
		err = fn(Line{Offset: from, End: from + n, Data: data})
		from += n
		if errors.Is(err, ErrStop) {
			return from, nil
		}
		if err != nil {
			return from, err
		}
	}
}

// readLine returns the next full line without its newline, and its length with
// it. An unterminated rest is io.EOF.
func readLine(r *bufio.Reader) (data []byte, n int64, err error) {
	part, err := r.ReadSlice('\n')
	if err == nil {
		return part[:len(part)-1], int64(len(part)), nil
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		n += int64(len(part))
		if n <= MaxLine {
			data = append(data, part...)
		}
		part, err = r.ReadSlice('\n')
	}
	if err != nil {
		return nil, n, err
	}
	n += int64(len(part))
	if n > MaxLine {
		return nil, n, nil
	}
	return bytes.TrimSuffix(append(data, part...), []byte{'\n'}), n, nil
}
