package botz

import (
	"archive/tar"
	"compress/flate"
	"errors"
	"io"
	"os"
	"strings"
)

// Archive is what Open learned of an archive. The file may have changed since.
type Archive struct {
	File  string
	Names int   // files, folders and links
	Total int64 // bytes of all files

	programs map[string]bool // file to whether it may be executed
	links    map[string]bool
	kept     map[string][]byte
}

// Open reads an archive to its end, checks all of it and keeps the content of the
// files named in keep, each up to max bytes. Errors: *Error for an archive that is
// not safe or not whole.
func Open(name string, max int64, keep ...string) (*Archive, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return open(f, name, DefaultLimits(), max, keep)
}

func open(r io.Reader, shown string, l Limits, max int64, keep []string) (*Archive, error) {
	a := &Archive{File: shown, programs: map[string]bool{}, links: map[string]bool{}, kept: map[string][]byte{}}
	c, err := walk(r, shown, l, func(e entry, body io.Reader) error {
		switch {
		case e.kind == link:
			a.links[e.name] = true
		case e.kind == file:
			a.programs[e.name] = e.exec
		}
		if e.kind != file || !wanted(e.name, keep) || e.size > max {
			return nil
		}
		data, err := io.ReadAll(body)
		a.kept[e.name] = data
		return err
	})
	if err != nil {
		return nil, err
	}
	a.Names, a.Total = len(c.kinds), c.total
	if top := c.only(); top != "" {
		a.lift(top + "/")
	}
	return a, nil
}

// wanted also finds a name below the one folder that an archive may consist of.
func wanted(name string, keep []string) bool {
	_, below, _ := strings.Cut(name, "/")
	for _, k := range keep {
		if name == k || below == k {
			return true
		}
	}
	return false
}

// lift takes the one folder that everything lies in off the names.
func (a *Archive) lift(prefix string) {
	a.programs, a.links, a.kept = lifted(a.programs, prefix), lifted(a.links, prefix), lifted(a.kept, prefix)
}

func lifted[V any](in map[string]V, prefix string) map[string]V {
	out := make(map[string]V, len(in))
	for name, v := range in {
		out[strings.TrimPrefix(name, prefix)] = v
	}
	return out
}

// Kept returns the content of a file that Open was asked to keep; ok is false when
// it is not there or too large.
func (a *Archive) Kept(name string) (data []byte, ok bool) {
	data, ok = a.kept[name]
	return data, ok
}

// Has reports whether there is a file, or a link, of that name.
func (a *Archive) Has(name string) bool {
	_, ok := a.programs[name]
	return ok || a.links[name]
}

// Executable reports whether the file may be executed by its owner. What a link
// leads to is not looked at.
func (a *Archive) Executable(name string) bool { return a.programs[name] || a.links[name] }

func isCorrupt(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt) || errors.Is(err, tar.ErrHeader) || errors.Is(err, tar.ErrFieldTooLong) ||
		errors.Is(err, tar.ErrInsecurePath)
}
