package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// block is how much is read at once from the end of a log.
const block = 16 << 10

// LastRecord returns the sequence number of the last record, -1 when the log
// holds none, and the end of the full lines. It reads from the end, so that its
// cost does not grow with the log.
func LastRecord(path string) (seq, end int64, err error) {
	seq = -1
	err = Backward(path, func(l Line) error {
		end = max(end, l.End)
		if s, ok := l.Seq(); ok {
			seq = s
			return ErrStop
		}
		return nil
	})
	return seq, end, err
}

// Backward hands the full lines to fn, last one first, until fn returns
// ErrStop. A log that does not exist is empty.
func Backward(path string, fn func(Line) error) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	err = backward(f, info.Size(), fn)
	if err != nil && !errors.Is(err, ErrStop) {
		return fmt.Errorf("read %s backwards: %w", path, err)
	}
	return nil
}

// ReadBackward hands the full lines among the first size bytes of f to fn like
// Backward, for a log that is open already.
func ReadBackward(f io.ReaderAt, size int64, fn func(Line) error) error {
	if err := backward(f, size, fn); err != nil && !errors.Is(err, ErrStop) {
		return fmt.Errorf("read backwards: %w", err)
	}
	return nil
}

// backward keeps in buf the bytes [start, end) of the file, end being the place
// behind a newline (or where the torn tail begins).
func backward(f io.ReaderAt, end int64, fn func(Line) error) error {
	var buf []byte
	start := end
	terminated := false // a newline was seen: what ends at end is a full line
	for {
		i := bytes.LastIndexByte(trimNewline(buf, terminated), '\n')
		switch {
		case i < 0 && start > 0:
			var err error
			if buf, start, err = prepend(f, buf, start); err != nil {
				return err
			}
			continue
		case i < 0 && (!terminated || len(buf) == 0):
			return nil
		}
		if terminated {
			if err := fn(lineAt(buf[i+1:], start+int64(i+1))); err != nil {
				return err
			}
		}
		if i < 0 {
			return nil
		}
		buf, terminated = buf[:i+1], true
	}
}

func trimNewline(buf []byte, terminated bool) []byte {
	if terminated && len(buf) > 0 {
		return buf[:len(buf)-1]
	}
	return buf
}

func lineAt(withNewline []byte, at int64) Line {
	l := Line{Offset: at, End: at + int64(len(withNewline))}
	if len(withNewline) <= MaxLine {
		l.Data = withNewline[:len(withNewline)-1]
	}
	return l
}

// prepend doubles what it reads, so that a very long line costs linear time.
func prepend(f io.ReaderAt, buf []byte, start int64) ([]byte, int64, error) {
	n := min(start, max(block, int64(len(buf))))
	grown := make([]byte, n, n+int64(len(buf)))
	if _, err := f.ReadAt(grown, start-n); err != nil {
		return nil, 0, err
	}
	return append(grown, buf...), start - n, nil
}

// SeekAfter returns the offset of the first line whose record has a seq greater
// than after, or the end of the full lines. hint is where the caller believes
// that to be (0: no idea); it is checked. The log must be in seq order.
func SeekAfter(path string, after, hint int64) (int64, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	off, err := seekAfter(f, info.Size(), after, hint)
	if err != nil {
		return 0, fmt.Errorf("seek in %s: %w", path, err)
	}
	return off, nil
}

func seekAfter(f io.ReaderAt, size, after, hint int64) (int64, error) {
	if after < 0 {
		return 0, nil
	}
	if hint > 0 && hint <= size {
		if ok, err := endsSeq(f, hint, after); ok || err != nil {
			return hint, err
		}
	}
	return bisect(f, size, after)
}

// endsSeq reports whether the line that ends at offset is the record after.
func endsSeq(f io.ReaderAt, offset, after int64) (bool, error) {
	ok := false
	err := backward(f, offset, func(l Line) error {
		seq, has := l.Seq()
		ok = has && seq == after && l.End == offset
		return ErrStop
	})
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return ok, err
}

// bisect narrows [lo, hi): every record that starts before lo has seq <= after,
// every one that starts at hi or later has seq > after.
func bisect(f io.ReaderAt, size, after int64) (int64, error) {
	lo, hi := int64(0), size
	for hi-lo > block {
		mid := lo + (hi-lo)/2
		l, seq, err := firstRecord(f, mid)
		if err != nil {
			return 0, err
		}
		switch {
		case l.Data == nil || seq > after:
			hi = mid
		default:
			lo = l.End
		}
		if lo > hi {
			hi = lo
		}
	}
	return scanTo(f, lo, after)
}

// firstRecord finds the first record that starts behind the newline at or after
// offset; its Data is nil when there is none.
func firstRecord(f io.ReaderAt, offset int64) (rec Line, seq int64, err error) {
	first := true
	_, err = scan(f, offset, func(l Line) error {
		if first {
			first = false // a piece of the line that offset fell into
			return nil
		}
		s, ok := l.Seq()
		if !ok {
			return nil
		}
		rec, seq = l, s
		return ErrStop
	})
	return rec, seq, err
}

func scanTo(f io.ReaderAt, lo, after int64) (int64, error) {
	place := lo
	_, err := scan(f, lo, func(l Line) error {
		if seq, ok := l.Seq(); ok && seq > after {
			return ErrStop
		}
		place = l.End
		return nil
	})
	return place, err
}

// EndsWith reports whether a line ends at offset end whose record is seq.
func EndsWith(path string, end, seq int64) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || end <= 0 || end > info.Size() {
		return false, err
	}
	return endsSeq(f, end, seq)
}
