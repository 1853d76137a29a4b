package tui_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	_ "iterion/tui"
)

// A program that links the TUI must not talk to the terminal before it is asked
// to draw: the test binary itself is such a program.
func TestStartingOnATerminalWritesNoQuery(t *testing.T) {
	terminal, name := openPTY(t)
	child, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = []string{"TERM=xterm-256color", "HOME=" + t.TempDir()}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = child, child, child
	// Only the foreground of its terminal asks it anything.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child.Close()
	said, _ := io.ReadAll(terminal) // ends with EIO once the child's side is closed
	if err := cmd.Wait(); err != nil {
		t.Fatalf("test binary: %v, said %q", err, said)
	}
	if !bytes.Contains(said, []byte("PASS")) {
		t.Fatalf("the child did not run: %q", said)
	}
	if bytes.ContainsRune(said, '\x1b') {
		t.Errorf("the terminal was asked something at start: %q", said)
	}
}

func openPTY(t *testing.T) (*os.File, string) {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	fd := int(f.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	return f, fmt.Sprintf("/dev/pts/%d", n)
}
