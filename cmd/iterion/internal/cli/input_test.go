package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// zeros is a stream without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestInputPastTheBoundIsRefusedAndNotCut(t *testing.T) {
	f := &Factory{IO: &Streams{In: io.LimitReader(zeros{}, maxInput)}}
	if data, err := f.readInput("-"); err != nil || len(data) != maxInput {
		t.Errorf("at the bound: %d bytes, %v", len(data), err)
	}
	f.IO.In = zeros{}
	if _, err := f.readInput("-"); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("past the bound: %v", err)
	}
}

func TestInputIsAFileOrStandardInput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(name, []byte("from the file"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &Factory{IO: &Streams{In: strings.NewReader("typed")}}
	for from, want := range map[string]string{name: "from the file", "-": "typed"} {
		if data, err := f.readInput(from); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", from, data, err)
		}
	}
}
