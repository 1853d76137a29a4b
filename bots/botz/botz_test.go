package botz

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tree writes files below dir; a name that ends in ! is executable, a content that
// begins with -> makes a link.
func tree(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, content := range files {
		name, exec := strings.CutSuffix(name, "!")
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if to, ok := strings.CutPrefix(content, "->"); ok {
			err = os.Symlink(to, at)
		} else {
			err = os.WriteFile(at, []byte(content), map[bool]fs.FileMode{true: 0o750, false: 0o640}[exec])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read is the reverse of tree.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, at)
		info, err := d.Info()
		switch {
		case err != nil || d.IsDir():
		case info.Mode().Type() == fs.ModeSymlink:
			to, err := os.Readlink(at)
			files[name] = "->" + to
			return err
		default:
			if info.Mode()&0o100 != 0 {
				name += "!"
			}
			data, err := os.ReadFile(at)
			files[name] = string(data)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func bundle() map[string]string {
	return map[string]string{
		"manifest.yaml": "name: b\n", "run.sh!": "#!/bin/sh\n", "lib/deep/x": "x", "lib.txt": "y",
		"lib/up": "->../run.sh", "here": "->lib/deep", "a name with spaces é": "z",
		strings.Repeat("long/", 60) + "name": "behind 300 bytes",
	}
}

func pack(t *testing.T, dir string) ([]byte, Packed) {
	t.Helper()
	var out bytes.Buffer
	p, err := Pack(&out, dir)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), p
}

func TestPackingTwiceGivesEqualBytes(t *testing.T) {
	one, two := tree(t, t.TempDir(), bundle()), tree(t, t.TempDir(), bundle())
	for _, name := range []string{"run.sh", "lib"} {
		if err := os.Chtimes(filepath.Join(two, name), time.Now(), time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(two, "lib.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree(t, two, map[string]string{".git/HEAD": "ref", "lib/__pycache__/x.pyc": "junk", ".DS_Store": ""})

	first, packed := pack(t, one)
	second, left := pack(t, two)
	if !bytes.Equal(first, second) {
		t.Error("bundles that differ in times, modes and leavings pack differently")
	}
	if packed.Files != 8 || packed.Bytes == 0 || packed.LeftOut != nil {
		t.Errorf("Pack says %+v", packed)
	}
	if want := []string{".DS_Store", ".git", "lib/__pycache__"}; !slices.Equal(left.LeftOut, want) {
		t.Errorf("left out %v, want %v", left.LeftOut, want)
	}
	target := filepath.Join(t.TempDir(), "out")
	if err := extract(bytes.NewReader(first), "x.botz", target, DefaultLimits()); err != nil {
		t.Fatal(err)
	}
	if third, _ := pack(t, target); !bytes.Equal(first, third) {
		t.Error("a bundle that was packed and unpacked packs differently")
	}
}

func TestHeadersOfAnArchiveTellNothing(t *testing.T) {
	data, _ := pack(t, tree(t, t.TempDir(), bundle()))
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if zip.Name != "" || zip.Comment != "" || !zip.ModTime.IsZero() {
		t.Errorf("gzip header %+v", zip.Header)
	}
	var names []string
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if h.ModTime.Unix() != 0 || h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" {
			t.Errorf("%s: %+v", h.Name, h)
		}
		want := map[byte]int64{tar.TypeReg: 0o644, tar.TypeDir: 0o755, tar.TypeSymlink: 0o777}[h.Typeflag]
		if h.Name == "run.sh" {
			want = 0o755
		}
		if h.Mode != want {
			t.Errorf("mode of %s is %o, want %o", h.Name, h.Mode, want)
		}
	}
	if !slices.IsSorted(names) || !slices.Contains(names, "lib.txt") || !slices.Contains(names, "lib/") {
		t.Errorf("names are not sorted: %q", names)
	}
}

func TestExtractGivesWhatWasPacked(t *testing.T) {
	data, _ := pack(t, tree(t, t.TempDir(), bundle()))
	file := filepath.Join(t.TempDir(), "b.botz")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	into := t.TempDir()
	target := filepath.Join(into, "b")
	if err := Extract(file, target); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(bundle(), read(t, target)); diff != "" {
		t.Errorf("unpacked bundle differs (-want +got):\n%s", diff)
	}
	for name, want := range map[string]fs.FileMode{".": 0o700, "lib": 0o700, "run.sh": 0o700, "lib.txt": 0o600} {
		if info, err := os.Stat(filepath.Join(target, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s: %v, %v, want %o", name, info.Mode(), err, want)
		}
	}
	if err := Extract(file, target); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Extract over a folder = %v, want fs.ErrExist", err)
	}
	wantAlone(t, into, "b")

	a, err := Open(file, 1<<20, "manifest.yaml", "absent")
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := a.Kept("manifest.yaml"); !ok || string(got) != "name: b\n" {
		t.Errorf("kept %q, %t", got, ok)
	}
	if _, ok := a.Kept("absent"); ok || !a.Executable("run.sh") || a.Executable("lib.txt") || !a.Has("lib.txt") || a.Has("absent") {
		t.Errorf("the archive is not as packed: %+v", a)
	}
}

// wantAlone checks that a folder holds one name, or nothing.
func wantAlone(t *testing.T, dir string, names ...string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("%s holds %q, want %q", dir, got, names)
	}
}

func TestPackRefusesWhatNoArchiveMayHold(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"link out":       {map[string]string{"l": "->../secret"}, `entry "l" is a link to "../secret", which leads out of the bundle`},
		"absolute link":  {map[string]string{"l": "->/etc/passwd"}, `which leads out of the bundle`},
		"dangling link":  {map[string]string{"l": "->nothing"}, `which is not in the bundle`},
		"link to .git":   {map[string]string{"l": "->.git/HEAD", ".git/HEAD": "x"}, `which is not in the bundle`},
		"case":           {map[string]string{"Run.sh": "", "run.sh": ""}, `in upper and lower case alone`},
		"backslash":      {map[string]string{`a\b`: ""}, `a backslash in its name`},
		"line break":     {map[string]string{"a\nb": ""}, `a control character`},
		"not UTF-8":      {map[string]string{"a\xff": ""}, `no UTF-8`},
		"chain of links": {map[string]string{"a": "->b", "b": "->c", "c": ""}, `is a link to the link "b"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Pack(io.Discard, tree(t, t.TempDir(), c.files))
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Pack = %v, want an *Error with %q", err, c.want)
			}
		})
	}
	t.Run("pipe", func(t *testing.T) {
		dir := t.TempDir()
		if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Pack(io.Discard, dir); err == nil || !strings.Contains(err.Error(), "no file") {
			t.Errorf("Pack = %v", err)
		}
	})
}

func TestAFileThatChangesWhileItIsPackedIsAnError(t *testing.T) {
	dir := tree(t, t.TempDir(), map[string]string{"f": "12345"})
	for _, size := range []int64{4, 6} {
		err := write(tar.NewWriter(io.Discard), dir, entry{name: "f", kind: file, size: size})
		if err == nil || !strings.Contains(err.Error(), "changed while it was packed") {
			t.Errorf("file of 5 bytes, looked at when it had %d: %v", size, err)
		}
	}
}
