package proctree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// start runs a shell script and reaps it at the end of the test.
func start(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 30 s", what)
		}
	}
}

func TestIdentityTellsAReusedPidApart(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	if alive, err := self.Alive(); !alive || err != nil {
		t.Errorf("self: %v, %v", alive, err)
	}
	other := self
	other.Start--
	if alive, err := other.Alive(); alive || err != nil {
		t.Errorf("same pid, other start: %v, %v", alive, err)
	}
}

func TestIdentityOfAnotherBootOrHost(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	rebooted, renamed, foreign := self, self, self
	rebooted.BootID = "another"
	renamed.HostID = "another"
	foreign.BootID, foreign.HostID = "another", "another"
	if alive, err := rebooted.Alive(); alive || err != nil {
		t.Errorf("rebooted: %v, %v", alive, err)
	}
	if alive, err := renamed.Alive(); !alive || err != nil {
		t.Errorf("renamed: %v, %v", alive, err)
	}
	if _, err := foreign.Alive(); !errors.Is(err, ErrElsewhere) {
		t.Errorf("foreign: %v", err)
	}
}

func TestZombieIsNotAlive(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	eventually(t, "death before it is reaped", func() bool {
		alive, err := id.Alive()
		return err == nil && !alive
	})
	if _, err := Identify(id.PID); err != nil {
		t.Errorf("the zombie was reaped: %v", err)
	}
	_ = cmd.Wait()
	if _, err := Identify(id.PID); !errors.Is(err, ErrGone) {
		t.Errorf("after the reaping: %v", err)
	}
}

func TestDescendantsLeaveOutWhatIsSetApart(t *testing.T) {
	cmd := start(t, "sleep 600 & sh -c 'sleep 601; true' & wait")
	root := cmd.Process.Pid
	find := func(apart func(Process) bool) []Process {
		found, err := Descendants(root, apart)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	eventually(t, "three descendants", func() bool { return len(find(nil)) == 3 })
	withShell := func(p Process) bool {
		argv, err := Argv(p.PID)
		return err == nil && strings.HasSuffix(argv[0], "sh")
	}
	if got := find(withShell); len(got) != 1 {
		t.Errorf("with the inner shell set apart: %v", got)
	}
	if err := End(context.Background(), func() ([]Process, error) { return Descendants(root, nil) }, Patience{Grace: time.Second, Proof: 5 * time.Second}); err != nil {
		t.Error(err)
	}
}

func TestEndOutrunsAForkBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 200 processes")
	}
	// Each child ignores TERM, and its parent makes more while it lives. Those
	// that it leaves behind go to init and are found by what they carry.
	mark := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", "trap '' TERM; i=0; while [ $i -lt 200 ]; do (trap '' TERM; while :; do sleep 1; done) & i=$((i+1)); done; while :; do (sleep 0.01) & sleep 0.01; done")
	cmd.Env = append(os.Environ(), "FORK_BOMB="+mark)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	all := func() ([]Process, error) { return Orphans(ByEnviron("FORK_BOMB", mark), nil) }
	eventually(t, "200 children", func() bool { found, _ := all(); return len(found) > 200 })
	if err := End(context.Background(), all, Patience{Grace: 50 * time.Millisecond, Proof: 20 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if left, err := all(); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestEndNamesWhatWithstands(t *testing.T) {
	// As if a process were in uninterruptible sleep: it is always found. The pid
	// is none that could be signalled.
	immortal := Process{PID: 1 << 30, Start: 1}
	err := End(context.Background(), func() ([]Process, error) { return []Process{immortal}, nil }, Patience{Proof: 20 * time.Millisecond})
	var left *SurvivorsError
	if !errors.As(err, &left) || len(left.Left) != 1 || !strings.Contains(err.Error(), "1073741824") {
		t.Errorf("got %v", err)
	}
}

func TestEndLooksTwiceBeforeItBelieves(t *testing.T) {
	cmd := start(t, "exec sleep 600")
	p, err := look(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	looks := 0
	find := func() ([]Process, error) { // the first look misses it
		looks++
		now, err := look(p.PID)
		if looks == 1 || err != nil || now.Dead {
			return nil, nil
		}
		return []Process{now}, nil
	}
	if err := End(context.Background(), find, Patience{Proof: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if now, err := look(p.PID); err == nil && !now.Dead {
		t.Error("the process that the first look missed is still alive")
	}
}

func TestReadErrorIsNotAnEmptyTree(t *testing.T) {
	broken := errors.New("broken")
	if err := End(context.Background(), func() ([]Process, error) { return nil, broken }, Patience{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestSignalSparesAReusedPid(t *testing.T) {
	cmd := start(t, "exec sleep 600")
	p, err := look(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	p.Start--
	if err := signal(p, unix.SIGKILL); !errors.Is(err, unix.ESRCH) {
		t.Errorf("got %v", err)
	}
	if now, err := look(p.PID); err != nil || now.Dead {
		t.Error("a stranger was killed")
	}
}
