package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"iterion/native/filelock"
)

// A writer that is stopped in the middle of a write keeps the others waiting;
// they say why, and when it goes on nothing is wrong.
func TestI4_StoppedHolderOfTheWriterLockIsNamed(t *testing.T) {
	w := newWorld(t)
	bt := &boardTorture{w: w}
	writer, out := startBoardWriter(w)
	stopUnderLock(w, writer)

	began := time.Now()
	for n, s := range w.atOnce(func(n int) []string { return []string{"issue", "create", "--title", fmt.Sprint("x", n)} }) {
		if pid := fmt.Sprint("pid ", writer.Process.Pid); s.code != 4 || !strings.Contains(s.err, pid) || !strings.Contains(s.err, "stopped") {
			t.Errorf("call %d: exit %d: %s; want 4, %q and that it is stopped", n, s.code, s.err, pid)
		}
	}
	if waited := time.Since(began); waited < filelock.DefaultWait {
		t.Errorf("they gave up after %v", waited)
	}
	w.ok("issue", "list") // who only reads waits for nobody

	said := out.lines()
	sendTo(w, writer, syscall.SIGCONT)
	w.eventually("the writer goes on", func() bool { return out.lines() > said+20 })
	sendTo(w, writer, syscall.SIGKILL)
	_ = writer.Wait()
	w.ok("issue", "create", "--title", "the next command")
	bt.said = map[string]*witness{"stopped": {verbs: bt.parse(out.String())}}
	r := w.whole()
	bt.checkSaid(r)
	bt.checkSigned(r)
}

func startBoardWriter(w *world) (*exec.Cmd, *growing) {
	w.t.Helper()
	path, err := exec.LookPath("boardwriter")
	if err != nil {
		w.t.Fatal(err)
	}
	cmd, out := w.command(), &growing{}
	cmd.Path, cmd.Args, cmd.Stdout = path, []string{"boardwriter", w.layout().Root, "stopped", "1"}, out
	if _, err := cmd.StdinPipe(); err != nil { // open as long as this process is
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = cmd.Process.Kill() })
	w.eventually("the writer writes", func() bool { return out.lines() > 20 })
	return cmd, out
}

// stopUnderLock stops the process at an instant at which it holds the lock.
func stopUnderLock(w *world, cmd *exec.Cmd) {
	w.t.Helper()
	w.eventually("the writer is stopped under the lock", func() bool {
		sendTo(w, cmd, syscall.SIGSTOP)
		w.eventually("the writer is stopped", func() bool { return stopped(cmd.Process.Pid) })
		lock, err := filelock.TryAcquire(w.layout().WriterLock())
		var held *filelock.HeldError
		if errors.As(err, &held) {
			return true
		}
		if err != nil {
			w.t.Fatal(err)
		}
		lock.Release()
		sendTo(w, cmd, syscall.SIGCONT)
		return false
	})
}

func sendTo(w *world, cmd *exec.Cmd, sig syscall.Signal) {
	w.t.Helper()
	if err := cmd.Process.Signal(sig); err != nil {
		w.t.Fatal(err)
	}
}

func stopped(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, ok := bytes.Cut(data, []byte(") "))
	return err == nil && ok && rest[0] == 'T'
}
