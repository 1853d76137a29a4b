package botz

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"iterion/native/atomicfile"
)

// Packed is what Pack did.
type Packed struct {
	Files   int      // files and links
	Bytes   int64    // of all files together, before compression
	LeftOut []string // names in the folder that were not packed, see LeftOut
}

// LeftOut reports whether a name is not packed, with everything below it: what
// version control, file managers and interpreters leave behind.
func LeftOut(name string) bool {
	return slices.Contains([]string{".git", ".hg", ".svn", ".jj", ".DS_Store", "__pycache__"}, name) ||
		strings.HasPrefix(name, atomicfile.TempPrefix)
}

// Pack writes the bundle in dir to w. Errors: *Error for what no archive may hold.
func Pack(w io.Writer, dir string) (Packed, error) {
	all, left, err := collect(dir)
	if err != nil {
		return Packed{}, err
	}
	out := Packed{LeftOut: left}
	zip, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return Packed{}, err
	}
	in := tar.NewWriter(zip)
	for _, e := range all {
		if err := write(in, dir, e); err != nil {
			return Packed{}, fmt.Errorf("pack %s: %w", filepath.Join(dir, e.name), err)
		}
		if e.kind != folder {
			out.Files++
			out.Bytes += e.size
		}
	}
	return out, errors.Join(in.Close(), zip.Close())
}

// collect returns what is to be packed, in the order of an archive, and what is
// not.
func collect(dir string) (all []entry, left []string, err error) {
	err = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == dir {
			return err
		}
		name, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if LeftOut(d.Name()) {
			left = append(left, name)
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		e, err := look(dir, at, name)
		all = append(all, e)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.tarName(), b.tarName()) })
	return all, left, check(dir, all)
}

func look(dir, at, name string) (entry, error) {
	info, err := os.Lstat(at)
	if err != nil {
		return entry{}, err
	}
	e := entry{name: name}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		e.kind, e.size, e.exec = file, info.Size(), mode&0o100 != 0
	case mode.IsDir():
		e.kind = folder
	case mode.Type() == fs.ModeSymlink:
		e.kind = link
		e.target, err = os.Readlink(at)
	default:
		return e, &Error{File: dir, Entry: name, What: "is a device, a pipe or something else that is no file"}
	}
	return e, err
}

// check holds a bundle to the rules by which its archive will be read.
func check(dir string, all []entry) error {
	c := newContents(DefaultLimits())
	for _, e := range all {
		if err := c.add(e); err != nil {
			return &Error{File: dir, Entry: e.name, What: err.Error()}
		}
	}
	if e, err := c.finish(); err != nil {
		return &Error{File: dir, Entry: e.name, What: err.Error()}
	}
	return nil
}

func (e entry) tarName() string {
	if e.kind == folder {
		return e.name + "/"
	}
	return e.name
}

// write adds an entry with nothing in its header that depends on who packs, where
// and when.
func write(w *tar.Writer, dir string, e entry) error {
	h := &tar.Header{Name: e.tarName(), Mode: 0o644, Size: e.size, ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg}
	switch {
	case e.kind == folder:
		h.Typeflag, h.Mode = tar.TypeDir, 0o755
	case e.kind == link:
		h.Typeflag, h.Mode, h.Linkname = tar.TypeSymlink, 0o777, e.target
	case e.exec:
		h.Mode = 0o755
	}
	if err := w.WriteHeader(h); err != nil || e.kind != file {
		return err
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(e.name)))
	if err != nil {
		return err
	}
	defer f.Close()
	// One byte more than there was tells a file that has grown meanwhile.
	n, err := io.Copy(w, io.LimitReader(f, e.size+1))
	if errors.Is(err, tar.ErrWriteTooLong) || err == nil && n != e.size {
		return errors.New("it changed while it was packed, try again")
	}
	return err
}
