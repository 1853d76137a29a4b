package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"iterion/native/atomicfile"
)

// ErrUnsure says that a line was written and could not be made durable: nobody
// knows whether it is there after a power cut.
var ErrUnsure = errors.New("the line may not be durable")

// Options tune writing.
type Options struct {
	NoFsync bool
}

func (o Options) atomic() atomicfile.Options { return atomicfile.Options{NoFsync: o.NoFsync} }

// Appended says where a line went.
type Appended struct {
	Offset int64 // of the line's first byte
	End    int64 // of the byte behind its newline
	Torn   bool  // a torn tail was closed off
}

// Append adds one line, given without its newline, and makes it durable. The
// caller holds the log's lock. When it returns an error that is not ErrUnsure
// the log holds what it held before.
func Append(path string, line []byte, o Options) (Appended, error) {
	return AppendAll(path, [][]byte{line}, o)
}

// AppendAll adds several lines like Append, with one write and one sync. Who is
// killed meanwhile leaves some of them, the first ones, and perhaps a torn one.
// The returned offset is of the first one, the end of the last. Without any line it
// does nothing.
func AppendAll(path string, lines [][]byte, o Options) (Appended, error) {
	if len(lines) == 0 {
		return Appended{}, nil
	}
	for _, line := range lines {
		if bytes.IndexByte(line, '\n') >= 0 {
			return Appended{}, errors.New("append: a record must be one line")
		}
	}
	f, fresh, err := openAppend(path)
	if err != nil {
		return Appended{}, err
	}
	defer f.Close()
	at, err := appendTo(f, bytes.Join(lines, []byte{'\n'}))
	if err != nil {
		return Appended{}, fmt.Errorf("append to %s: %w", path, err)
	}
	if err := durable(f, fresh, o); err != nil {
		return at, fmt.Errorf("sync %s: %w", path, errors.Join(ErrUnsure, err))
	}
	return at, nil
}

// CloseTail ends a torn last line with a newline and reports whether there was
// one. The caller holds the log's lock.
func CloseTail(path string, o Options) (torn bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, torn, err = tail(f); err != nil || !torn {
		return false, err
	}
	if _, err := f.Write([]byte{'\n'}); err != nil {
		return true, err
	}
	return true, atomicfile.Sync(f, o.atomic())
}

func openAppend(path string) (f *os.File, fresh bool, err error) {
	const flags = os.O_RDWR | os.O_APPEND
	f, err = os.OpenFile(path, flags, 0)
	if errors.Is(err, os.ErrNotExist) {
		fresh = true
		f, err = os.OpenFile(path, flags|os.O_CREATE, 0o600)
	}
	return f, fresh, err
}

func appendTo(f *os.File, lines []byte) (Appended, error) {
	size, torn, err := tail(f)
	if err != nil {
		return Appended{}, err
	}
	at := Appended{Offset: size, Torn: torn}
	buf := make([]byte, 0, len(lines)+2)
	if torn {
		buf = append(buf, '\n')
		at.Offset++
	}
	buf = append(append(buf, lines...), '\n')
	if _, err := f.Write(buf); err != nil {
		// A full disk takes half a line: leave nothing of it.
		return Appended{}, errors.Join(err, f.Truncate(size))
	}
	at.End = size + int64(len(buf))
	return at, nil
}

func tail(f *os.File) (size int64, torn bool, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return info.Size(), last[0] != '\n', err
}

// durable syncs the file, and its folder when the file is new there.
func durable(f *os.File, fresh bool, o Options) error {
	if err := atomicfile.Sync(f, o.atomic()); err != nil || !fresh {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(f.Name()), o.atomic())
}
