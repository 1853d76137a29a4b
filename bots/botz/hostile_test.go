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
	"strings"
	"testing"
)

// forge writes an archive of the headers as they are. A header whose size is not
// told gets two bytes of content when it is a file.
func forge(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	for _, h := range headers {
		content := ""
		if h.Typeflag == 0 || h.Typeflag == tar.TypeReg {
			h.Typeflag, h.Size, content = tar.TypeReg, 2, "hi"
		}
		if h.Mode == 0 && h.Typeflag != tar.TypeXGlobalHeader {
			h.Mode = 0o644
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func named(name string) tar.Header { return tar.Header{Name: name} }

func linked(name, to string) tar.Header {
	return tar.Header{Name: name, Linkname: to, Typeflag: tar.TypeSymlink}
}

func hostile(t *testing.T) map[string]struct {
	data []byte
	want string
} {
	ok := named("manifest.yaml")
	archive := func(h ...tar.Header) []byte { return forge(t, append([]tar.Header{ok}, h...)...) }
	whole := archive(named("x"))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 0xff // in the checksum
	var behind bytes.Buffer
	zip := gzip.NewWriter(&behind)
	_, _ = zip.Write(make([]byte, 1024))
	_, _ = zip.Write([]byte("and this"))
	zip.Close()
	return map[string]struct {
		data []byte
		want string
	}{
		"absolute name":       {archive(named("/etc/passwd")), "absolute name"},
		"dot dot":             {archive(named("../x")), "leads out of the bundle"},
		"dot dot inside":      {archive(named("a/../../x")), "leads out of the bundle"},
		"dot dot, harmless":   {archive(named("a/../x")), "leads out of the bundle"},
		"dot dot folder":      {archive(tar.Header{Name: "../", Typeflag: tar.TypeDir}), "leads out of the bundle"},
		"empty part":          {archive(named("a//x")), "empty part"},
		"backslash":           {archive(named(`..\x`)), "backslash"},
		"control character":   {archive(named("a\x1b[2J")), "control character"},
		"long name":           {archive(named(strings.Repeat("x/", 300) + "x")), "more than 512 bytes"},
		"long part":           {archive(named(strings.Repeat("x", 256))), "more than 255 bytes"},
		"twice":               {archive(named("x"), named("x")), "is there twice"},
		"twice, dotted":       {archive(named("x"), named("./x")), "is there twice"},
		"file then folder":    {archive(named("x"), tar.Header{Name: "x/", Typeflag: tar.TypeDir}), "is there twice"},
		"folder then file":    {archive(named("x/y"), named("x")), "is there twice"},
		"link then file":      {archive(linked("x", "manifest.yaml"), named("x")), "is there twice"},
		"case":                {archive(named("Manifest.yaml")), "in upper and lower case alone"},
		"case of a folder":    {archive(named("lib/a"), named("LIB/b")), "in upper and lower case alone"},
		"case, not ASCII":     {archive(named("é"), named("É")), "in upper and lower case alone"},
		"below a file":        {archive(named("x"), named("x/y")), "lies below \"x\", which is no folder"},
		"below a link":        {archive(named("d/f"), linked("l", "d"), named("l/x")), "lies below \"l\", which is no folder"},
		"link out":            {archive(linked("l", "../x")), "leads out of the bundle"},
		"link to above":       {archive(linked("l", "..")), "leads out of the bundle"},
		"absolute link":       {archive(linked("l", "/etc/passwd")), "leads out of the bundle"},
		"link in disguise":    {archive(named("a/b/f"), linked("l", "a/../a/b")), "the plain way"},
		"empty link":          {archive(tar.Header{Name: "l", Typeflag: tar.TypeSymlink}), "leads out of the bundle"},
		"dangling link":       {archive(linked("l", "nothing")), "not in the bundle"},
		"link to a link":      {archive(linked("l", "m"), linked("m", "manifest.yaml")), "is a link to the link"},
		"link through a link": {archive(named("a/b/f"), linked("up", "a"), linked("l", "up/b")), "not in the bundle"},
		"link to itself":      {archive(linked("l", "l")), "is a link to the link"},
		"link to the root":    {archive(named("d/f"), linked("d/up", "..")), "not in the bundle"},
		"link out when lifted": {forge(t, named("x/manifest.yaml"), linked("x/l", "../x/manifest.yaml")),
			"leads out of the bundle"},
		"hard link":    {archive(tar.Header{Name: "h", Linkname: "manifest.yaml", Typeflag: tar.TypeLink}), "hard link"},
		"hard out":     {archive(tar.Header{Name: "h", Linkname: "/etc/passwd", Typeflag: tar.TypeLink}), "hard link"},
		"pipe":         {archive(tar.Header{Name: "p", Typeflag: tar.TypeFifo}), "no file"},
		"device":       {archive(tar.Header{Name: "p", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 5}), "no file"},
		"block":        {archive(tar.Header{Name: "p", Typeflag: tar.TypeBlock}), "no file"},
		"no gzip":      {[]byte("manifest.yaml"), "no gzipped tar"},
		"no tar":       {zipped(t, bytes.Repeat([]byte("x"), 1024)), "no gzipped tar"},
		"empty":        {nil, "cut short"},
		"cut":          {whole[:len(whole)/2], "cut short"},
		"cut checksum": {whole[:len(whole)-4], "cut short"},
		"checksum":     {damaged, "damaged"},
		"more behind":  {behind.Bytes(), "something behind its end"},
	}
}

func zipped(t *testing.T, plain []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, err := zip.Write(plain)
	if err := errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestHostileArchivesAreRefusedWhole(t *testing.T) {
	for name, c := range hostile(t) {
		t.Run(name, func(t *testing.T) { wantRefused(t, c.data, c.want, DefaultLimits()) })
	}
}

// wantRefused checks that neither Open nor Extract takes the archive, and that the
// latter leaves nothing behind.
func wantRefused(t *testing.T, data []byte, want string, l Limits) {
	t.Helper()
	var e *Error
	if _, err := open(bytes.NewReader(data), "x.botz", l, 1<<20, nil); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
		t.Errorf("open = %v, want an *Error with %q", err, want)
	}
	into := t.TempDir()
	err := extract(bytes.NewReader(data), "x.botz", filepath.Join(into, "x"), l)
	if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "x.botz: ") {
		t.Errorf("extract = %v, want an *Error with %q", err, want)
	}
	wantAlone(t, into)
}

func TestTooMuchIsRefusedBeforeItIsWritten(t *testing.T) {
	small := Limits{Names: 5, File: 100, Total: 150}
	sized := func(name string, n int64) []byte { // promises n bytes and holds none
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		if err := w.WriteHeader(&tar.Header{Name: name, Size: n, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		return zipped(t, out.Bytes())
	}
	many := []tar.Header{named("a"), named("b"), named("c"), named("d"), named("e"), named("f")}
	full := func(n int) []byte {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		for range n {
			h := tar.Header{Name: strings.Repeat("x", n), Size: 80, Typeflag: tar.TypeReg}
			n--
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
			_, _ = w.Write(make([]byte, 80))
		}
		w.Close()
		return zipped(t, out.Bytes())
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"one file":       {sized("x", 101), "is larger than 100 bytes"},
		"a huge promise": {sized("x", 1<<40), "is larger than 100 bytes"},
		"all together":   {full(2), "larger than 150 bytes in all"},
		"names":          {forge(t, many...), "at most 5 files and folders"},
		"folders":        {forge(t, named("a/b/c/d/e/f")), "at most 5 files and folders"},
		"bomb":           {zipped(t, make([]byte, 8<<20)), "unpacks to more than any bundle needs"},
	} {
		t.Run(name, func(t *testing.T) { wantRefused(t, c.data, c.want, small) })
	}
	if len(zipped(t, make([]byte, 8<<20))) > 1<<14 {
		t.Error("the bomb is no bomb")
	}
}

func TestForeignArchivesAreRead(t *testing.T) {
	for name, headers := range map[string][]tar.Header{
		"dotted": {
			{Name: "./", Typeflag: tar.TypeDir, Mode: 0o755}, {Name: "./manifest.yaml"}, {Name: "./bin/run.sh", Mode: 0o4755}},
		"in a folder": {
			{Name: "b/", Typeflag: tar.TypeDir, Mode: 0}, {Name: "b/bin/", Typeflag: tar.TypeDir}, {Name: "b/bin/run.sh", Mode: 0o700},
			{Name: "b/manifest.yaml"}},
		"folder last": {
			{Name: "bin/run.sh", Mode: 0o755}, {Name: "bin/", Typeflag: tar.TypeDir}, {Name: "manifest.yaml"}},
		"by git": {
			{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "0123"}},
			{Name: "manifest.yaml"}, {Name: "bin/run.sh", Mode: 0o775}},
	} {
		t.Run(name, func(t *testing.T) {
			data := forge(t, headers...)
			a, err := open(bytes.NewReader(data), "b.botz", DefaultLimits(), 100, []string{"manifest.yaml"})
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := a.Kept("manifest.yaml"); !ok || string(got) != "hi" || !a.Executable("bin/run.sh") {
				t.Errorf("kept %q, %t, %+v", got, ok, a)
			}
			target := filepath.Join(t.TempDir(), "b")
			if err := extract(bytes.NewReader(data), "b.botz", target, DefaultLimits()); err != nil {
				t.Fatal(err)
			}
			if got := read(t, target); len(got) != 2 || got["manifest.yaml"] != "hi" || got["bin/run.sh!"] != "hi" {
				t.Errorf("unpacked %v", got)
			}
			if info, err := os.Stat(filepath.Join(target, "bin/run.sh")); err != nil || info.Mode() != 0o700 {
				t.Errorf("mode %v, %v, want 0700 and no more", info.Mode(), err)
			}
		})
	}
}

func FuzzExtract(f *testing.F) {
	var t testing.T
	for _, c := range hostile(&t) {
		if zip, err := gzip.NewReader(bytes.NewReader(c.data)); err == nil {
			plain, _ := io.ReadAll(zip)
			f.Add(plain)
		}
	}
	f.Fuzz(func(t *testing.T, plain []byte) {
		l := Limits{Names: 20, File: 4 << 10, Total: 8 << 10}
		into := t.TempDir()
		if err := os.WriteFile(filepath.Join(into, "canary"), []byte("sings"), 0o600); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(into, "x")
		data := zipped(t, plain)
		_, openErr := open(bytes.NewReader(data), "x.botz", l, 1<<10, []string{"manifest.yaml"})
		err := extract(bytes.NewReader(data), "x.botz", target, l)
		if (openErr == nil) != (err == nil) {
			t.Fatalf("open says %v, extract %v", openErr, err)
		}
		if got, err := os.ReadFile(filepath.Join(into, "canary")); err != nil || string(got) != "sings" {
			t.Fatalf("the canary is %q, %v", got, err)
		}
		if err != nil {
			wantAlone(t, into, "canary")
			return
		}
		wantAlone(t, into, "canary", "x")
		wantInside(t, target, l)
	})
}

// wantInside checks that a folder holds files, folders and links into itself alone,
// within the limits, and can be packed again.
func wantInside(t *testing.T, target string, l Limits) {
	t.Helper()
	real, err := filepath.EvalSymlinks(target)
	if err != nil {
		t.Fatal(err)
	}
	var total int64
	leavings := false // which Pack would not take
	err = filepath.WalkDir(target, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		leavings = leavings || LeftOut(d.Name())
		info, err := d.Info()
		switch {
		case err != nil || d.IsDir():
			return err
		case info.Mode().Type() == fs.ModeSymlink:
			to, err := filepath.EvalSymlinks(at)
			if err == nil && !strings.HasPrefix(to, real+string(filepath.Separator)) {
				t.Fatalf("%s leads to %s", at, to)
			}
			return err
		case !info.Mode().IsRegular():
			t.Fatalf("%s is %s", at, info.Mode())
		}
		total += info.Size()
		return nil
	})
	if err != nil || total > l.Total {
		t.Fatalf("%d bytes, %v", total, err)
	}
	if _, err := Pack(io.Discard, target); err != nil && !leavings {
		t.Fatalf("cannot be packed again: %v", err)
	}
}
