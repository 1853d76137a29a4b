package filelock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain lets the test binary play the other process.
func TestMain(m *testing.M) {
	switch path := os.Getenv("FILELOCK_PATH"); os.Getenv("FILELOCK_ROLE") {
	case "hold":
		hold(TryAcquire(path))
	case "adopt":
		hold(FromFD(3, path))
	case "count":
		count(path)
	default:
		os.Exit(m.Run())
	}
}

// hold keeps the lock until stdin ends.
func hold(l *Lock, err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	bufio.NewReader(os.Stdin).ReadString('\n')
	l.Release()
}

// count adds one to a number in a file, many times, under the lock.
func count(path string) {
	for range 100 {
		l, err := Acquire(context.Background(), path, Options{Wait: time.Minute})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		var n int
		data, _ := os.ReadFile(path + ".n")
		fmt.Sscan(string(data), &n)
		os.WriteFile(path+".n", fmt.Append(nil, n+1), 0o600)
		l.Release()
	}
}

func lockPath(t *testing.T) string { return filepath.Join(t.TempDir(), ".lock") }

// child starts the test binary in a role.
func child(t *testing.T, role, path string, extra ...*os.File) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FILELOCK_ROLE="+role, "FILELOCK_PATH="+path)
	cmd.ExtraFiles = extra
	return cmd
}

// holder starts a child that holds the lock; release ends it.
func holder(t *testing.T, cmd *exec.Cmd) (release func()) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if strings.TrimSpace(line) != "held" {
		t.Fatalf("the child said %q", line)
	}
	release = sync.OnceFunc(func() { in.Close(); cmd.Wait() })
	t.Cleanup(func() {
		cmd.Process.Signal(unix.SIGCONT)
		release()
	})
	return release
}

func TestHeldErrorNamesTheHolder(t *testing.T) {
	path := lockPath(t)
	cmd := child(t, "hold", path)
	release := holder(t, cmd)
	_, err := TryAcquire(path)
	var held *HeldError
	if !errors.As(err, &held) {
		t.Fatalf("got %v, want a HeldError", err)
	}
	host, _ := os.Hostname()
	if held.Holder.PID != cmd.Process.Pid || held.Holder.Host != host || time.Since(held.Holder.Since) > time.Minute || held.Stopped {
		t.Errorf("got %+v", held)
	}
	release()
	l, err := TryAcquire(path)
	if err != nil {
		t.Fatalf("after its holder's end: %v", err)
	}
	l.Release()
}

func TestHeldErrorSaysThatTheHolderIsStopped(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here: a stopped holder cannot be told")
	}
	path := lockPath(t)
	cmd := child(t, "hold", path)
	holder(t, cmd)
	if err := cmd.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		_, err := Acquire(t.Context(), path, Options{Wait: time.Millisecond})
		var held *HeldError
		if !errors.As(err, &held) {
			t.Fatal(err)
		}
		if held.Stopped && strings.Contains(held.Error(), "stopped") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("never told that the holder is stopped: %v", err)
		}
	}
}

func TestLockEndsWithItsProcess(t *testing.T) {
	path := lockPath(t)
	cmd := child(t, "hold", path)
	release := holder(t, cmd)
	if held, err := Probe(path); !held || err != nil {
		t.Fatalf("probe: %v, %v", held, err)
	}
	cmd.Process.Kill()
	release()
	if held, err := Probe(path); held || err != nil {
		t.Errorf("probe after kill -9: %v, %v", held, err)
	}
}

func TestAcquireWaitsForTheHolder(t *testing.T) {
	path := lockPath(t)
	first, err := TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		l, err := Acquire(context.Background(), path, Options{Wait: time.Minute})
		if err == nil {
			err = l.Release()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	first.Release()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestAcquireHeedsItsContext(t *testing.T) {
	path := lockPath(t)
	l, err := TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Acquire(ctx, path, Options{Wait: time.Minute}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestProbersNeverSpoilATaker(t *testing.T) {
	path := lockPath(t)
	l, err := TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
	var stop atomic.Bool
	var probers sync.WaitGroup
	for range 4 {
		probers.Go(func() {
			for !stop.Load() {
				if _, err := Probe(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		l, err := TryAcquire(path)
		if err != nil {
			t.Errorf("a prober kept the lock from its taker: %v", err)
			break
		}
		l.Release()
	}
	stop.Store(true)
	probers.Wait()
}

func TestSharedLocksGoTogether(t *testing.T) {
	path := lockPath(t)
	a, err := Acquire(t.Context(), path, Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Acquire(t.Context(), path, Options{Shared: true, Wait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(t.Context(), path, Options{Wait: time.Millisecond}); err == nil {
		t.Error("an exclusive lock beside shared ones")
	}
	a.Release()
	b.Release()
}

func TestProbeOfAMissingFileMakesNone(t *testing.T) {
	path := lockPath(t)
	if held, err := Probe(path); held || err != nil {
		t.Errorf("got %v, %v", held, err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("the probe made the file")
	}
}

func TestLockIsHandedOverByDescriptor(t *testing.T) {
	path := lockPath(t)
	l, err := TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "adopt", path, l.File())
	release := holder(t, cmd)
	if err := l.Detach(); err != nil {
		t.Fatal(err)
	}
	if held, err := Probe(path); !held || err != nil {
		t.Fatalf("after the launcher let go: held %v, %v", held, err)
	}
	h, err := ReadHolder(path)
	if err != nil || h.PID != cmd.Process.Pid {
		t.Errorf("the file names %+v, %v, want pid %d", h, err, cmd.Process.Pid)
	}
	release()
	if held, err := Probe(path); held || err != nil {
		t.Errorf("after the end of the adopter: held %v, %v", held, err)
	}
}

func TestFromFDRefusesWhatIsNotTheLock(t *testing.T) {
	path := lockPath(t)
	other, err := TryAcquire(filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Release()
	l, err := TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	for name, file := range map[string]string{"another file": other.File().Name(), "another opening": path} {
		fd, err := unix.Open(file, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := FromFD(uintptr(fd), path); err == nil {
			t.Errorf("%s was adopted", name)
		}
	}
}

func TestChildrenInheritNoLock(t *testing.T) {
	path := lockPath(t)
	l, err := TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "hold", lockPath(t)) // any process that lives on
	holder(t, cmd)
	l.Detach()
	if held, err := Probe(path); held || err != nil {
		t.Errorf("a child carries the lock: %v, %v", held, err)
	}
}

func TestProcessesExcludeEachOther(t *testing.T) {
	path := lockPath(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if out, err := child(t, "count", path).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	if data, _ := os.ReadFile(path + ".n"); string(data) != "400" {
		t.Errorf("counted %s, want 400", data)
	}
}

// A writer of many cards takes the lock again as soon as it let go.
func TestATakerGetsPastAHolderThatComesBackAtOnce(t *testing.T) {
	path := lockPath(t)
	var stop atomic.Bool
	var greedy sync.WaitGroup
	greedy.Go(func() {
		for !stop.Load() {
			l, err := Acquire(context.Background(), path, Options{Wait: time.Minute})
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Millisecond)
			l.Release()
		}
	})
	for range 5 {
		l, err := Acquire(t.Context(), path, Options{Wait: time.Minute})
		if err != nil {
			t.Error(err)
			break
		}
		l.Release()
	}
	stop.Store(true)
	greedy.Wait()
}
