package atomicfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestWriteFileReplacesContentAndPermission(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("a much longer old content"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("new"), 0o600, Options{}); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != "new" || info.Mode().Perm() != 0o600 {
		t.Errorf("got %q with mode %v, want \"new\" with 0600", data, info.Mode().Perm())
	}
}

func TestWriteFileLeavesNoTempBehindWhenItFails(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(target, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(target, []byte("x"), 0o600, Options{}); err == nil {
		t.Fatal("replaced a folder by a file")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("%d entries left, want the folder alone", len(entries))
	}
}

func TestWriteFileUsesTheTempDir(t *testing.T) {
	dir := t.TempDir()
	err := WriteFile(filepath.Join(dir, "f"), nil, 0o600, Options{TempDir: filepath.Join(dir, "absent")})
	if !os.IsNotExist(err) {
		t.Errorf("got %v, want the missing temp folder to be noticed", err)
	}
}

func TestReadersSeeWholeFilesOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	content := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 8192) }
	if err := WriteFile(path, content(0), 0o600, Options{NoFsync: true}); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := range 50 {
				if err := WriteFile(path, content(w*50+i), 0o600, Options{NoFsync: true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) != 8192 || bytes.Count(data, data[:1]) != 8192 {
			t.Fatalf("saw a mixed file: %s", summary(data))
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

func summary(data []byte) string { return fmt.Sprintf("%d bytes", len(data)) }
