package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/rivo/uniseg"
)

// testFactory prints into a buffer and knows no environment.
func testFactory(width int) (*Factory, *bytes.Buffer) {
	var out bytes.Buffer
	f := NewFactory(&Streams{In: strings.NewReader(""), Out: &out, Err: &out, OutTTY: width > 0, Width: width}, Hooks{})
	f.Env = func(string) string { return "" }
	return f, &out
}

func sampleTable() *Table {
	t := &Table{Head: []string{"ID", "TITLE", "LAST"}}
	t.Row("1", "plain", "x")
	t.Row("22", "漢字e\u0301👩‍👩‍👧", "x")
	t.Row("3", "a\nb\x1b", "a rather long last column")
	return t
}

func TestTableKeepsColumnsInLine(t *testing.T) {
	f, out := testFactory(0)
	sampleTable().Print(f)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("got %d lines:\n%s", len(lines), out)
	}
	want := uniseg.StringWidth(lines[0][:strings.Index(lines[0], "LAST")])
	for _, line := range lines[1:3] {
		if got := uniseg.StringWidth(strings.TrimSuffix(line, "x")); got != want {
			t.Errorf("last column of %q begins at %d, want %d", line, got, want)
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("escape sequences off a terminal:\n%q", out)
	}
}

func TestTableFitsTheTerminal(t *testing.T) {
	for width := 1; width <= 60; width++ {
		f, out := testFactory(width)
		f.Global.NoColor = true
		sampleTable().Print(f)
		for _, line := range strings.Split(out.String(), "\n") {
			if w := uniseg.StringWidth(line); w > width {
				t.Fatalf("at %d columns %q takes %d", width, line, w)
			}
		}
	}
}

func TestColourOnlyWhereItIsWanted(t *testing.T) {
	for _, c := range []struct {
		name string
		tty  bool
		flag bool
		env  map[string]string
		want bool
	}{
		{"terminal", true, false, nil, true},
		{"pipe", false, false, nil, false},
		{"--no-color", true, true, nil, false},
		{"NO_COLOR", true, false, map[string]string{"NO_COLOR": "1"}, false},
		{"dumb terminal", true, false, map[string]string{"TERM": "dumb"}, false},
	} {
		f, _ := testFactory(0)
		f.IO.OutTTY, f.Global.NoColor = c.tty, c.flag
		f.Env = func(name string) string { return c.env[name] }
		if got := f.Color(); got != c.want {
			t.Errorf("%s: Color() = %v, want %v", c.name, got, c.want)
		}
	}
}

// failingWriter refuses everything.
type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestLostResultIsAnErrorUnlessTheReaderLeft(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{syscall.ENOSPC, ExitFailed},
		{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, ExitOK},
	} {
		var talk bytes.Buffer
		s := &Streams{In: strings.NewReader(""), Out: failingWriter{c.err}, Err: &talk}
		if got := Main(context.Background(), []string{"version"}, s, Hooks{}); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
		if quiet := talk.Len() == 0; quiet != (c.want == ExitOK) {
			t.Errorf("%v: said %q", c.err, &talk)
		}
	}
}

func TestInterruptExits130AndSaysNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var talk bytes.Buffer
	code, _ := Exit(interrupted(ctx, errors.Join(errors.New("half way"), context.Canceled)))
	if code != ExitInterrupted {
		t.Errorf("exit code %d, want %d", code, ExitInterrupted)
	}
	if report(&Streams{Err: &talk}, interrupted(ctx, context.Canceled)); talk.Len() > 0 {
		t.Errorf("said %q", &talk)
	}
	if code, _ := Exit(interrupted(ctx, errors.New("disk full"))); code != ExitFailed {
		t.Errorf("another error after an interrupt: exit code %d, want %d", code, ExitFailed)
	}
}
