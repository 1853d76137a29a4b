package bots

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"iterion/bots/botz"
	"iterion/bots/manifest"
	"iterion/native/atomicfile"
)

// Packed is an archive that was made.
type Packed struct {
	Bot     Bot
	File    string
	Size    int64  // bytes of the archive
	SHA256  string // of the archive, hexadecimal
	Files   int
	Bytes   int64    // of the files before compression
	LeftOut []string // what lies in the folder and was not packed
}

// Pack writes the bundle in dir to the archive file, replacing it whole. Equal
// bundles make equal archives. Errors: *manifest.Error and *botz.Error for a bundle
// that could not be read back, *InsideError.
func Pack(dir, file string) (Packed, error) {
	b, err := Load(dir)
	if err != nil {
		return Packed{}, err
	}
	if inside(b.Dir, file) {
		return Packed{}, &InsideError{Bundle: dir, File: file}
	}
	if err := manifestItself(dir); err != nil {
		return Packed{}, err
	}
	out := Packed{Bot: b, File: file}
	sum, size := sha256.New(), &counter{}
	err = atomicfile.Stream(file, 0o644, atomicfile.Options{}, func(w io.Writer) error {
		packed, err := botz.Pack(io.MultiWriter(w, sum, size), dir)
		out.Files, out.Bytes, out.LeftOut = packed.Files, packed.Bytes, packed.LeftOut
		return err
	})
	if err != nil {
		return Packed{}, fmt.Errorf("pack bot %s: %w", b.Slug(), err)
	}
	out.Size, out.SHA256 = size.n, hex.EncodeToString(sum.Sum(nil))
	return out, nil
}

// manifestItself refuses a link to the manifest, which no archive is read by.
func manifestItself(dir string) error {
	info, err := os.Lstat(filepath.Join(dir, manifest.FileName))
	if err != nil || info.Mode().IsRegular() {
		return err
	}
	return &botz.Error{File: dir, Entry: manifest.FileName, What: "is a link, put the file itself there"}
}

// InsideError is an archive that would lie in the bundle which it is made of: the
// next one would hold it.
type InsideError struct{ Bundle, File string }

func (e *InsideError) Error() string {
	return fmt.Sprintf("%s lies in the bundle %s itself and would be packed the next time", e.File, e.Bundle)
}

func inside(dir, file string) bool {
	dir, file = resolved(dir), resolved(filepath.Dir(file))
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// resolved is as absolute and as free of links as can be said of a path.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}
