package botz

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// walk reads an archive to its end and calls fn for each entry, checked. A link is
// not known to be good before walk has returned. shown names the archive in errors.
func walk(r io.Reader, shown string, l Limits, fn func(e entry, body io.Reader) error) (*contents, error) {
	// Bufio, so that gzip reads no byte for byte.
	zip, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return nil, broken(shown, err)
	}
	plain := &bounded{r: zip, left: l.Total + int64(l.Names)*headerRoom + 1<<20}
	c := newContents(l)
	if err := c.read(tar.NewReader(plain), shown, fn); err != nil {
		return nil, err
	}
	if e, err := c.finish(); err != nil {
		return nil, &Error{File: shown, Entry: e.name, What: err.Error()}
	}
	return c, atEnd(plain, shown)
}

// headerRoom is what a name may cost beside its content: headers, padding, an
// extended header for a long name.
const headerRoom = 4 << 10

func (c *contents) read(in *tar.Reader, shown string, fn func(entry, io.Reader) error) error {
	for {
		h, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return broken(shown, err)
		}
		e, err := fromHeader(h)
		if err == nil && e.kind == absent {
			continue
		}
		if err == nil {
			err = c.add(e)
		}
		if err != nil {
			return &Error{File: shown, Entry: h.Name, What: err.Error()}
		}
		if err := fn(e, in); err != nil {
			return fmt.Errorf("%s: entry %q: %w", shown, e.name, err)
		}
	}
}

// fromHeader returns an entry of kind absent for what means nothing: the bundle's
// own folder, and the global header that git archive writes.
func fromHeader(h *tar.Header) (entry, error) {
	e := entry{name: strings.TrimPrefix(h.Name, "./"), exec: h.Mode&0o100 != 0, size: h.Size, target: h.Linkname}
	switch h.Typeflag {
	case tar.TypeXGlobalHeader:
		return entry{}, nil
	case tar.TypeReg:
		e.kind = file
	case tar.TypeSymlink:
		e.kind, e.size = link, 0
	case tar.TypeDir:
		e.kind, e.size, e.name = folder, 0, strings.TrimSuffix(e.name, "/")
		if e.name == "" || e.name == "." {
			return entry{}, nil
		}
	case tar.TypeLink:
		return e, errors.New("is a hard link, which is refused: pack the bundle with `iterion bot pack`")
	default:
		return e, errors.New("is a device, a pipe or something else that is no file")
	}
	return e, nil
}

// atEnd reads what is behind the last entry: nothing but padding. Only then has
// gzip compared its checksum.
func atEnd(r io.Reader, shown string) error {
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		if len(bytes.Trim(buf[:n], "\x00")) > 0 {
			return &Error{File: shown, What: "has something behind its end"}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return broken(shown, err)
		}
	}
}

// errBomb ends the reading of an archive that unpacks to more than its limits
// allow.
var errBomb = errors.New("unpacks to more than any bundle needs")

// broken says in words what is wrong with the bytes of an archive; trouble of the
// disk stays what it is.
func broken(shown string, err error) error {
	switch {
	case errors.Is(err, errBomb):
		return &Error{File: shown, What: errBomb.Error()}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{File: shown, What: "is cut short"}
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), isCorrupt(err):
		return &Error{File: shown, What: "is no gzipped tar archive, or damaged: " + err.Error()}
	}
	return fmt.Errorf("read %s: %w", shown, err)
}

// bounded ends in errBomb behind its last byte.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBomb
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}
