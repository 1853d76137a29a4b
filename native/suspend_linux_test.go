package native

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sleepUnderLock says "locked" while it holds the writer lock, until it is told
// to go on, and again once it has let go.
func sleepUnderLock(l Layout) error {
	s, err := Open(l, Options{NoFsync: true})
	if err != nil {
		return err
	}
	in := bufio.NewReader(os.Stdin)
	err = s.Exclusive(context.Background(), func() error {
		fmt.Println("locked")
		_, err := in.ReadString('\n')
		return err
	})
	fmt.Println("free")
	if err == nil {
		_, err = in.ReadString('\n')
	}
	return err
}

// terminal opens a pseudo terminal.
func terminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	t.Cleanup(func() { ours.Close() })
	if err := unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	t.Cleanup(func() { theirs.Close() })
	return ours, theirs
}

func TestCtrlZUnderTheWriterLockWaitsUntilItIsFree(t *testing.T) {
	ours, theirs := terminal(t)
	out, said, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := process("sleepy", newStoreDir(t), "")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, said, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said.Close()
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := bufio.NewReader(out)
	expectLine(t, lines, "locked")
	if err := cmd.Process.Signal(unix.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if s := procState(t, cmd.Process.Pid); s == "T" {
			t.Fatal("stopped under the writer lock")
		}
		time.Sleep(5 * time.Millisecond)
	}
	io.WriteString(ours, "\n")
	waitStopped(t, cmd.Process.Pid)
	if err := cmd.Process.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	expectLine(t, lines, "free")
	// Without the lock the key works at once.
	if err := cmd.Process.Signal(unix.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	waitStopped(t, cmd.Process.Pid)
}

func expectLine(t *testing.T, r *bufio.Reader, want string) {
	t.Helper()
	line, err := r.ReadString('\n')
	if strings.TrimSpace(line) != want {
		t.Fatalf("the process said %q, %v, want %q", line, err, want)
	}
}

func waitStopped(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); procState(t, pid) != "T"; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never stopped")
		}
	}
}

func procState(t *testing.T, pid int) string {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return rest[:1]
}
