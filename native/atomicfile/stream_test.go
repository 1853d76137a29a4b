package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestStreamReplacesWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write := func(text string, fail error) error {
		return Stream(path, 0o640, Options{}, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fail)
		})
	}
	if err := write("one", nil); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("disk on fire")
	if err := write("two", broken); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil || string(data) != "one" {
		t.Errorf("holds %q, %v", data, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	if err := Stream(filepath.Join(dir, "none", "file"), 0o600, Options{}, nil); err == nil {
		t.Error("a missing folder was no error")
	}
}
