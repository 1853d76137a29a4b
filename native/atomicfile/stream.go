package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Stream replaces path like WriteFile, by what fn writes. When fn fails, its
// error is returned and path stays as it was.
func Stream(path string, perm os.FileMode, o Options, fn func(io.Writer) error) error {
	f, err := os.CreateTemp(o.tempDir(path), TempPrefix+"*")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = fn(w)
	if err == nil {
		err = errors.Join(w.Flush(), write(f, nil, perm, o))
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return SyncDir(filepath.Dir(path), o)
}
