package doctor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"iterion/native/board"
	"iterion/native/filelock"
)

const holdEnv = "DOCTOR_TEST_HOLD"

// TestMain lets the test binary be a process that holds a lock until it is ended.
func TestMain(m *testing.M) {
	if path := os.Getenv(holdEnv); path != "" {
		_, err := filelock.TryAcquire(path)
		fmt.Println("held", err)
		select {}
	}
	os.Exit(m.Run())
}

// stoppedHolder starts a process that takes a lock and stops it.
func stoppedHolder(t *testing.T, path string) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), holdEnv+"="+path, "GORACE=atexit_sleep_ms=0")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held <nil>\n" {
		t.Fatalf("the holder said %q, %v", line, err)
	}
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var ws unix.WaitStatus
	if _, err := unix.Wait4(c.Process.Pid, &ws, unix.WUNTRACED, nil); err != nil || !ws.Stopped() {
		t.Fatalf("the holder did not stop: %v, %v", ws, err)
	}
}

func TestStoppedHolderIsTold(t *testing.T) {
	for who, path := range map[string]func(*lab) string{
		"writer-stopped": func(b *lab) string { return b.l.WriterLock() },
		"daemon-stopped": func(b *lab) string { return b.l.DaemonLock() },
	} {
		t.Run(who, func(t *testing.T) {
			b := newLab(t)
			b.write(b.in(".staging/5-native__x"), "on its way")
			if who == "daemon-stopped" {
				b.check(os.Remove(b.in(".staging/5-native__x")))
			}
			stoppedHolder(t, path(b))
			checkFound(t, b.examine(), breakage{want: who, sev: Error, stays: true})
		})
	}
}

func TestHolderOnAnotherHostIsANote(t *testing.T) {
	b := newLab(t)
	b.hold(b.l.DaemonLock())
	b.write(b.l.DaemonLock(), `{"pid":1,"host":"elsewhere.example","since":"2026-01-01T00:00:00Z"}`)
	checkFound(t, b.examine(), breakage{want: "daemon-elsewhere", sev: Note, stays: true})
}

// asNobody makes the test's thread an ordinary user towards the file system,
// because root may read and write anywhere.
func asNobody(t *testing.T, b *lab) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	const nobody = 65534
	for dir := filepath.Dir(b.l.Root); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		b.check(os.Chmod(dir, 0o755))
	}
	b.check(filepath.WalkDir(b.l.Root, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, nobody, nobody))
	}))
	b.host.UID, b.host.Owner = nobody, nobody
	runtime.LockOSThread() // never unlocked: the thread ends with the test
	if _, err := unix.SetfsuidRetUid(nobody); err != nil {
		t.Skipf("cannot become an ordinary user: %v", err)
	}
	t.Cleanup(func() { unix.SetfsuidRetUid(0) })
}

func TestWhatTheOwnerShutOutIsOpenedAgain(t *testing.T) {
	for want, path := range map[string]func(*lab) string{
		"card-unreadable":    func(b *lab) string { return b.card(0) },
		"folder-unreadable":  func(b *lab) string { return b.l.Issues() },
		"log-unreadable":     func(b *lab) string { return b.l.Events() },
		"board-unreadable":   func(b *lab) string { return b.l.Board() },
		"journal-unreadable": func(b *lab) string { return b.l.Claims() },
		"intent-unreadable":  func(b *lab) string { return b.l.Runtime() },
		"spend-unreadable":   func(b *lab) string { return filepath.Join(b.l.Spend(), "2020-02-03.json") },
		"cap-unreadable":     func(b *lab) string { return b.in("dispatcher.json") },
	} {
		t.Run(want, func(t *testing.T) {
			b := newLab(t)
			b.write(b.l.Claims(), "[]")
			b.write(b.l.Runtime(), `{"desired":"running"}`)
			b.write(filepath.Join(b.l.Spend(), "2020-02-03.json"), `{"day":"2020-02-03"}`)
			b.write(b.in("dispatcher.json"), "{}")
			before := b.contents()
			b.check(os.Chmod(path(b), 0))
			asNobody(t, b)
			rep := b.examine()
			found := strings.Join(ids(rep), " ")
			if !strings.Contains(found, want) || rep.Healthy() {
				t.Errorf("found %q, want %s", found, want)
			}
			if m := b.fix(rep); len(m.Failed) > 0 || m.Aside != "" {
				t.Errorf("mended %+v", m)
			}
			if after := b.examine(); len(after.Findings) > 0 {
				t.Errorf("after mending: %+v", after.Findings)
			}
			checkKept(t, b, before)
		})
	}
}

func TestReadOnlyStoreIsExaminedAndNotMended(t *testing.T) {
	b := newLab(t)
	b.write(b.card(0), "{")
	for _, dir := range []string{b.l.Dispatcher(), b.l.Issues(), b.l.Staging()} {
		b.check(os.Chmod(dir, 0o500))
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
	}
	asNobody(t, b)
	rep := b.examine()
	if got := strings.Join(ids(rep), " "); got != "card-unreadable store-read-only" {
		t.Errorf("found %s", got)
	}
	m, err := Fix(context.Background(), b.options(), rep)
	if !errors.Is(err, board.ErrReadOnly) || len(m.Did) > 0 {
		t.Errorf("mended %+v, %v", m, err)
	}
}

func TestKernelLimitsAreRead(t *testing.T) {
	b := newLab(t)
	if h := Survey(b.l); h.Watches <= 0 || h.Instances <= 0 {
		t.Errorf("limits %d and %d", h.Watches, h.Instances)
	}
}
